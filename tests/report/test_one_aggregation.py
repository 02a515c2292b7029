"""Whatever the tree, its reducers, scales, policies, statuses, weights and takes: all outputs tell the same scores."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldgauge.core.aggregate import direction
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status, counted_value
from worldgauge.core.submission import ModelCard
from worldgauge.report.html.page import leaderboard_cells
from worldgauge.report.html.source import ReportSource
from worldgauge.report.joint import Joint
from worldgauge.report.summary import Summary, summarise
from worldgauge.report.tables import Table, build_table, terminal_cells, to_csv, to_json, to_latex, to_markdown

CASES = 5
STATUSES = [Status.OK] * 6 + [Status.SKIPPED, Status.MISSING, Status.INVALID, Status.UNSCORED, Status.ERROR]
NAMES = ("a", "b", "c", "d")

scales = st.none() | st.fixed_dictionaries(
    {
        "from": st.sampled_from([(0.0, 10.0), (10.0, 0.0), (-2.0, 5.0)]),
        "to": st.sampled_from([(0.0, 100.0), (1.0, 0.0)]),
        "clip": st.booleans(),
        "level": st.sampled_from(["case", "model"]),
    }
)
# A number is a score that every scale here can give.
policies = st.fixed_dictionaries(
    {},
    optional={
        "missing": st.sampled_from(["worst", "exclude", 0.5]),
        "unscored": st.sampled_from(["worst", {"too-few-frames": "worst"}, {"too-few-frames": 0.5}]),
    },
) | st.just({"missing": "worst", "invalid": "worst"})


def code_of(status: Status, raw: float) -> str:
    """Reason codes of unscored records, drawn with their numbers."""
    return ("", "too-few-frames", "unavailable")[round(abs(raw) * 100) % 3] if status is Status.UNSCORED else ""


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    """A benchmark file, its definitions, and two or three models' records."""
    metrics = NAMES[: draw(st.integers(2, 4))]
    uses, definitions = [], []
    for name in metrics:
        scale = draw(scales)
        reduce = draw(st.sampled_from(["mean", "weighted_mean", "frame_mean", "pooled_ratio"]))
        uses.append({"id": name, "reduce": reduce} | ({"scale": scale} if scale else {}))
        definitions.append(
            {"id": name, "fingerprint": "f", "metric": name, "version": 1, "unit": "u", "scale": scale}
            | {"higher_is_better": draw(st.sampled_from([True, False])), "bounds": (-10, 10), "reduce": reduce}
        )
    known, groups = list(metrics), []
    for number in range(draw(st.integers(1, 2))):
        members = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
        reduce = draw(st.sampled_from(["mean", "geometric", "harmonic", "least"]))
        weights = {m: 1.0 if reduce == "least" else draw(st.sampled_from([1.0, 2.0, 0.5])) for m in members}
        groups.append({"id": f"g{number}", "of": weights, "reduce": reduce})
        known.append(f"g{number}")
    takes = draw(st.integers(1, 2))
    numbers = st.floats(-9, 9).map(lambda x: round(x, 2))
    models = [
        [
            (m, case, take, draw(st.sampled_from(STATUSES)), draw(numbers), draw(st.sampled_from([1.0, 3.0, 0.25])))
            for m in metrics
            for case in range(CASES)
            for take in range(takes)
        ]
        for _ in range(draw(st.integers(2, 3)))
    ]
    benchmark = {"name": "b", "metric": uses, "group": groups, "policy": draw(policies)}
    return {"benchmark": benchmark, "definitions": definitions, "models": models, "takes": takes}


def write_runs(world: dict[str, Any], root: Path) -> list[Run]:
    definitions = [DefinitionFile.model_validate(d) for d in world["definitions"]]
    scale = {d.id: d.scale if d.scale is not None and d.scale.level == "case" else None for d in definitions}
    runs = []
    for number, rows in enumerate(world["models"]):
        folder = root / f"m{number}"
        folder.mkdir()
        RunFile(
            benchmark=BenchmarkFile.model_validate(world["benchmark"]),
            protocol="plain",
            instruments={},
            model=ModelCard(name=f"m{number}"),
            cases=CASES,
            videos=CASES * world["takes"] if world["takes"] > 1 else 0,
            definitions=definitions,
        ).write(folder)
        lines = []
        for metric, case, take, status, raw, weight in rows:
            ok = status is Status.OK
            value = (scale[metric](raw) if scale[metric] else raw) if ok else None
            lines.append(
                Record(
                    case=f"c{case}", take=take, cluster=f"s{case % 3}", metric=metric, fingerprint="f", inputs="i",
                    video="v", status=status, value=value, raw=raw if ok else None, time=1.0,
                    weight=weight if ok and definitions[NAMES.index(metric)].reduce != "mean" else None,
                    code=code_of(status, raw),
                ).model_dump_json(by_alias=True)
            )  # fmt: skip
        (folder / "records-0.jsonl").write_text("".join(line + "\n" for line in lines))
        runs.append(Run(folder))
    return runs


Fill = dict[tuple[str, int, int], tuple[float, float]]
"""Metric, case and take to the raw value and the weight that a clip without a number is given."""


def oracle(world: dict[str, Any], rows: list[Any], fill: Fill | None = None) -> dict[str, float | None]:
    """The tree worked out with loops and plain floats, straight from the words of the documentation."""
    file = BenchmarkFile.model_validate(world["benchmark"])
    definitions = [DefinitionFile.model_validate(content) for content in world["definitions"]]
    return climb(file, {d.id: metric_score(d, file, rows, fill or {}) for d in definitions})


def metric_score(d: DefinitionFile, file: BenchmarkFile, rows: list[Any], fill: Fill) -> float | None:
    """One metric's score."""
    mine = [row for row in rows if row[0] == d.id]
    own = [w for *_, status, _, w in mine if status is Status.OK]
    usual = sum(own) / len(own) if own and d.reduce != "mean" else 1.0
    cases: list[tuple[float, float]] = []
    for case in range(CASES):
        counted, weights = [], []
        for _, _, take, status, raw, weight in (row for row in mine if row[1] == case):
            by_case = d.scale is not None and d.scale.level == "case"
            to_raw = d.scale.inverse if d.scale and not by_case else float
            code = code_of(status, raw)
            if (d.id, case, take) in fill:
                status, (raw, weight) = Status.OK, fill[d.id, case, take]
            value = d.scale(raw) if by_case and d.scale else raw
            number = counted_value(status, value, file.policy, d.worst, to_raw, code)
            weights.append(weight if status is Status.OK and d.reduce != "mean" else usual)
            if number is not None:
                counted.append((number, weights[-1]))
        if counted:
            total = sum(w for _, w in counted)
            cases.append((sum(v * w for v, w in counted) / total, sum(weights) / len(weights)))
    total = sum(w for _, w in cases)
    mean = sum(v * w for v, w in cases) / total if cases else None
    by_model = mean is not None and d.scale is not None and d.scale.level == "model"
    return d.scale(mean) if by_model and d.scale and mean is not None else mean


def climb(file: BenchmarkFile, metrics: dict[str, float | None]) -> dict[str, float | None]:
    """Metrics, then groups."""
    found = dict(metrics)
    for group in file.groups:
        members = [(found[m], w) for m, w in group.of.items()]
        total = sum(group.of.values())
        numbers = [(v, w) for v, w in members if v is not None]
        if len(numbers) < len(members):
            found[group.id] = None
        elif group.reduce == "mean":
            found[group.id] = sum(v * w for v, w in numbers) / total
        elif group.reduce == "least":
            found[group.id] = min(v for v, _ in numbers)
        elif any(v < 0 for v, _ in numbers):
            found[group.id] = None
        elif any(v == 0 for v, _ in numbers):
            found[group.id] = 0.0
        elif group.reduce == "geometric":
            found[group.id] = math.exp(sum(w * math.log(v) for v, w in numbers) / total)
        else:
            inverse = sum(w / v for v, w in numbers)
            found[group.id] = total / inverse if inverse else math.inf
    return found


def same(a: float | None, b: float | None) -> bool:
    return a == b if a is None or b is None else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def medals_of_latex(text: str, table: Table) -> dict[tuple[str, str], str]:
    """(model, column) to textbf or underline, read back from the source."""
    found = {}
    for line in text.splitlines():
        cells = line.removesuffix(r" \\").split(" & ")
        if cells[0] in {row.model for row in table.rows}:
            for column, cell in zip(table.columns, cells[1:], strict=True):
                medal = re.match(r"\\(textbf|underline)\{", cell)
                if medal:
                    found[cells[0], column.id] = medal[1]
    return found


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=25, deadline=None, suppress_health_check=QUIET)
@given(worlds())
def test_every_output_tells_the_same(world: dict[str, Any]) -> None:
    tell(world)


@pytest.mark.nightly
@settings(max_examples=1000, deadline=None, suppress_health_check=QUIET)
@given(worlds())
def test_every_output_tells_the_same_a_thousand_times(world: dict[str, Any]) -> None:
    tell(world)


def tell(world: dict[str, Any]) -> None:
    """Write the runs, read them back in every form, and compare."""
    root = Path(tempfile.mkdtemp())
    try:
        runs = write_runs(world, root)
        summaries = [summarise(run, replicates=50) for run in runs]
        check(world, runs, summaries)
    finally:
        shutil.rmtree(root)


def check(world: dict[str, Any], runs: list[Run], summaries: list[Summary]) -> None:
    table, joint, page = build_table(summaries), Joint(runs), ReportSource(runs, media=False)
    printed = json.loads(to_json(table))
    rows = list(csv.DictReader(io.StringIO(to_csv(table))))
    header, cells = terminal_cells(table)
    markdown, latex = to_markdown(table), to_latex(table)
    medals = medals_of_latex(latex, table)
    index = page.index()
    on_page = [dict(zip([c["id"] for c in index["columns"]], of_run, strict=True)) for of_run in index["scores"]]
    for k, summary in enumerate(summaries):
        expected = oracle(world, world["models"][k])
        assert list(summary.scores) == joint.tree.ids
        for i, (name, score) in enumerate(summary.scores.items()):
            assert same(score.value, expected[name]), name
            assert same(score.value, None if math.isnan(joint.scores[k, i]) else float(joint.scores[k, i]))
            content = printed["models"][k]["scores"][name]
            assert (content["value"], content["scored"], content["expected"]) == (
                score.value, score.scored, score.expected,
            )  # fmt: skip
            assert rows[k][name] == ("" if score.value is None else repr(score.value))
            assert (rows[k][f"{name}.scored"], rows[k][f"{name}.expected"]) == (str(score.scored), str(score.expected))
            shown = on_page[k][name]
            assert (shown["value"], shown["scored"], shown["expected"], shown["statuses"]) == (
                score.value, score.scored, score.expected, score.statuses,
            )  # fmt: skip
            column = next(n for n, c in enumerate(table.columns) if c.id == name)
            cell = cells[k][column + 1]
            assert cell in markdown
            if score.value is None:
                assert cell == "-"
            else:
                assert float(cell.split()[0]) == pytest.approx(score.value, abs=0.0051)
                assert (f"({score.scored}/{score.expected}" in cell) == (score.scored != score.expected)
                assert ("as worst" in cell) == (score.as_worst > 0)
            assert score.counted <= score.expected <= max(summary.run.file.expected, 1)
            assert 0 <= score.scored <= score.expected
            assert content["bounds"] == (None if score.bounds is None else list(score.bounds))
            assert shown["bounds"] == score.bounds
            if score.bounds is None:
                assert (rows[k][f"{name}.if_worst"], rows[k][f"{name}.if_best"]) == ("", "")
                continue
            ends = ["unbounded" if end is None else repr(end) for end in score.bounds]
            told = [rows[k][f"{name}.if_worst"], rows[k][f"{name}.if_best"]]
            assert told == (ends[::-1] if joint.tree.higher_is_better(name) is False else ends)
            for end, of_joint in zip(score.bounds, joint.bounds, strict=True):
                assert same(end, None if math.isinf(of_joint[k, i]) else float(of_joint[k, i]))
            low, high = score.bounds
            if score.value is not None:
                assert (low is None or low <= score.value + 1e-9) and (high is None or score.value <= high + 1e-9)
    assert header[1:] == [c.heading for c in table.columns]
    for column in table.columns:
        better = joint.tree.higher_is_better(column.id)
        assert column.higher_is_better == better
        values = [s.scores[column.id].value for s in summaries]
        known = sorted({v for v in values if v is not None}, reverse=bool(better))
        for k, value in enumerate(values):
            place = None
            if better is not None and sum(v is not None for v in values) > 1 and value in known[:2]:
                place = ("textbf", "underline")[known.index(value)]
            assert medals.get((f"m{k}", column.id)) == place
    assert_page_agrees(page, table, medals)


def assert_page_agrees(page: ReportSource, table: Table, medals: dict[tuple[str, str], str]) -> None:
    """First and second place on the page's first frame."""
    on_page = {
        (page.names[k], column): {"best": "textbf", "second": "underline"}[cell.place]
        for column, cells in leaderboard_cells(page).items()
        for k, cell in enumerate(cells)
        if cell.place
    }
    assert on_page == medals
    assert {c.id for c in page.columns} == {c.id for c in table.columns}
    better = {c.id: {1: True, -1: False, 0: None}[c.better] for c in page.columns}
    assert better == {c.id: c.higher_is_better for c in table.columns}


def test_group_of_lower_is_better_members_bolds_the_lowest(tmp_path: Path) -> None:
    """Once the worst value of such a group was bold."""
    common = {"fingerprint": "f", "version": 1, "unit": "px", "higher_is_better": False, "bounds": (0, 9)}
    definitions = [{"id": m, "metric": m, **common} for m in ("a", "b")]
    benchmark = {"name": "b", "metric": [{"id": "a"}, {"id": "b"}], "group": [{"id": "g", "of": {"a": 1, "b": 1}}]}
    models = [[(m, c, 0, Status.OK, value, 1.0) for m in ("a", "b") for c in range(CASES)] for value in (1.0, 2.0)]
    runs = write_runs({"benchmark": benchmark, "definitions": definitions, "models": models, "takes": 1}, tmp_path)
    table = build_table([summarise(run) for run in runs])
    assert medals_of_latex(to_latex(table), table)["m0", "g"] == "textbf"
    assert direction(runs[0].file.definitions[0]) is False


def test_pooled_ratio_is_sum_over_sum(tmp_path: Path) -> None:
    """Three cases of 1/2, 3/4 and 0/10: pooled 4/16, not the mean of ratios; its interval resamples scenes."""
    definition = {"id": "a", "fingerprint": "f", "metric": "a", "version": 1, "unit": "", "higher_is_better": True}
    definition |= {"bounds": (0, 1), "reduce": "pooled_ratio"}
    rows = [("a", i, 0, Status.OK, n / d, float(d)) for i, (n, d) in enumerate([(1, 2), (3, 4), (0, 10)])]
    world = {"benchmark": {"name": "b", "metric": [{"id": "a"}]}, "definitions": [definition], "models": [rows]}
    (run,) = write_runs(world | {"takes": 1}, tmp_path)
    score = summarise(run).metrics["a"]
    assert score.value == pytest.approx(4 / 16)
    assert score.interval is not None and score.interval[0] >= 0 and score.interval[1] <= 0.75
    assert np.isclose(Joint([run]).scores[0, 0], 0.25)
