"""Running the subjects through the engine: one job, one case per world and subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from worldgauge.blocks.counting import Progress, StepCounter
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects, quantities
from worldgauge.blocks.write import make_cases
from worldgauge.calibration.presets import Preset
from worldgauge.calibration.responses import Floats, Scores, respond
from worldgauge.calibration.result import CalibrationFile, GaugeResult
from worldgauge.calibration.single_clips import with_single_clips
from worldgauge.calibration.verdicts import judge, reach_of
from worldgauge.core.benchmark import ONLY_PROTOCOL, Benchmark, BenchmarkFile
from worldgauge.core.case import Case
from worldgauge.core.gauge import CalibrationGauge
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Columns, Run
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.engine.job import Job, Setup
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.engine.run_description import environment


@dataclass(frozen=True)
class Bench:
    """A preset in a folder: everything measured there is kept, so the same call resumes."""

    preset: Preset
    folder: Path
    workers: int = 1
    includes: tuple[Path, ...] = ()
    overrides: tuple[str, ...] = ()
    """`seat=instrument:parameter=value` strings."""

    @property
    def depths(self) -> Path:
        """True depth of what the subjects show: the image depth of metrics whose own network is not here."""
        return self.folder / "depth"

    def calibrate(self, gauges: Sequence[CalibrationGauge], progress: Progress) -> CalibrationFile:
        """Make worlds and subjects, score them, and judge the declarations."""
        preset = self.preset
        cases, subjects = self.make_worlds(progress), preset.subjects()
        changed = self.make_subjects(cases, subjects, progress)
        run = self.score(cases, subjects, gauges, progress)
        columns, definitions = run.columns(), {d.id: d for d in run.file.definitions}
        results = [self._result(g, definitions[g.id], columns[g.id], cases, changed) for g in gauges]
        return CalibrationFile(
            preset=preset.name,
            kind=preset.kind,
            worlds=[case.id for case in cases],
            size=preset.size,
            frames=preset.frames,
            severities=list(preset.severities),
            held_out=preset.first_seed is None,
            instruments=run.file.instruments,
            environment=environment(),
            faults={name: FAULTS[name].quantity for name in preset.faults},
            gauges=results,
        )

    def make_worlds(self, progress: Progress) -> list[Case]:
        blocks = self.preset.blocks()
        count = StepCounter("worlds", len(blocks), progress)
        return make_cases(self.folder / "worlds", blocks, workers=self.workers, progress=lambda *_: count())

    def make_subjects(self, cases: list[Case], subjects: list[Subject], progress: Progress) -> dict[str, Floats]:
        """Subject name to what its fault changed in each world, (W,)."""
        count = StepCounter("videos", len(cases) * len(subjects), progress)
        folders = make_subjects(cases, subjects, self.folder / "subjects", self.workers, lambda _: count(), self.depths)
        found = {name: quantities(folder) for name, folder in folders.items()}
        return {name: np.array([of.get(case.id, 0.0) for case in cases]) for name, of in found.items()}

    def score(
        self, cases: list[Case], subjects: list[Subject], gauges: Sequence[CalibrationGauge], progress: Progress
    ) -> Run:
        posed, videos = [], {}
        # World by world: subjects of one world have its reference and many frames in common.
        for case in cases:
            for subject in subjects:
                name = _name(case, subject)
                posed.append(case.model_copy(update={"id": name, "cluster": case.id}))
                videos[name] = Video(clip_path(self.folder / "subjects" / subject.name, case))
        setup = Setup(
            metrics=tuple(g.use for g in gauges),
            overrides=(f"image_depth=rendered_depth:folder={self.depths}", *self.overrides),
            includes=self.includes,
            store=self.folder / "store",
            out=self.folder / "run",
        )
        benchmark = Benchmark(BenchmarkFile(name="calibration"), tuple(posed))
        job = Job(benchmark, Submission(ModelCard(name="subjects"), videos), setup, ONLY_PROTOCOL, workers=self.workers)
        plan = make_plan(job)
        count = StepCounter("scores", plan.records, progress)
        execute(job, plan, lambda result: count(result.statuses.total()))
        return Run(setup.out)

    def _result(
        self,
        gauge: CalibrationGauge,
        definition: DefinitionFile,
        columns: Columns,
        cases: list[Case],
        changed: dict[str, Floats],
    ) -> GaugeResult:
        values = dict(zip(columns.cases, columns.values, strict=True))

        def row(subject: Subject) -> Floats:
            return np.array([values.get(_name(case, subject), np.nan) for case in cases])

        severities, oracle = self.preset.severities, row(Subject())
        known = oracle[np.isfinite(oracle)]
        better, scores = definition.higher_is_better, dict[str, Scores]()
        for fault in self.preset.faults if known.size else ():
            subjects = [Subject(fault, s) for s in severities]
            quantity = np.stack([changed[s.name] for s in subjects])
            scores[fault] = Scores(oracle, np.stack([row(s) for s in subjects]), quantity, severities)
        responses = [respond(fault, of, better) for fault, of in scores.items()]
        result = GaugeResult(
            id=gauge.id,
            metric=definition.metric,
            parameters=dict(gauge.parameters),
            fingerprint=definition.fingerprint,
            quality=gauge.quality,
            unit=definition.unit,
            higher_is_better=better,
            oracle=float(f"{known.mean():.6g}") if known.size else None,
            reason="" if known.size else definition.unavailable or _why_empty(columns),
            responses=judge(gauge, responses),
        )
        gains = {fault: of.gains(better) for fault, of in scores.items()}
        return with_single_clips(result, gains, reach_of(gauge, responses))


def _name(case: Case, subject: Subject) -> str:
    return f"{case.id}/{subject.name}"


def _why_empty(columns: Columns) -> str:
    return "no world scored (" + ", ".join(f"{n} {status}" for status, n in columns.count().items()) + ")"
