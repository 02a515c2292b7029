"""`evaluate`: a whole submission. `Run`: what it left, in memory of the folder it lies in."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from worldgauge.api.building import Names, Videos, build_job
from worldgauge.api.measured import Measured, Measurements, frames_of_curve
from worldgauge.api.show import TextTable, interval, need_more, number
from worldgauge.core import run_folder
from worldgauge.core.aggregate import case_direction, case_unit, score_unit
from worldgauge.core.benchmark import Benchmark
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.sources import copy_sources
from worldgauge.core.status import Status
from worldgauge.engine.local_copies import give_up, local_files
from worldgauge.engine.places import is_url
from worldgauge.engine.plan import make_plan
from worldgauge.engine.possible import refuse_in_vain
from worldgauge.engine.run import execute
from worldgauge.engine.run_places import bring, known_run, run_at
from worldgauge.engine.seats import Numerics
from worldgauge.engine.work import WorkResult
from worldgauge.report.summary import Summary, summarise, without_value, write_summary
from worldgauge.report.unofficial import UNOFFICIAL, unofficial_columns, unofficial_notes

Progress = Callable[[int, int], None]
"""Called with how many records are written and how many there will be."""


def evaluate(
    videos: Videos,
    *,
    benchmark: str | Path | Benchmark | None = None,
    data: str | Path | None = None,
    protocol: str | None = None,
    instruments: str = "auto",
    use: Iterable[str] = (),
    weights: str | Iterable[str] = (),
    metrics: Names = None,
    cases: Names = None,
    sample: float | None = None,
    out: str | Path | None = None,
    workers: int = 1,
    device: str = "auto",
    numerics: Numerics | None = None,
    progress: Progress | None = None,
) -> Run:
    """Score a submission: a folder of videos, a submission.json, a `Submission`, or case id to a path or an array.

    Without a `benchmark` every video is a case, with what lies beside it, and is measured by every metric that this
    allows; a metric that is named and that no case can have a value of is an error before any work. `sample=0.1` takes
    a tenth of the cases, every kind in proportion. With an `out` folder the same call goes on where it stopped; without
    one the result lives in a temporary folder until the `Run` is forgotten, or is kept by `Run.save`. `weights` are
    files of trained weights as `ID=PATH`, or folders of them; `use` gives a seat or a signal to another instrument,
    such as `flow=dis`. `numerics` is how networks compute on a GPU: `official`, `fast` or `exact`. Videos, data and
    `out` may be URLs, such as `s3://bucket/videos`.
    """
    folder = Path(tempfile.mkdtemp(prefix="worldgauge-run-")) if out is None else run_at(out)
    read: list[Path] = []

    def here(place: str | Path) -> Path:
        read.append(local_files(place))
        return read[-1]

    try:
        job = build_job(
            here(videos) if isinstance(videos, str) else videos,
            benchmark=here(benchmark) if isinstance(benchmark, str) and is_url(benchmark) else benchmark,
            data=None if data is None else here(data),
            protocol=protocol,
            instruments=instruments,
            use=tuple(use),
            weights=[weights] if isinstance(weights, str) else tuple(weights),
            numerics=numerics,
            metrics=metrics,
            cases=cases,
            sample=sample,
            # What was made for this call alone goes with it; else signals are shared by all runs of the user.
            store=folder / "store" if out is None else None,
            out=folder,
            workers=workers,
            device=device,
        )
        plan = make_plan(job)
        refuse_in_vain([(job, plan)])
        columns = tuple(definition.id for definition in plan.definitions)
        execute(job, plan, _counting(progress, plan.records))
        write_summary(folder)
        bring(folder)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        # A notebook lives on, and reads other videos next.
        for path in read:
            give_up(path)
    return Run(folder, temporary=out is None, excluded=job.excluded, columns=columns)


class Run(run_folder.Run):
    """A run: its table, its cases, its records."""

    def __init__(
        self,
        folder: str | Path,
        temporary: bool = False,
        excluded: Mapping[str, str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        """`columns`: the metrics that a call of `evaluate` computed, which its table is about; None: all there are."""
        super().__init__(Path(folder))
        self._columns = columns
        self.excluded = dict(excluded or {})
        """Metrics that were not tried, with the reason. Known right after `evaluate` only."""
        self._forget = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True) if temporary else None

    def summary(self) -> Summary:
        """Every score with its interval, coverage and statuses."""
        return summarise(self)

    def _own_summary(self) -> Summary:
        """Without the metrics that earlier calls have left in the folder."""
        summary = self.summary()
        return summary if self._columns is None else summary.of_columns(self._columns)

    def table(self) -> TextTable:
        """A line per metric and group: score, interval, bounds where clips have no score, unit, scored and expected."""
        summary = self._own_summary()
        units = {d.id: score_unit(d) for d in self.file.definitions}
        scores = list(summary.scores.values())
        some_open = any(s.bounds for s in scores)
        others = unofficial_columns([self])
        rows = [
            (
                s.id + (UNOFFICIAL if s.id in others else ""),
                number(s.value),
                interval(s.interval),
                *((s.bounds_in_words(number),) if some_open else ()),
                units.get(s.id, ""),
                s.coverage_in_words,
            )
            for s in scores
        ]
        unofficial = unofficial_notes([self], summary.metrics)
        notes = [*unofficial, *summary.policy_notes(), *need_more(self.excluded)]
        header = (self.name, "score", "95 % interval", *(("bounds",) if some_open else ()), "unit", "coverage")
        return TextTable.of(header, rows, notes)

    @property
    def without_value(self) -> dict[str, str]:
        """Metrics that have no value in any case, with the reason: the command would end with exit code 1 where one of
        them was named."""
        return without_value([(self._own_summary(), ())])

    @property
    def cases(self) -> dict[str, Measurements]:
        """Case id to its measurements: `run.cases["street-07"]["psnr"].value`."""
        definitions = {d.id: d for d in self.file.definitions}
        found: dict[str, dict[str, Measured]] = {}
        for record in self.records():
            definition = definitions[record["metric"]]
            curve = record.get("curve")
            found.setdefault(record["case"], {})[definition.id] = Measured(
                name=definition.id,
                value=record.get("value"),
                status=Status(record["status"]),
                unit=case_unit(definition),
                higher_is_better=case_direction(definition),
                curve=None if curve is None else tuple(curve),
                curve_frames=frames_of_curve(curve, record.get("curve_frames")),
                reason=record.get("reason", ""),
                code=record.get("code", ""),
            )
        return {case: Measurements(of_case) for case, of_case in sorted(found.items())}

    def save(self, path: str | Path) -> Run:
        """Keep the run as a folder, which `load_run`, `evaluate(out=...)` and every command understand."""
        target = Path(path)
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise WorldGaugeError(f"{target} is there already", "name a new folder")
        try:
            shutil.copytree(self.folder, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("store", ".*"))
        except OSError as error:
            raise CannotWrite(f"cannot write to {target} ({error.strerror})", "choose another folder") from error
        # Where the videos lie is told relative to the folder.
        copy_sources(self.folder, target)
        return Run(target, excluded=self.excluded, columns=self._columns)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def load_run(path: str | Path) -> Run:
    """Open a run folder, here or by URL: `load_run("runs/demo").to_pandas()`."""
    return Run(known_run(path))


def _counting(progress: Progress | None, total: int) -> Callable[[WorkResult], None]:
    done = 0

    def count(result: WorkResult) -> None:
        nonlocal done
        done += result.statuses.total() + len(result.not_stored)
        if progress is not None:
            progress(done, total)

    return count
