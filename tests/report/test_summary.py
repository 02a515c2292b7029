"""Summaries and tables from records made by hand, so that every number has a closed form."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import helpers
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.scale import Scale
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard
from worldgauge.report.summary import summarise
from worldgauge.report.tables import build_table, to_csv, to_json, to_latex, to_markdown

Rows = dict[str, list[tuple[Status, float | None]]]


def definition(name: str, fingerprint: str = "f0", **changes: object) -> DefinitionFile:
    content = {"id": name, "fingerprint": fingerprint, "metric": name, "version": 1, "unit": "u"}
    return DefinitionFile.model_validate({**content, "higher_is_better": True, "bounds": (0, 100), **changes})


def make_run(
    folder: Path,
    rows: Rows,
    benchmark: dict[str, object] | None = None,
    cases: int | None = None,
    model: str = "m",
    baseline: str | None = None,
    flow: str = "dis",
    **changes: object,
) -> Run:
    """A run folder with these (status, value) per metric and case; every case is a cluster of its own."""
    folder.mkdir(parents=True)
    RunFile(
        benchmark=BenchmarkFile.model_validate({"name": "b", **(benchmark or {})}),
        protocol="paper",
        instruments={"flow": flow},
        model=ModelCard.model_validate({"name": model} | ({"baseline": baseline} if baseline else {})),
        cases=cases if cases is not None else max(len(r) for r in rows.values()),
        definitions=[definition(name, **changes) for name in rows],
    ).write(folder)
    lines = []
    for name, results in rows.items():
        for number, (status, value) in enumerate(results):
            lines.append(
                Record(
                    case=f"c{number}", cluster=f"c{number}", metric=name, fingerprint="f0", inputs="i", video="v",
                    status=status, value=value, raw=value, time=1.0,
                ).model_dump_json(by_alias=True)
            )  # fmt: skip
    (folder / "records-0.jsonl").write_text("".join(line + "\n" for line in lines))
    return Run(folder)


OK, MISSING, INVALID, UNSCORED, SKIPPED, ERROR = (
    Status.OK, Status.MISSING, Status.INVALID, Status.UNSCORED, Status.SKIPPED, Status.ERROR,
)  # fmt: skip
ABSENT = [(status, None) for status in (MISSING, INVALID, UNSCORED, SKIPPED, ERROR)]
MIXED: Rows = {"a": [(OK, 10.0), (OK, 20.0), *ABSENT]}


def test_absent_is_not_zero(tmp_path: Path) -> None:
    score = summarise(make_run(tmp_path / "r", MIXED)).metrics["a"]
    assert (score.value, score.counted, score.scored, score.expected) == (15.0, 2, 2, 6)
    assert score.statuses == {"ok": 2, "skipped": 1, "missing": 1, "invalid": 1, "unscored": 1, "error": 1}
    assert score.coverage == pytest.approx(1 / 3)


def test_policy_counts_absent_videos_where_the_benchmark_says_so(tmp_path: Path) -> None:
    policy = {"policy": {"missing": "worst", "invalid": 5.0}}
    score = summarise(make_run(tmp_path / "r", MIXED, policy)).metrics["a"]
    assert score.value == pytest.approx((10 + 20 + 0 + 5) / 4)
    assert (score.counted, score.scored) == (4, 2)


def test_groups_are_weighted_means_and_need_all_members(tmp_path: Path) -> None:
    tree = {
        "metric": [{"id": "a"}, {"id": "b"}],
        "group": [{"id": "pair", "of": {"a": 3, "b": 1}}, {"id": "top", "of": {"pair": 1, "a": 1}}],
    }
    whole = summarise(make_run(tmp_path / "w", {"a": [(OK, 10.0)] * 3, "b": [(OK, 50.0)] * 3}, tree))
    assert (whole.groups["pair"].value, whole.groups["top"].value) == (20.0, 15.0)
    partial = summarise(make_run(tmp_path / "p", {"a": [(OK, 10.0)] * 3, "b": [(UNSCORED, None)] * 3}, tree))
    assert partial.groups["pair"].value is None
    assert partial.groups["pair"].reason == "no score for b"
    assert partial.groups["top"].value is None
    assert partial.metrics["b"].reason == "no case scored (3 unscored)"


def test_model_level_scale_applies_to_the_mean(tmp_path: Path) -> None:
    scale = Scale.model_validate({"from": (0, 10), "level": "model"})
    run = make_run(tmp_path / "r", {"a": [(OK, 2.0), (OK, 20.0)]}, scale=scale)
    # The mean 11 lies above the range, so it is clipped; clipping each case first would give 60.
    assert summarise(run).metrics["a"].value == 100.0


def test_interval_has_the_width_the_theory_gives(tmp_path: Path) -> None:
    values = np.random.default_rng(5).normal(50, 8, size=200)
    score = summarise(make_run(tmp_path / "r", {"a": [(OK, float(v)) for v in values]})).metrics["a"]
    assert score.interval is not None
    half = (score.interval[1] - score.interval[0]) / 2
    assert half == pytest.approx(1.97 * values.std(ddof=1) / np.sqrt(200), rel=0.1)
    assert score.interval[0] < values.mean() < score.interval[1]


def test_one_cluster_has_no_interval(tmp_path: Path) -> None:
    assert summarise(make_run(tmp_path / "r", {"a": [(OK, 1.0)]})).metrics["a"].interval is None


def test_pending_cases_show(tmp_path: Path) -> None:
    score = summarise(make_run(tmp_path / "r", {"a": [(OK, 1.0)]}, cases=5)).metrics["a"]
    assert (score.statuses["pending"], score.expected, score.coverage) == (4, 5, 0.2)


def test_later_records_win_and_stale_definitions_are_ignored(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"a": [(ERROR, None), (OK, 1.0)]})
    new = Record(
        case="c0", cluster="c0", metric="a", fingerprint="f0", inputs="i", video="v",
        status=OK, value=3.0, raw=3.0, time=2.0,
    )  # fmt: skip
    stale = new.model_copy(update={"fingerprint": "old", "value": 99.0, "time": 9.0})
    lines = [record.model_dump_json(by_alias=True) + "\n" for record in (new, stale)]
    (tmp_path / "r" / "records-1.jsonl").write_text("".join(lines) + '{"torn": ')
    assert summarise(run).metrics["a"].value == 2.0
    assert [r["value"] for r in run.records()] == [3.0, 1.0]


def test_a_damaged_line_is_left_out_and_named(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"a": [(OK, 1.0)]})
    (tmp_path / "r" / "records-1.jsonl").write_text("{]\n")
    assert [r["value"] for r in run.records()] == [1.0]
    assert [line.partition(":")[0] for line in run.left_out.damaged] == ["records-1.jsonl line 1"]


@pytest.fixture
def table(tmp_path: Path) -> object:
    runs = [
        make_run(tmp_path / "r1", {"a": [(OK, 10.0), (OK, 30.0)], "b": [(OK, 1.0), (OK, 1.0)]}, model="model_1 & co"),
        make_run(tmp_path / "r2", {"a": [(OK, 50.0), (MISSING, None)], "b": [(OK, 2.0)] * 2}, model="second|best"),
        make_run(tmp_path / "r3", {"a": [(OK, 1.0), (OK, 1.0)], "b": [(UNSCORED, None)] * 2}, model="third"),
    ]
    return build_table([summarise(run) for run in runs])


def test_latex_marks_best_and_second(table: object) -> None:
    text = to_latex(table)  # type: ignore[arg-type]
    assert r"model\_1 \& co & \underline{20.00} & \underline{1.000} \\" in text
    # A best value that rests on half of the cases says so.
    assert r"second\textbar{}best & \textbf{50.00} {\scriptsize (1/2)} & \textbf{2.000} \\" in text
    assert r"third & 1.000 & -- \\" in text


def test_baselines_stand_below_and_win_nothing(tmp_path: Path) -> None:
    values = {"truth": 99.0, "good": 60.0, "fair": 40.0}
    runs = [
        make_run(tmp_path / name, {"a": [(OK, value)] * 2}, model=name, baseline="oracle" if name == "truth" else None)
        for name, value in values.items()
    ]
    mixed = build_table([summarise(run) for run in runs])
    lines = to_latex(mixed).splitlines()
    assert r"good & \textbf{60.00} \\" in lines
    assert r"fair & \underline{40.00} \\" in lines
    assert lines[lines.index(r"truth & 99.00 \\") - 1] == r"\midrule"
    assert "Baselines, not ranked: truth." in to_markdown(mixed)
    rows = csv.DictReader(io.StringIO(to_csv(mixed)))
    assert {row["model"]: row["baseline"] for row in rows} == {"truth": "oracle", "good": "", "fair": ""}
    alone = build_table([summarise(run) for run in runs[:1]])
    assert r"truth & 99.00 \\" in to_latex(alone).splitlines()


def test_a_table_of_runs_over_different_cases_says_so(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / str(n), {"a": [(OK, 1.0)] * n}, model=f"m{n}") for n in (2, 3)]
    text = to_markdown(build_table([summarise(run) for run in runs]))
    assert "2 to 3 cases." in text and "Runs cover different cases, 2 of them in common" in text


def test_where_instruments_differ_it_is_said_whose_they_are(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / m, {"a": [(OK, 1.0)] * 2}, model=m, flow=f) for m, f in zip("xyz", "pqp", strict=True)]
    assert "Instruments: flow=p." in to_markdown(build_table([summarise(runs[0]), summarise(runs[2])]))
    text = to_markdown(build_table([summarise(run) for run in runs]))
    assert "Instruments of x, z: flow=p." in text and "Instruments of y: flow=q." in text


def test_markdown_shows_coverage_where_it_is_not_full(table: object) -> None:
    text = to_markdown(table)  # type: ignore[arg-type]
    assert "| second\\|best | 50.00 (1/2) | 2.000" in text
    assert "b: no case scored (2 unscored) (third)." in text


def test_csv_and_json_carry_full_precision(table: object) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(table))))  # type: ignore[arg-type]
    assert [(r["model"], r["a"], r["a.scored"], r["a.expected"]) for r in rows] == [
        ("model_1 & co", "20.0", "2", "2"), ("second|best", "50.0", "1", "2"), ("third", "1.0", "2", "2"),
    ]  # fmt: skip
    content = json.loads(to_json(table))  # type: ignore[arg-type]
    assert content["models"][2]["scores"]["b"] == {
        "value": None, "interval": None, "bounds": [0.0, 100.0], "spread": None, "scored": 0, "counted": 0,
        "expected": 2, "statuses": {"unscored": 2}, "reason": "no case scored (2 unscored)",
        "ranks": None,
    }  # fmt: skip


def test_other_benchmarks_and_definitions_are_refused(tmp_path: Path) -> None:
    first = make_run(tmp_path / "1", {"a": [(OK, 1.0)]})
    other = make_run(tmp_path / "2", {"a": [(OK, 1.0)]}, {"name": "c"}, model="n")
    with pytest.raises(WorldGaugeError, match="runs of different benchmarks do not share a table"):
        build_table([summarise(first), summarise(other)])
    changed = make_run(tmp_path / "3", {"a": [(OK, 1.0)]}, model="n")
    file = changed.file.model_copy(update={"definitions": [definition("a", "f1", parameters={"k": 2})]})
    file.write(tmp_path / "3")
    with pytest.raises(WorldGaugeError, match="'a' means two things"):
        build_table([summarise(first), summarise(Run(tmp_path / "3"))])
    policy = make_run(tmp_path / "4", {"a": [(OK, 1.0)]}, {"policy": {"missing": 0.0}}, model="n")
    with pytest.raises(WorldGaugeError, match="different aggregation trees"):
        build_table([summarise(first), summarise(policy)])


def test_a_run_of_selected_cases_is_called_a_part(tmp_path):
    """Before, a table over selected cases did not say that it is one."""
    helpers.make_cases(tmp_path / "cases", helpers.make_videos(tmp_path / "videos", 3))
    given = ("videos", "-b", "cases", "-m", "flow_magnitude", "--out", "out")
    helpers.worldgauge("run", *given, "--case", "case-00")
    part = helpers.worldgauge("report", "out").stdout
    assert "Part of the benchmark: videos has records of 1 of 3 cases" in part.replace("\n", " ")
    helpers.worldgauge("run", *given)
    assert "Part of the benchmark" not in helpers.worldgauge("report", "out").stdout
