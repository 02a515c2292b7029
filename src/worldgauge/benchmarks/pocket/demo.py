"""The demo: a pocket benchmark of gauge blocks, one good and six faulty subjects, scored and reported."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from worldgauge.benchmarks import pocket
from worldgauge.blocks.block import Block
from worldgauge.blocks.counting import Progress, StepCounter
from worldgauge.blocks.subjects import Subject, make_subjects
from worldgauge.blocks.write import make_cases
from worldgauge.calibration.for_report import shipped_calibration
from worldgauge.core.benchmark import FILE_NAME as BENCHMARK_FILE
from worldgauge.core.benchmark import Benchmark, load_benchmark
from worldgauge.core.errors import CannotWrite
from worldgauge.core.run_folder import Run
from worldgauge.core.submission import Submission
from worldgauge.engine.evidence import stored_evidence
from worldgauge.engine.job import Job, Setup
from worldgauge.engine.plan import make_plans
from worldgauge.engine.run import execute_together
from worldgauge.engine.store import Store
from worldgauge.report.summary import write_summary
from worldgauge.report.tables import FORMATS, Table, build_table

SIZE, FRAMES = (320, 180), 33
BLOCKS = (
    Block(1, "room", "away_left", "rolling", SIZE, FRAMES, 12.0),
    Block(2, "street", "away_right", "crossing", SIZE, FRAMES, 12.0),
    Block(3, "yard", "exit_wait_reenter", "windmill", SIZE, FRAMES, 12.0),
    Block(4, "hall", "tilt", "melting", SIZE, FRAMES, 12.0),
    Block(5, "shelf", "head_turn", "inflating", SIZE, FRAMES, 12.0),
)
"""One away-and-back path and one process each; short clips of about three seconds."""
SUBJECTS = (
    Subject(),
    Subject("frozen_camera", 1.0),
    Subject("vanish", 1.0),
    Subject("identity_drift", 1.0),
    Subject("state_reset", 1.0),
    Subject("teleport", 1.0),
    # Half way: at full severity the camera can no longer be recovered, and the total would be missing.
    Subject("flicker", 0.5),
)


@dataclass(frozen=True)
class Demo:
    """Where everything of the demo lies, and how many of its cases there are."""

    folder: Path
    cases: int = len(BLOCKS)
    """The first so many of `BLOCKS`."""

    @property
    def benchmark(self) -> Path:
        """Cases and `benchmark.toml`: any model's videos can be run against it."""
        return self.folder / "benchmark"

    @property
    def subjects(self) -> Path:
        return self.folder / "subjects"

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def report(self) -> Path:
        return self.folder / "report"

    def make_benchmark(self, workers: int, progress: Progress) -> Benchmark:
        """Render the cases; finished ones are kept."""
        blocks = BLOCKS[: self.cases]
        count = StepCounter("worlds", len(blocks), progress)
        make_cases(self.benchmark, blocks, workers=workers, progress=lambda *_: count())
        shutil.copyfile(pocket.MANIFEST.folder / BENCHMARK_FILE, self.benchmark / BENCHMARK_FILE)
        return load_benchmark(str(self.benchmark))

    def make_subjects(self, benchmark: Benchmark, workers: int, progress: Progress) -> list[Path]:
        """Let every subject perform every case; finished clips are kept."""
        count = StepCounter("videos", len(SUBJECTS) * len(benchmark.cases), progress)
        return list(make_subjects(benchmark.cases, SUBJECTS, self.subjects, workers, lambda _: count()).values())

    def score(self, benchmark: Benchmark, submissions: list[Path], workers: int, progress: Progress) -> Table:
        """Run the pocket benchmark on every subject; finished records are kept."""
        count = StepCounter("scores", len(submissions) * len(benchmark.cases) * len(benchmark.file.metrics), progress)
        protocol = benchmark.file.protocols[0]
        jobs = []
        for folder in submissions:
            metrics, out = tuple(benchmark.metrics(protocol)), self.runs / folder.name
            setup = Setup(metrics=metrics, store=self.folder / "store", out=out)
            jobs.append(Job(benchmark, Submission.read(folder), setup, protocol, workers=workers))
        plans = make_plans(jobs)
        count(sum(plan.done_records for plan in plans))
        # All at once: one after the other, each would end with a worker that has nothing left to do.
        execute_together(list(zip(jobs, plans, strict=True)), lambda result: count(result.statuses.total()))
        return build_table([write_summary(job.setup.out) for job in jobs])

    def write_report(self, table: Table) -> Path:
        """The table in every format and the HTML report; returns the page to open."""
        from worldgauge.report.html import ReportSource, write_report

        try:
            self.report.mkdir(parents=True, exist_ok=True)
            for suffix, render in FORMATS.items():
                (self.report / f"table.{suffix}").write_text(render(table), "utf-8")
        except OSError as error:
            raise CannotWrite(f"cannot write to {self.report} ({error.strerror})", "choose another folder") from error
        runs = [Run(self.runs / s.name) for s in SUBJECTS]
        evidence = stored_evidence(Store(self.folder / "store"))
        source = ReportSource(runs, evidence=evidence, calibration=shipped_calibration)
        return write_report(source, self.report / "html")
