"""`worldgauge show`: one definition, one run, one case, or a file format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from worldgauge.cli.options import Include
from worldgauge.cli.show_benchmark import print_benchmark
from worldgauge.core.benchmark import BenchmarkFile, read_benchmark_file
from worldgauge.core.case import Case
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.manifest import benchmarks
from worldgauge.core.manifest import include as bring_in
from worldgauge.core.metric import METRICS
from worldgauge.core.record import Record
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_folder import FILE_NAME, Run, RunFile
from worldgauge.core.signal import SIGNALS
from worldgauge.core.submission import SubmissionFile
from worldgauge.engine.definitions import choose_seats, describe_signal
from worldgauge.verbs import AsJson, print_json, print_pairs, print_table

app = typer.Typer()

_FORMATS: dict[str, type[BaseModel]] = {
    "record": Record,
    "case": Case,
    "submission": SubmissionFile,
    "run": RunFile,
    "benchmark": BenchmarkFile,
}


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A metric, signal, instrument or benchmark; schema; RUN or RUN/CASE.")],
    status: Annotated[str | None, typer.Option("--status", help="For a run: only records of this status.")] = None,
    include: Include = None,
    as_json: AsJson = False,
) -> None:
    """Show one definition, the records of a run or of one of its cases, or the file formats.

    \b
    Examples:
      worldgauge show psnr
      worldgauge show runs/blocks/oracle/street-0007     one case: every record with its reason
      worldgauge show schema                             JSON schema of a record; schema:case, schema:run, ...
    """
    for file in include or []:
        bring_in(file)
    if name == "schema" or name.startswith("schema:"):
        print_json(_schema(name.partition(":")[2] or "record"))
        return
    found = _run_and_case(name)
    if found is not None:
        _show_records(found[0], found[1], status, as_json)
        return
    if not as_json and _is_benchmark(name):
        print_benchmark(read_benchmark_file(name))
        return
    _show_definition(_definition(name), as_json)


def _schema(which: str) -> dict[str, Any]:
    if which not in _FORMATS:
        raise unknown_name("format", which, list(_FORMATS))
    return _FORMATS[which].model_json_schema(by_alias=True)


def _run_and_case(name: str) -> tuple[Run, str | None] | None:
    """A run folder, or a run folder with a case id below it; case ids may hold slashes themselves."""
    path = Path(name)
    for folder in [path, *path.parents]:
        if (folder / FILE_NAME).is_file():
            return Run(folder), path.relative_to(folder).as_posix() if folder != path else None
    return None


def _show_records(run: Run, case: str | None, status: str | None, as_json: bool) -> None:
    records = [
        r for r in run.records() if (case is None or r["case"] == case) and (status is None or r["status"] == status)
    ]
    if not records and case is not None:
        raise unknown_name("case", case, sorted({r["case"] for r in run.records()}))
    if as_json:
        print_json(records)
        return
    rows = [
        (
            r["case"],
            r["metric"],
            r["status"],
            "-" if r.get("value") is None else f"{r['value']:.4g}",
            r.get("reason", ""),
        )
        for r in records
    ]
    print_table(("case", "metric", "status", "value", "reason"), rows, numeric=(3,))


def _definition(name: str) -> dict[str, Any]:
    if name in METRICS.names():
        metric = METRICS.get(name)
        seats = choose_seats()
        return {
            "metric": name,
            "version": metric.version,
            "what": metric.summary,
            "unit": metric.unit,
            "better": {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better],
            "bounds": [str(b) if abs(b) == float("inf") else b for b in metric.bounds],
            "needs": list(metric.inputs()),
            "parameters": dict(metric.defaults),
            "signals": [describe_signal(use, seats) for use in metric.needs],
            "source": f"{metric.function.__module__}.{metric.function.__name__}",
            "calibration": _calibration(name),
        }
    if name in SIGNALS.names():
        signal = SIGNALS.get(name)
        return describe_signal(signal(), choose_seats()) | {
            "what": signal.summary,
            "reads": list(signal.reads),
            "kept": signal.kept,
            "source": f"{signal.function.__module__}.{signal.function.__name__}",
        }
    if name in INSTRUMENTS.names():
        instrument = INSTRUMENTS.get(name)()
        what = " ".join((type(instrument).__doc__ or "").split("\n\n")[0].split())
        return {"instrument": name, "seat": instrument.seat, "what": what} | instrument.identity()
    if _is_benchmark(name):
        return read_benchmark_file(name).model_dump(mode="json", by_alias=True, exclude_defaults=True)
    known = [*METRICS.names(), *SIGNALS.names(), *INSTRUMENTS.names(), *benchmarks()]
    raise unknown_name("name", name, known)


def _is_benchmark(name: str) -> bool:
    return name in benchmarks() or Path(name).is_dir()


def _calibration(metric: str) -> list[str]:
    """What the shipped calibration says about a metric."""
    from worldgauge.calibration import lines_about

    return lines_about(metric) or ["not calibrated"]


def _show_definition(definition: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(definition)
        return
    import json

    calibration = definition.pop("calibration", [])
    print_pairs(
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in definition.items()
    )
    print_pairs(("calibration" if i == 0 else "", line) for i, line in enumerate(calibration))
