"""What is said of submissions that show nothing, and how tables mark a flaw that a benchmark knows; on made records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldgauge.benchmarks.memobench.calibration import GAUGES
from worldgauge.calibration.worthless import HONEST, at_hand, qualities, verdicts
from worldgauge.core.benchmark import Benchmark, BenchmarkFile, read_benchmark_file
from worldgauge.core.gauge import Quality
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard
from worldgauge.report.summary import summarise
from worldgauge.report.tables import Table, build_table, to_json, to_latex, to_markdown

FLAW = "a held frame is smooth"
SAME: dict[str, Any] = {"fingerprint": "f", "version": 1, "unit": "", "higher_is_better": True, "bounds": (0, 100)}
COLUMNS = ("camera", "smooth")


def run(root: Path, model: str, scores: dict[str, list[float | None]], flaw: str = FLAW) -> Run:
    """A run whose clips have these scores; None: the clip could not be measured."""
    folder = root / model
    folder.mkdir(parents=True)
    total = {"id": "total", "of": dict.fromkeys(COLUMNS, 1.0), "known_flaw": flaw}
    RunFile(
        benchmark=BenchmarkFile.model_validate(
            {"name": "b", "metric": [{"id": name} for name in COLUMNS], "group": [total]}
        ),
        protocol="plain",
        instruments={},
        model=ModelCard(name=model),
        cases=2,
        definitions=[DefinitionFile(id=name, metric=name, **SAME) for name in COLUMNS],
    ).write(folder)
    lines = [
        Record(
            case=f"c{k}", cluster=f"s{k}", metric=name, fingerprint="f", inputs="i", video="v", value=value, raw=value,
            status=Status.UNSCORED if value is None else Status.OK, time=1.0,
        ).model_dump_json(by_alias=True)
        for name, values in scores.items()
        for k, value in enumerate(values)
    ]  # fmt: skip
    (folder / "records-0.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")
    return Run(folder)


def table(root: Path, flaw: str = FLAW) -> Table:
    scores: dict[str, dict[str, list[float | None]]] = {
        HONEST.name: {"camera": [50, 60], "smooth": [40, 40]},
        "repeated": {"camera": [0, 0], "smooth": [100, 100]},
        "noise": {"camera": [20, None], "smooth": [0, 0]},
        "black": {"camera": [None, None], "smooth": [100, 100]},
    }
    return build_table([summarise(run(root, model, of_model, flaw), 20) for model, of_model in scores.items()])


def test_what_a_fault_destroys_must_be_below_and_a_total_that_is_not_must_be_marked(tmp_path: Path) -> None:
    about = {"camera": Quality.CAMERA}
    found = list(verdicts(table(tmp_path / "a"), about, ["total"]))
    assert [line.split(":")[0] for line in found if "camera at" in line or "camera has" in line] == [
        "ok   repeated",
        # A clip without a score may be worth 100: the rank depends on it.
        "MARK noise",
        "ok   black",
    ]
    assert next(line for line in found if "repeated: total" in line) == (
        f"MARK repeated: total at most 50, {HONEST.name} at least 47.5"
    )
    unmarked = list(verdicts(table(tmp_path / "b", ""), about, ["total"]))
    assert next(line for line in unmarked if "repeated: total" in line).startswith("MISS")


def test_a_known_flaw_marks_the_column_where_models_are_ranked(tmp_path: Path) -> None:
    marked = table(tmp_path / "a")
    text = to_markdown(marked)
    assert "total† ↑" in text and f"† total: known flaw: {FLAW}." in text
    assert r"total\textsuperscript{\dag} $\uparrow$" in to_latex(marked)
    assert [c.get("known_flaw") for c in json.loads(to_json(marked))["columns"]] == [FLAW, None, None]
    alone = build_table([summarise(run(tmp_path / "b", "m", {"camera": [1, 2], "smooth": [1, 2]}), 20)])
    assert "†" not in to_markdown(alone)


@pytest.mark.parametrize("name", ["worldscore", "memobench"])
def test_totals_of_columns_at_hand_leave_out_what_no_pocket_instrument_serves(name: str) -> None:
    whole = Benchmark(read_benchmark_file(name), ())
    kept = at_hand(whole, "paper").file
    assert 0 < len(kept.metrics) < len(whole.file.metrics)
    ids = {item.id for item in (*kept.metrics, *kept.groups)}
    assert all(set(group.of) <= ids for group in kept.groups)
    assert set(whole.file.known_flaws) <= {item.id for item in (*whole.file.metrics, *whole.file.groups)} and (
        whole.file.known_flaws
    )


def test_columns_have_the_quality_of_the_gauge_with_their_parameters() -> None:
    found = qualities(Benchmark(read_benchmark_file("memobench"), ()).metrics("paper"), GAUGES)
    assert (found["GT_R_SSIM"], found["GT_O_SSIM"]) == (Quality.FIDELITY, Quality.EARLY)
    assert "GT_H_SSIM" not in found and found["ObjIdentityMin"] is Quality.IDENTITY
