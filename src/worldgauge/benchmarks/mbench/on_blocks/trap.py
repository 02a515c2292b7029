"""The paper's trap: a world that does not evolve, and a camera that does not move, as models in a whole run.

Source: MBench, 5.2 (models that keep the world still score well in spatial consistency).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from worldgauge.benchmarks.mbench.data.case_parts import SETTINGS, SUBSETS
from worldgauge.benchmarks.mbench.metrics.objects import MOVED_WORDS
from worldgauge.benchmarks.mbench.on_blocks.cases import pose_blocks
from worldgauge.benchmarks.mbench.on_blocks.measure import Workshop
from worldgauge.benchmarks.mbench.on_blocks.result import Expectation
from worldgauge.blocks.subjects import Subject, clip_path
from worldgauge.core.benchmark import Benchmark, read_benchmark_file
from worldgauge.core.run_folder import Run
from worldgauge.core.video import Video
from worldgauge.report.summary import Summary, summarise
from worldgauge.stats.paired import PairedComparison, compare_paired

PROTOCOL = "paper"
ORACLE, STILL, FROZEN = Subject(), Subject("still_life", 1.0), Subject("frozen_camera", 1.0)
LEVEL = 0.05
POINTS = 100.0
"""Of a column that is told from 0 to 100."""
MOST_STATE = 0.1
A_FALL = 1.0
"""Points by which an M-Score must be lower to have fallen: pixels of two renderings differ a little."""
SPATIAL = (
    "t_geometry", "a_geometry", "t_texture", "a_texture", "a_epipolar_turning", "a_reprojection_turning",
)  # fmt: skip
"""Scores of space that have a value where a camera turns on the spot."""
_MEMORY = ("geometry", "texture", "identity", "appearance", "lighting", "style")
_TRIGGERS = ("t_trigger_object", "t_trigger_human", "t_trigger_environment")


def spring(shop: Workshop) -> list[Expectation]:
    """Score oracle and still life where something evolves, oracle and frozen camera where nothing does; the claims."""
    moving, resting = ("processes", (STILL.fault,)), ("returns", (FROZEN.fault,))
    evolving, still = (run_of(shop, *moving, subject) for subject in (ORACLE, STILL))
    found = list(_still_life(evolving, still))
    turned, frozen = (summarise(run_of(shop, *resting, subject)) for subject in (ORACLE, FROZEN))
    return [*found, *_frozen(turned, frozen)]


def run_of(shop: Workshop, worlds: str, faults: tuple[str, ...], subject: Subject) -> Run:
    """One subject as a model: every world of a set as a case of both settings and all subsets."""
    cases = shop.make_clips(worlds, faults)
    posed = pose_blocks(cases, SETTINGS, SUBSETS)
    place = shop.subjects(worlds) / subject.name
    clips = {case.id: Video(clip_path(place, case)) for case in cases}
    videos = {case.id: clips[case.cluster] for case in posed}
    benchmark = Benchmark(read_benchmark_file("mbench"), tuple(posed))
    setup = replace(shop.setup(f"trap-{worlds}-{subject.name}", videos), metrics=tuple(benchmark.metrics(PROTOCOL)))
    return shop.run(setup, benchmark, videos, subject.name, PROTOCOL)


def _still_life(evolving: Run, still: Run) -> Iterator[Expectation]:
    for column in SPATIAL:
        paired = _paired(evolving, still, column)
        below = paired.difference is None or (paired.difference < 0 and (paired.p_value or 0.0) <= LEVEL)
        claim = f"a still world is not below the oracle in {column}"
        yield Expectation(claim=claim, holds=not below, figures=_told(paired))
    for column in ("t_geometry", "a_geometry"):
        paired = _paired(evolving, still, column, _whose_target_moves(evolving, column))
        above = (paired.difference or 0.0) > 0 and (paired.p_value if paired.p_value is not None else 1.0) <= LEVEL
        claim = f"and above it in {column} where the target moves between the compared frames"
        yield Expectation(claim=claim, holds=above, figures=_told(paired))
    for column in ("t_state", "a_state"):
        values = still.columns()[column].values / POINTS
        mean = float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
        figures = f"mean {mean:.3f} of {int(np.isfinite(values).sum())} clips"
        yield Expectation(
            claim=f"its {column} is at most {MOST_STATE:g}", holds=bool(mean <= MOST_STATE), figures=figures
        )


def _frozen(turned: Summary, frozen: Summary) -> Iterator[Expectation]:
    rates = [(_value(turned, column), _value(frozen, column)) for column in _TRIGGERS]
    yield _all_of("a frozen camera lowers the trigger rate of text clips", [a > b for a, b in rates], _TRIGGERS, rates)
    for claim, names, falls in (
        ("so its M-Scores of text clips fall", [f"t_{name}_m" for name in _MEMORY], True),
        ("its M-Scores of action clips do not fall under `paper`", [f"a_{name}_m" for name in _MEMORY], False),
        (
            "they fall where the camera must have left (house columns)",
            [f"a_{name}_left_m" for name in _MEMORY],
            True,
        ),
    ):
        pairs = [(_value(turned, name), _value(frozen, name)) for name in names]
        yield _all_of(claim, [(a - b > A_FALL) is falls for a, b in pairs], names, pairs)


def _all_of(
    claim: str, holds: Sequence[bool], names: Sequence[str], pairs: Sequence[tuple[float, float]]
) -> Expectation:
    told = ", ".join(f"{name} {a:.1f} to {b:.1f}" for name, (a, b) in zip(names, pairs, strict=True))
    return Expectation(claim=claim, holds=all(holds), figures=told)


def _value(summary: Summary, column: str) -> float:
    found = summary.scores[column].value
    return float("nan") if found is None else found


def _paired(first: Run, second: Run, column: str, only: set[str] | None = None) -> PairedComparison:
    """The second less the first, over the cases that both have a value for."""
    rows = []
    for run in (second, first):
        columns = run.columns()[column]
        rows.append(dict(zip(columns.cases, columns.values / POINTS, strict=True)))
    cases = sorted(case for case in rows[0] if case in rows[1] and (only is None or case in only))
    values = [np.array([of[case] for case in cases], np.float64) for of in rows]
    return compare_paired(values[0], values[1], np.arange(len(cases)))


def _whose_target_moves(run: Run, column: str) -> set[str]:
    """Cases whose record says that the target moved between the views."""
    return {
        record["case"]
        for record in run.records()
        if record["metric"] == column and MOVED_WORDS in str(record.get("reason", ""))
    }


def _told(paired: PairedComparison) -> str:
    if paired.difference is None:
        return "no clip has both scores"
    p_value = "" if paired.p_value is None else f", p {paired.p_value:.4f}"
    return f"{paired.difference:+.3f} in {paired.cases} clips{p_value}"
