"""Clips without a score do not pay: bounds against every way to fill them in, ranks, verdicts, and what is said."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from report.test_one_aggregation import CASES, NAMES, Fill, climb, code_of, metric_score, policies, scales, write_runs
from worldgauge.api.comparing import compare
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Policy, Status, counted_value
from worldgauge.core.submission import ModelCard
from worldgauge.report.card import model_card
from worldgauge.report.fit import fit_matrix
from worldgauge.report.html.page import render
from worldgauge.report.html.source import ReportSource
from worldgauge.report.places import possible_ranks
from worldgauge.report.summary import Summary, summarise
from worldgauge.report.tables import build_table, terminal_cells, to_csv, to_json, to_latex, to_markdown

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
STATUSES = [Status.OK] * 8 + [Status.MISSING, Status.INVALID, Status.UNSCORED, Status.UNSCORED, Status.ERROR]
OPEN = (Status.MISSING, Status.INVALID, Status.UNSCORED)


@st.composite
def small_worlds(draw: st.DrawFn) -> dict[str, Any]:
    """Two metrics of any kind under a group of a group, one model, few clips without a number."""
    definitions, uses = [], []
    for name in NAMES[:2]:
        scale, reduce = draw(scales), draw(st.sampled_from(["mean", "weighted_mean", "frame_mean", "pooled_ratio"]))
        uses.append({"id": name, "reduce": reduce} | ({"scale": scale} if scale else {}))
        bounds = draw(st.sampled_from([(-10, 10), (-10, math.inf), (-math.inf, math.inf)]))
        definitions.append(
            {"id": name, "fingerprint": "f", "metric": name, "version": 1, "unit": "u", "scale": scale}
            | {"higher_is_better": draw(st.sampled_from([True, False])), "bounds": bounds, "reduce": reduce}
        )
    means = st.sampled_from(["mean", "geometric", "harmonic", "least"])
    groups: list[dict[str, Any]] = [
        {"id": "g0", "of": {"a": 1.0, "b": draw(st.sampled_from([1.0, 3.0]))}, "reduce": draw(means)},
        {"id": "g1", "of": {"g0": 2.0, "a": 1.0}, "reduce": draw(means)},
    ]
    for group in groups:
        if group["reduce"] == "least":
            group["of"] = dict.fromkeys(group["of"], 1.0)
    takes = draw(st.integers(1, 2))
    numbers = st.floats(-9, 9).map(lambda x: round(x, 2))
    rows = [
        (m, case, take, draw(st.sampled_from(STATUSES)), draw(numbers), draw(st.sampled_from([1.0, 3.0, 0.25])))
        for m in NAMES[:2]
        for case in range(3)
        for take in range(takes)
    ]
    benchmark = {"name": "b", "metric": uses, "group": groups, "policy": draw(policies)}
    return {"benchmark": benchmark, "definitions": definitions, "models": [rows], "takes": takes}


def unknown_rows(d: DefinitionFile, policy: Policy, rows: list[Any]) -> list[tuple[str, int, int]]:
    """Clips of a metric without a number, for a reason that a model can cause."""
    found = []
    for metric, case, take, status, raw, _ in rows:
        code = code_of(status, raw)
        counts = counted_value(status, None, policy, d.worst, float, code) is not None
        if metric == d.id and status in OPEN and code != "unavailable" and not counts:
            found.append((metric, case, take))
    return found


def ends_in_raw(d: DefinitionFile) -> tuple[float, float]:
    """The two raw values between which a clip may lie: those of the worst and the best score, else of the metric."""
    return d.scale.source if d.scale is not None and d.scale.clip else d.bounds


def every_fill(d: DefinitionFile, policy: Policy, rows: list[Any]) -> list[Fill]:
    """All ways to put an end, and any weight that was seen, in the place of every unknown clip."""
    unknown = unknown_rows(d, policy, rows)
    seen = {w for metric, *_, status, _, w in rows if metric == d.id and status is Status.OK} or {1.0}
    weights = {1.0} if d.reduce == "mean" else {min(seen), max(seen)}
    choices = list(itertools.product(ends_in_raw(d), sorted(weights)))
    return [dict(zip(unknown, chosen, strict=True)) for chosen in itertools.product(choices, repeat=len(unknown))]


def brute_force(world: dict[str, Any]) -> dict[str, tuple[float | None, float | None] | None]:
    """The lowest and the highest score over all fills; None where all is known, an end None where it is not bounded."""
    rows, file = world["models"][0], BenchmarkFile.model_validate(world["benchmark"])
    definitions = [DefinitionFile.model_validate(d) for d in world["definitions"]]
    reachable: dict[str, list[float]] = {}
    for d in definitions:
        found = [metric_score(d, file, rows, fill) for fill in every_fill(d, file.policy, rows)]
        # What is known counts too: where only the mean is scaled, a case may lie beyond the ends of the scale.
        scores = {x for x in (*found, metric_score(d, file, rows, {})) if x is not None and not math.isnan(x)}
        reachable[d.id] = sorted({min(scores), max(scores)}) if scores else []
    trees = [
        climb(file, dict(zip(reachable, chosen, strict=True)))
        for chosen in itertools.product(*(values or [None] for values in reachable.values()))
    ]
    known = {d.id for d in definitions if not unknown_rows(d, file.policy, rows)}
    result: dict[str, tuple[float | None, float | None] | None] = {}
    for name in (*reachable, "g0", "g1"):
        values = [tree[name] for tree in trees]
        numbers = [value for value in values if value is not None]
        none = name in known if name in reachable else known == set(reachable) or not all(reachable.values())
        if none:
            result[name] = None
        else:
            # Somewhere a member is negative, and the mean has no value: nothing bounds it from below.
            low = min(numbers) if len(numbers) == len(values) else -math.inf
            high = max(numbers, default=math.inf)
            result[name] = tuple(None if math.isinf(end) else end for end in (low, high))  # type: ignore[assignment]
    return result


@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(small_worlds())
def test_bounds_are_those_of_every_way_to_fill_in(world: dict[str, Any]) -> None:
    check_bounds(world)


@pytest.mark.nightly
@settings(max_examples=2000, deadline=None, suppress_health_check=QUIET)
@given(small_worlds())
def test_bounds_are_those_of_every_way_to_fill_in_two_thousand_times(world: dict[str, Any]) -> None:
    check_bounds(world)


def check_bounds(world: dict[str, Any]) -> None:
    file = BenchmarkFile.model_validate(world["benchmark"])
    definitions = [DefinitionFile.model_validate(d) for d in world["definitions"]]
    assume(all(len(unknown_rows(d, file.policy, world["models"][0])) <= 3 for d in definitions))
    root = Path(tempfile.mkdtemp())
    try:
        (run,) = write_runs(world, root)
        scores = summarise(run, replicates=2).scores
    finally:
        shutil.rmtree(root)
    for name, expected in brute_force(world).items():
        found = scores[name].bounds
        if expected is None or found is None:
            assert found == expected, name
            continue
        for end, brute in zip(found, expected, strict=True):
            # Where one part can be endlessly good and another endlessly bad, their mean is no number: unbounded.
            assert (end is None) == (brute is None or math.isnan(brute)), (name, found, expected)
            assert end is None or brute is None or math.isclose(end, brute, rel_tol=1e-9, abs_tol=1e-9), name


intervals = st.tuples(st.integers(0, 6), st.integers(0, 4)).map(lambda pair: (float(pair[0]), float(sum(pair))))


@settings(max_examples=200, deadline=None)
@given(st.lists(intervals, min_size=2, max_size=4), st.booleans())
def test_ranks_are_those_of_every_order_that_can_be(ends: list[tuple[float, float]], higher: bool) -> None:
    found = possible_ranks(dict(enumerate(ends)), higher)
    seen: dict[int, set[int]] = {k: set() for k in range(len(ends))}
    for values in itertools.product(*ends):
        for k, value in enumerate(values):
            seen[k].add(1 + sum(other > value if higher else other < value for other in values))
    assert found == {k: (min(ranks), max(ranks)) for k, ranks in seen.items()}


Numbers = list[float | str]


def make_run(folder: Path, model: str, columns: dict[str, Numbers], policy: dict[str, Any] | None = None) -> Run:
    """A run on a scale of 0 to 100; words instead of numbers are reason codes of unscored clips."""
    folder.mkdir(parents=True)
    uses = [{"id": name, "scale": {"from": (0, 100)}} for name in columns]
    group = [{"id": "total", "of": dict.fromkeys(columns, 1)}]
    benchmark = BenchmarkFile.model_validate({"name": "b", "metric": uses, "group": group, "policy": policy or {}})
    common = {"fingerprint": "f", "metric": "m", "version": 1, "unit": "u", "higher_is_better": True}
    definitions = [DefinitionFile.model_validate({**common, **use, "bounds": (0, 100)}) for use in uses]
    cases = max(map(len, columns.values()))
    card = ModelCard(name=model)
    file = RunFile(
        benchmark=benchmark, protocol="plain", instruments={}, model=card, cases=cases, definitions=definitions
    )
    file.write(folder)
    lines = []
    for name, values in columns.items():
        for i, value in enumerate(values):
            ok = not isinstance(value, str)
            record = Record(
                case=f"c{i}", cluster=f"c{i}", metric=name, fingerprint="f", inputs="i", video="v", time=1.0,
                status=Status.OK if ok else Status.UNSCORED, value=value if ok else None, raw=value if ok else None,
                code="" if ok else value, reason="" if ok else "it could not be told",
            )  # fmt: skip
            lines.append(record.model_dump_json(by_alias=True))
    (folder / "records-0.jsonl").write_text("".join(line + "\n" for line in lines))
    return Run(folder)


POSE, FRAMES, AWAY = "pose-not-trusted", "too-few-frames", "unavailable"
COUNTED = {"unscored": {FRAMES: "worst"}}


def test_one_reason_counts_as_worst_and_another_stays_open(tmp_path: Path) -> None:
    scores = summarise(make_run(tmp_path / "r", "m", {"a": [80.0, FRAMES, POSE, 40.0]}, COUNTED)).scores
    score = scores["a"]
    assert score.value == pytest.approx((80 + 0 + 40) / 3)
    assert score.bounds == (pytest.approx(120 / 4), pytest.approx(220 / 4))
    assert (score.counted, score.scored, score.expected, score.as_worst) == (3, 2, 4, 1)
    assert (score.counted_as, score.absent) == ({FRAMES: 0.0}, {FRAMES: 1})
    assert scores["total"].counted_as == {FRAMES: "worst"}
    assert score.to_json()["as_worst"] == 1


def test_all_that_could_not_be_measured_may_count_as_worst(tmp_path: Path) -> None:
    score = summarise(make_run(tmp_path / "r", "m", {"a": [80.0, POSE, "", AWAY]}, {"unscored": "worst"})).scores["a"]
    assert score.value == pytest.approx(80 / 3)
    assert (score.bounds, score.as_worst, score.absent) == (None, 2, {POSE: 1, "unscored": 1})


def test_what_no_model_can_cause_has_no_bounds(tmp_path: Path) -> None:
    scores = summarise(make_run(tmp_path / "r", "m", {"a": [80.0, AWAY, "of-the-case"], "b": [1.0] * 3})).scores
    assert scores["a"].value == 80.0
    assert scores["a"].bounds is scores["total"].bounds is None


def test_records_from_before_there_were_codes(tmp_path: Path) -> None:
    """What the machine lacked was to be tried again, and no model could cause it."""
    run = make_run(tmp_path / "r", "m", {"a": [80.0, "", ""]})
    file = run.folder / "records-0.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        del line["code"]
    lines[1]["again"] = True
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert summarise(run).scores["a"].bounds == (40.0, 90.0)
    lines[2]["again"] = True
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert summarise(run).scores["a"].bounds is None


def test_a_total_of_nothing_measured_has_bounds_and_no_value(tmp_path: Path) -> None:
    score = summarise(make_run(tmp_path / "r", "m", {"a": [""] * 2, "b": [60.0] * 2})).scores["total"]
    assert (score.value, score.bounds) == (None, (30.0, 80.0))


@pytest.mark.parametrize(
    "policy",
    [{"unscored": {"Too few": "worst"}}, {"unscored": {AWAY: "worst"}}, {"unscored": {FRAMES: "zero"}}],
)
def test_a_policy_that_cannot_be_is_refused(policy: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"reason code|no model can cause|worst"):
        Policy.model_validate(policy)


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """An honest model of 50, one that hides half of its clips and shows 90, and one that is plainly worse."""
    columns: dict[str, Numbers] = {"honest": [50.0] * 8, "hiding": [90.0] * 4 + [POSE] * 4, "poor": [20.0] * 8}
    columns["black"] = [FRAMES] * 6 + [30.0] * 2
    beside: Numbers = [40.0] * 8
    return [make_run(tmp_path / name, name, {"a": own, "b": beside}, COUNTED) for name, own in columns.items()]


def test_the_table_marks_ranks_that_depend_on_the_bounds(runs: list[Run]) -> None:
    table = build_table([summarise(run) for run in runs])
    assert {k: table.ranks[k, "a"] for k in range(4)} == {0: (1, 2), 1: (1, 2), 2: (3, 3), 3: (4, 4)}
    header, rows = terminal_cells(table)
    column = header.index("a ↑")
    assert rows[0][column].endswith(" (*)") and rows[1][column].endswith(" (4/8*)")
    assert "*" not in rows[2][column] and rows[3][column].endswith("(2/8, 6 as worst)")
    assert "a: honest rank 1-2; hiding 45.00 to 95.00, rank 1-2." in table.notes
    assert any(note.endswith("; * where a rank depends on them:") for note in table.notes)
    assert "6 too-few-frames videos count as 0 (policy of the benchmark) (black)." in table.notes
    for width in (80, 120):
        lines = fit_matrix(header, rows, width)
        assert max(map(len, lines)) <= width
        assert sum("*)" in line for line in lines) >= 2


def test_every_format_has_bounds_and_ranks(runs: list[Run]) -> None:
    table = build_table([summarise(run) for run in runs])
    hiding = list(csv.DictReader(io.StringIO(to_csv(table))))[1]
    assert (hiding["a"], hiding["a.if_worst"], hiding["a.if_best"]) == ("90.0", "45.0", "95.0")
    assert (hiding["a.rank"], hiding["a.last_rank"], hiding["a.as_worst"]) == ("1", "2", "0")
    models = json.loads(to_json(table))["models"]
    assert (models[1]["scores"]["a"]["bounds"], models[1]["scores"]["a"]["ranks"]) == ([45.0, 95.0], [1, 2])
    assert (models[3]["scores"]["total"]["as_worst"], models[3]["scores"]["total"]["bounds"]) == (6, None)
    assert r"\textbf{90.00} {\scriptsize (4/8)}\textsuperscript{1--2}" in to_latex(table)
    assert "(4/8*) |" in to_markdown(table)
    card = model_card(summarise(runs[1]))
    assert "| a | 90 | 90 to 90 | 45 to 95 | 4/8 |" in card


def test_the_page_shows_bounds_and_ranks(runs: list[Run]) -> None:
    source = ReportSource(runs, media=False)
    page = render(source)
    assert ">bounds 45.00 – 95.00</span>" in page
    assert page.count(">rank 1–2</span>") >= 2
    assert '<span class="badge">2/8, 6 as worst</span>' in page
    index = source.index()
    a = [column["id"] for column in index["columns"]].index("a")
    assert [of_run[a] for of_run in index["ranks"]] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert index["scores"][1][a]["bounds"] == (45.0, 95.0)
    pairs = source.content("data/pairs.js").decode()
    assert '"depends":true' in pairs and '"bounds":[' in pairs


def test_compare_says_when_its_verdict_depends_on_the_bounds(tmp_path: Path) -> None:
    """90 in four of eight cases beats 50 there; whether it does over all eight, nobody knows."""
    honest = make_run(tmp_path / "h", "honest", {"a": [50.0 + i for i in range(16)], "b": [40.0] * 16})
    hiding = make_run(tmp_path / "x", "hiding", {"a": [90.0] * 8 + [POSE] * 8, "b": [40.0] * 16})
    comparison = compare(hiding, honest)
    found = comparison["a"]
    assert (found.verdict, found.depends) == ("first", True)
    assert found.bounds == (pytest.approx(45 - 57.5), pytest.approx(95 - 57.5))
    total = comparison["total"]
    assert (total.depends, total.bounds) == (True, (pytest.approx(-6.25), pytest.approx(18.75)))
    assert (comparison["b"].bounds, comparison["b"].depends) == (None, False)
    text = str(comparison)
    assert "-12.50 to +37.50" in text and "hiding *" in text and "* depends on these clips" in text
    other_way = compare(honest, hiding)["a"]
    assert (other_way.verdict, other_way.depends) == ("second", True)
    assert other_way.bounds == (pytest.approx(-37.5), pytest.approx(12.5))


def test_a_verdict_that_holds_whatever_is_unknown_is_not_marked(tmp_path: Path) -> None:
    honest = make_run(tmp_path / "h", "honest", {"a": [20.0 + i for i in range(16)]})
    better = make_run(tmp_path / "x", "better", {"a": [90.0 + i % 5 for i in range(15)] + [POSE]})
    comparison = compare(better, honest)
    assert (comparison["a"].verdict, comparison["a"].depends) == ("first", False)
    assert comparison["a"].bounds is not None
    assert "*" not in str(comparison)


def test_a_clip_that_nothing_bounds_decides(tmp_path: Path) -> None:
    """Without an end on either side no verdict holds, and the bounds say so."""
    runs = [
        make_run(tmp_path / "h", "honest", {"a": [20.0 + i for i in range(16)]}),
        make_run(tmp_path / "x", "better", {"a": [90.0 + i % 5 for i in range(15)] + [POSE]}),
    ]
    for run in runs:
        free = [d.model_copy(update={"scale": None, "bounds": (-math.inf, math.inf)}) for d in run.file.definitions]
        run.file.model_copy(update={"definitions": free}).write(run.folder)
    comparison = compare(runs[1].folder, runs[0].folder)
    assert (comparison["a"].verdict, comparison["a"].depends, comparison["a"].bounds) == ("first", True, (None, None))
    assert "unbounded to unbounded" in str(comparison)
    table = build_table([summarise(Run(run.folder)) for run in runs])
    assert "a: honest rank 1-2; better unbounded to unbounded, rank 1-2." in table.notes
    better = list(csv.DictReader(io.StringIO(to_csv(table))))[1]
    assert (better["a.if_worst"], better["a.if_best"]) == ("unbounded", "unbounded")


def test_all_known_is_told_as_ever(tmp_path: Path) -> None:
    first, second = (make_run(tmp_path / name, name, {"a": [60.0, 70.0]}) for name in ("first", "second"))
    assert "bounds" not in str(compare(first, second))
    table = build_table([summarise(first), summarise(second)])
    assert not any("*" in cell for row in terminal_cells(table)[1] for cell in row)
    assert table.ranks[0, "a"] == (1, 1)


def test_the_summary_says_it_too(tmp_path: Path) -> None:
    summary: Summary = summarise(make_run(tmp_path / "r", "m", {"a": [80.0, FRAMES, FRAMES, POSE]}, COUNTED))
    assert summary.policy_notes() == ["2 too-few-frames videos count as 0 (policy of the benchmark)"]
    assert CASES > 3
