"""When a run may stand beside printed numbers, and why not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.published import PublishedTable, published_tables, read_published
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.submission import ModelCard
from worldgauge.report import beside_published as beside
from worldgauge.report.summary import Score, Summary

BENCHMARK = BenchmarkFile.model_validate(
    {
        "name": "b",
        "protocols": ["printed", "code"],
        "metric": [{"id": "psnr"}, {"id": "ssim"}, {"id": "house"}],
        "group": [{"id": "both", "of": {"psnr": 1, "ssim": 1}}, {"id": "all", "of": {"both": 1}}],
    }
)
TABLE = PublishedTable(id="t", source="s", protocol="printed", columns=("all",), rows={"m": (1.0,)})


def definition(name: str, instrument: dict[str, Any] | None = None, unavailable: str = "") -> DefinitionFile:
    inner = {"signal": "poses", "instrument": instrument, "needs": []}
    return DefinitionFile(
        id=name, fingerprint="f", metric=name, version=1, unit="", higher_is_better=True, bounds=(0, 1),
        signals=[{"signal": "rigid_cameras", "needs": [inner]}], unavailable=unavailable,
    )  # fmt: skip


def summary(*definitions: DefinitionFile, protocol: str = "printed", scored: int = 3) -> Summary:
    file = RunFile(
        benchmark=BENCHMARK, protocol=protocol, instruments={}, model=ModelCard(name="m"), cases=3,
        definitions=list(definitions),
    )  # fmt: skip
    scores = {d.id: Score(d.id, 0.5, None, scored, 3, {"ok": scored}) for d in definitions}
    run: Any = SimpleNamespace(file=file, name="m", folder=Path("r"))
    return Summary(run, scores, {"all": Score("all", 0.5, None, scored, 3, {"ok": scored})})


TRAINED = {"name": "net", "weights": "abc"}
FAIR = (definition("psnr", TRAINED), definition("ssim", TRAINED))


def test_a_fair_run_shares_the_table_under_a_name_of_its_own() -> None:
    held = beside.held_against(TABLE, [summary(*FAIR)])
    assert held.rows == {"m": {"all": 1.0}, "m (this run)": {"all": 0.5}}
    assert held.to_json()["apart"] == []


@pytest.mark.parametrize(
    ("made", "table", "reason"),
    [
        (
            summary(definition("psnr", TRAINED | {"other_weights": ["net"]}), FAIR[1]),
            TABLE,
            "poses: net with other weights than the published ones",
        ),
        (summary(*FAIR, protocol="code"), TABLE, "the printed table follows 'printed', the run 'code'"),
        (summary(*FAIR), TABLE.model_copy(update={"protocol": ""}), "nobody knows which protocol"),
        (summary(*FAIR), TABLE.model_copy(update={"apart": "50 cases only"}), "special: 50 cases only"),
        (summary(FAIR[0]), TABLE, "not measured: ssim"),
        (summary(FAIR[0], definition("ssim", unavailable="no weights")), TABLE, "not measured: ssim"),
        (summary(*FAIR, scored=2), TABLE, "not every case is scored: psnr 2 of 3, ssim 2 of 3"),
        (summary(FAIR[0], definition("ssim", {"name": "dis"})), TABLE, "poses: dis, which has no trained weights"),
    ],
)
def test_a_reason_keeps_it_apart(made: Summary, table: PublishedTable, reason: str) -> None:
    held = beside.held_against(table, [made])
    (row,) = held.runs
    assert len(row.apart_because) == 1
    assert reason in row.apart_because[0]
    assert list(held.rows) == ["m"]


def test_what_the_table_does_not_show_is_not_asked() -> None:
    odd = definition("house", {"name": "dis"})
    assert beside.why_not_beside_published(summary(*FAIR, odd), TABLE) == []


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="benchmark 'b' brings no published numbers"):
        published_tables("b")
    (tmp_path / "published.toml").write_text(
        'schema = 1\nbenchmark = "b"\n[[table]]\nid = "t"\nsource = "s"\ncolumns = ["a"]\nrows = { m = [1, 2] }\n'
    )
    with pytest.raises(WorldGaugeError, match="row 'm' has 2 numbers for 1 columns"):
        read_published(tmp_path)
