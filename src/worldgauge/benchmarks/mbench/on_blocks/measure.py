"""Measuring the panels: worlds and subjects are made once, one job per panel, one store of signals for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from worldgauge.benchmarks.mbench.on_blocks.cases import pose_block
from worldgauge.benchmarks.mbench.on_blocks.declarations import PANELS, Panel
from worldgauge.benchmarks.mbench.on_blocks.result import OnBlocks, PanelResult
from worldgauge.benchmarks.mbench.on_blocks.truth_judge import TruthJudge
from worldgauge.benchmarks.mbench.on_blocks.worlds import DOSES, FRAMES, SETS, SIZE, USUAL, WORLDS, subjects_of
from worldgauge.blocks.counting import Progress, StepCounter
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects, quantities
from worldgauge.blocks.write import make_cases
from worldgauge.calibration.responses import Floats, Scores, respond
from worldgauge.calibration.result import GaugeResult
from worldgauge.calibration.verdicts import judge
from worldgauge.core.benchmark import ONLY_PROTOCOL, Benchmark, BenchmarkFile, MetricUse
from worldgauge.core.canonical import digest_of
from worldgauge.core.case import Case
from worldgauge.core.gauge import CalibrationGauge
from worldgauge.core.run_folder import Run
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.engine.job import Job, Setup
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.engine.run_description import environment

TRUE_SEATS = {
    "poses": "rendered_poses", "depth": "rendered_clip_depth", "track": "rendered_track",
    "phrase_follower": "rendered_names", "segmenter": "rendered_people", "faces": "rendered_faces",
    "text_image": "rendered_words",
}  # fmt: skip
"""Seats that are given the truth. The others have the pocket set: matches, embedding, style features."""
STYLE = "style_features=random_style:shorter=32"
"""Small frames are looked at at half the usual size."""


@dataclass(frozen=True)
class Workshop:
    """A folder of worlds, subjects and runs. What is there is kept, so the same call goes on where it stopped."""

    folder: Path
    progress: Progress
    worlds: int = WORLDS
    """Of each set."""

    @property
    def views(self) -> Path:
        return self.folder / "views"

    @cached_property
    def _made(self) -> dict[tuple[str, tuple[str, ...]], list[Case]]:
        return {}

    def cases(self, name: str) -> list[Case]:
        """The worlds of a set."""
        key = (name, ())
        if key not in self._made:
            blocks = SETS[name].blocks(self.worlds)
            count = StepCounter(f"worlds of {name}", len(blocks), self.progress)
            self._made[key] = make_cases(self.folder / "worlds" / name, blocks, progress=lambda *_: count())
        return self._made[key]

    def subjects(self, name: str) -> Path:
        """The folder of a set's subjects."""
        return self.folder / "subjects" / name

    def make_clips(self, name: str, faults: tuple[str, ...]) -> list[Case]:
        """The worlds of a set, and every clip of these faults."""
        key = (name, faults)
        if key not in self._made:
            cases, subjects = self.cases(name), subjects_of(faults)
            count = StepCounter(f"videos of {name}", len(cases) * len(subjects), self.progress)
            make_subjects(cases, subjects, self.subjects(name), 1, lambda _: count(), views=self.views)
            self._made[key] = cases
        return self._made[key]

    def setup(self, name: str, videos: Iterable[str], own: tuple[str, ...] = ()) -> Setup:
        """Seats, with those of its own, judge, store and folder of a run; other videos make another run."""
        seats = tuple(f"{seat}={name}:folder={self.views}" for seat, name in TRUE_SEATS.items())
        return Setup(
            metrics=(),
            overrides=(*seats, STYLE, *own),
            namespace="mbench",
            store=self.folder / "store",
            out=self.folder / "runs" / f"{name}-{digest_of(sorted(videos))[:8]}",
            judge=TruthJudge(folder=str(self.views)),
        )

    def run(self, setup: Setup, benchmark: Benchmark, videos: dict[str, Video], name: str, protocol: str) -> Run:
        """Score the videos; finished records are kept."""
        job = Job(benchmark, Submission(ModelCard(name=name), videos), setup, protocol)
        plan = make_plan(job)
        count = StepCounter(f"scores of {setup.out.name}", plan.records, self.progress)
        execute(job, plan, lambda result: count(result.statuses.total()))
        return Run(setup.out)

    def measure(self, panel: Panel) -> PanelResult:
        """The answers of a panel's scores to the faults they are declared for."""
        cases = self.make_clips(panel.worlds, panel.faults)
        posed, videos = [], {}
        for subject in subjects_of(panel.faults):
            for case in cases:
                name = _name(case, subject)
                posed.append(pose_block(case, panel.setting, panel.subset).model_copy(update={"id": name}))
                videos[name] = Video(clip_path(self.subjects(panel.worlds) / subject.name, case))
        name = panel.name.replace(", ", "-").replace(" ", "_")
        setup = replace(self.setup(name, videos, panel.seats), metrics=_uses(panel))
        run = self.run(
            setup, Benchmark(BenchmarkFile(name="calibration"), tuple(posed)), videos, "subjects", ONLY_PROTOCOL
        )
        results = [self._result(gauge, panel, run, cases) for gauge in panel.gauges]
        return PanelResult(
            name=panel.name,
            worlds=panel.worlds,
            setting=panel.setting,
            subset=panel.subset,
            cases=[case.id for case in cases],
            instruments={**run.file.instruments},
            gauges=results,
        )

    def _result(self, gauge: CalibrationGauge, panel: Panel, run: Run, cases: Sequence[Case]) -> GaugeResult:
        columns = run.columns()[gauge.id]
        definition = next(d for d in run.file.definitions if d.id == gauge.id)
        values = dict(zip(columns.cases, columns.values, strict=True))

        def row(subject: Subject) -> Floats:
            return np.array([values.get(_name(case, subject), np.nan) for case in cases])

        oracle = row(Subject())
        known = oracle[np.isfinite(oracle)]
        responses = []
        for fault in (*gauge.sees, *gauge.ignores) if known.size else ():
            severities = DOSES.get(fault, USUAL)
            subjects = [Subject(fault, severity) for severity in severities]
            changed = [quantities(self.subjects(panel.worlds) / subject.name) for subject in subjects]
            quantity = np.array([[of.get(case.id, 0.0) for case in cases] for of in changed])
            scores = Scores(oracle, np.stack([row(subject) for subject in subjects]), quantity, severities)
            responses.append(respond(fault, scores, definition.higher_is_better))
        statuses = ", ".join(f"{count} {status}" for status, count in columns.count().items())
        return GaugeResult(
            id=gauge.id,
            metric=definition.metric,
            parameters=dict(gauge.parameters),
            fingerprint=definition.fingerprint,
            quality=None,
            unit=definition.unit,
            higher_is_better=definition.higher_is_better,
            oracle=float(f"{known.mean():.6g}") if known.size else None,
            reason="" if known.size else definition.unavailable or f"no world scored ({statuses})",
            responses=judge(gauge, responses),
        )


def on_blocks(shop: Workshop, panels: Iterable[Panel] = PANELS, trap: bool = True) -> OnBlocks:
    """Every panel in order, and the paper's trap."""
    from worldgauge.benchmarks.mbench.on_blocks.trap import spring

    return OnBlocks(
        worlds=shop.worlds,
        size=SIZE,
        frames=FRAMES,
        environment=environment(),
        panels=[shop.measure(panel) for panel in panels],
        trap=spring(shop) if trap else [],
    )


def _uses(panel: Panel) -> tuple[MetricUse, ...]:
    return tuple(gauge.use for gauge in panel.gauges)


def _name(case: Case, subject: Subject) -> str:
    return f"{case.id}/{subject.name}"
