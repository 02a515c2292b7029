"""Submissions that show nothing of the world, held against a mediocre honest one: what any benchmark can be asked.

Whole clips of black frames, of the given frame over and over, and of noise; half of the frames ghosted or looped. In a
column whose quality such a fault destroys, the most it can have must be less than the least that a camera that drifts
half way can have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from worldgauge.blocks.faults.base import Frames
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects, reference_frames
from worldgauge.core.benchmark import Benchmark, MetricUse
from worldgauge.core.case import Case
from worldgauge.core.gauge import CalibrationGauge, Quality
from worldgauge.core.submission import FILE_NAME, ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.job import Job, Setup
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute

if TYPE_CHECKING:
    from worldgauge.report.tables import Table

HONEST = Subject("camera_drift", 0.5)
HALVES = (Subject("ghosting", 1.0), Subject("loop", 1.0))
"""Half of the frames at full severity."""


def _noise(frames: Frames) -> Frames:
    return np.random.default_rng(0).integers(0, 256, frames.shape, np.uint8)


WHOLE: dict[str, Callable[[Frames], Frames]] = {
    "black": np.zeros_like,
    "repeated": lambda frames: np.repeat(frames[:1], len(frames), axis=0),
    "noise": _noise,
}
_NOT_FOLLOWED = frozenset(
    {Quality.CAMERA, Quality.MOTION, Quality.COURSE, Quality.TIMING, Quality.DIRECTION, Quality.STATE}
)
_NOTHING_SHOWN = _NOT_FOLLOWED | {
    Quality.PRESENCE, Quality.IDENTITY, Quality.FIDELITY, Quality.EARLY, Quality.GEOMETRY, Quality.DEPTH,
    Quality.SCENERY, Quality.PICTURE,
}  # fmt: skip
DESTROYS: Mapping[str, frozenset[Quality]] = {
    # Nothing is smooth, steady, evenly lit and of one style: there these clips are what they seem.
    "black": _NOTHING_SHOWN,
    "noise": _NOTHING_SHOWN | {Quality.PHOTOMETRY, Quality.SMOOTHNESS},
    "repeated": _NOT_FOLLOWED,
    # Half of the frames stay as they are, so fidelity is lowered and not destroyed.
    HALVES[0].name: frozenset({Quality.SINGLENESS}),
    HALVES[1].name: frozenset({Quality.TIMING, Quality.COURSE, Quality.STATE}),
}
"""Submission to the qualities of which nothing is left in it."""


def make_submissions(cases: Sequence[Case], folder: Path, workers: int = 1) -> list[Path]:
    """The honest one first; finished clips are kept."""
    subjects = make_subjects(cases, (HONEST, *HALVES), folder, workers)
    return [*subjects.values(), *(_write(name, cases, folder / name) for name in WHOLE)]


def _write(name: str, cases: Sequence[Case], folder: Path) -> Path:
    from worldgauge.media.encoder import write_video

    videos = {}
    for case in cases:
        path = clip_path(folder, case)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f".partial-{path.name}")
            write_video(partial, WHOLE[name](reference_frames(case)), case.condition.fps or 16.0)
            partial.replace(path)
        videos[case.id] = Video(path)
    Submission(ModelCard(name=name), videos).write(folder / FILE_NAME)
    return folder


def at_hand(benchmark: Benchmark, protocol: str) -> Benchmark:
    """The benchmark with the columns that pocket instruments serve, and groups of these alone: not its own totals."""
    seats = choose_seats("pocket")
    able = {d.id for d in resolve(benchmark.metrics(protocol), seats) if not d.unavailable}
    uses = tuple(use for use in benchmark.file.metrics if use.id in able)
    groups = []
    for group in benchmark.file.groups:
        members = {member: weight for member, weight in group.of.items() if member in able}
        if members:
            able.add(group.id)
            groups.append(group.model_copy(update={"of": members}))
    file = benchmark.file.model_copy(update={"metrics": uses, "groups": tuple(groups)})
    return Benchmark(file, benchmark.cases)


def score(benchmark: Benchmark, protocol: str, submissions: Sequence[Path], folder: Path) -> Table:
    """All submissions in one table; finished records are kept."""
    from worldgauge.report.summary import write_summary
    from worldgauge.report.tables import build_table

    summaries = []
    for made in submissions:
        setup = Setup(
            metrics=tuple(benchmark.metrics(protocol)),
            namespace=benchmark.file.namespace,
            store=folder / "store",
            out=folder / "runs" / made.name,
        )
        job = Job(benchmark, Submission.read(made), setup, protocol)
        execute(job, make_plan(job))
        summaries.append(write_summary(setup.out))
    return build_table(summaries)


def qualities(uses: Sequence[MetricUse], gauges: Sequence[CalibrationGauge]) -> dict[str, Quality]:
    """Column to what it is declared to be about."""
    found = {}
    for use in uses:
        for gauge in gauges:
            asked = {name: value for name, value in gauge.parameters.items() if name != "protocol"}
            same = all(use.parameters.get(name) == value for name, value in asked.items())
            if gauge.use.use == use.use and same and gauge.quality is not None:
                found[use.id] = gauge.quality
    return found


def verdicts(table: Table, about: Mapping[str, Quality], totals: Sequence[str]) -> Iterator[str]:
    """A line for each column whose quality a submission destroys, then one for each total that counts it too high.

    `ok`: surely below the honest one, or without a score. `MARK`: it is or may be above, and the table marks that: the
    rank depends on clips without a score, or the benchmark knows the flaw. `MISS`: it is not below and nothing says so.
    """
    from worldgauge.report.places import ranks_in_words

    honest = next(row for row in table.rows if row.model == HONEST.name)
    for k, row in enumerate(table.rows):
        if row is honest:
            continue
        for column in table.columns:
            destroyed = about.get(column.id) in DESTROYS[row.model]
            ours, theirs = row.scores[column.id].ends, honest.scores[column.id].ends
            if column.higher_is_better is None or theirs is None or not (destroyed or column.id in totals):
                continue
            if ours is None:
                yield f"ok   {row.model}: {column.id} has no score"
                continue
            most, least = (ours[1], theirs[0]) if column.higher_is_better else (-ours[0], -theirs[1])
            marked = column.known_flaw or ranks_in_words(table.ranks.get((k, column.id)))
            word = "ok  " if most < least else "MARK" if marked else "MISS"
            yield f"{word} {row.model}: {column.id} at most {abs(most):.4g}, {honest.model} at least {abs(least):.4g}"
