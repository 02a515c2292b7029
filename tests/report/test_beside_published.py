"""When a run may stand beside printed numbers, and why not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.official import read_instruments
from worldgauge.core.published import PublishedTable, published_tables, read_published
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.scale import Scale
from worldgauge.core.submission import ModelCard
from worldgauge.report import beside_published as beside
from worldgauge.report import unofficial
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
UNSCALED = FAIR[1].model_copy(update={"unscaled": "nobody measured one"})
RESCALED = FAIR[1].model_copy(update={"scale": Scale(source=(0.5, 1.0))})


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
        (summary(FAIR[0], RESCALED), TABLE, "scaled by bounds that were derived anew: ssim"),
        (summary(FAIR[0]), TABLE, "not measured: ssim"),
        (summary(FAIR[0], definition("ssim", unavailable="no weights")), TABLE, "not measured: ssim"),
        (summary(*FAIR, scored=2), TABLE, "not every case is scored: psnr 2 of 3, ssim 2 of 3"),
        (summary(FAIR[0], definition("ssim", {"name": "dis"})), TABLE, "poses: dis, which has no trained weights"),
        (summary(*FAIR), TABLE.model_copy(update={"cases": 40}), "rests on 40 cases, the run on 3"),
        (summary(FAIR[0], UNSCALED), TABLE, "no score, as no bound is known: ssim"),
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


OFFICIAL = """
schema = 1
benchmark = "b"
[[use]]
signal = "poses"
official = "net"
what = "the net"
parameters = { rounds = 4 }
"""


@pytest.mark.parametrize(
    ("instrument", "differs", "lines"),
    [
        ({"name": "net", "parameters": {"rounds": 4}}, "", []),
        ({"name": "net", "parameters": {"rounds": 5}}, "", ["poses: net with rounds=5 instead of 4"]),
        ({"name": "net", "parameters": {"rounds": 4}}, "read otherwise", ["poses: read otherwise"]),
        ({"name": "other", "parameters": {}}, "", ["poses: other instead of net"]),
    ],
)
def test_the_right_instrument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instrument: dict[str, Any], differs: str, lines: list[str]
) -> None:
    (tmp_path / "instruments.toml").write_text(f'{OFFICIAL}differs = "{differs}"\n')
    found = read_instruments(tmp_path, BENCHMARK)
    monkeypatch.setattr(unofficial, "official_instruments", lambda benchmark: found)
    made = summary(definition("psnr", instrument))
    assert unofficial.other_instruments(made.run, made.run.file.definitions) == lines


def test_definitions_of_ones_own_stand_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unofficial, "benchmarks", lambda: {"b": None})
    monkeypatch.setattr(unofficial, "read_benchmark_file", lambda name: BENCHMARK)
    assert beside.why_not_beside_published(summary(*FAIR), TABLE) == []
    scaled = BENCHMARK.metrics[1].model_copy(update={"scale": Scale(**{"from": (0.0, 2.0)})})
    other = BENCHMARK.model_copy(update={"metrics": (BENCHMARK.metrics[0], scaled, BENCHMARK.metrics[2])})
    monkeypatch.setattr(unofficial, "read_benchmark_file", lambda name: other)
    (reason,) = beside.why_not_beside_published(summary(*FAIR), TABLE)
    assert reason == "defined otherwise than the benchmark has it: ssim"


def test_zeros_for_what_a_kind_of_model_cannot_do_are_scores() -> None:
    made = summary(*FAIR, scored=2)
    for score in made.metrics.values():
        score.statuses["missing"] = 1
    assert len(beside.why_not_beside_published(made, TABLE)) == 1
    cannot = [use.model_copy(update={"zero_for": {"type": "flat"}}) for use in BENCHMARK.metrics]
    file = made.run.file
    file.benchmark = BENCHMARK.model_copy(update={"metrics": tuple(cannot)})
    file.model = ModelCard(name="m", type="flat")
    assert beside.why_not_beside_published(made, TABLE) == []


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="benchmark 'b' brings no published numbers"):
        published_tables("b")
    (tmp_path / "published.toml").write_text(
        'schema = 1\nbenchmark = "b"\n[[table]]\nid = "t"\nsource = "s"\ncolumns = ["a"]\nrows = { m = [1, 2] }\n'
    )
    with pytest.raises(WorldGaugeError, match="row 'm' has 2 numbers for 1 columns"):
        read_published(tmp_path)
