"""`worldgauge show`: one definition, one run, one case, or a file format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from worldgauge.cli.options import Include
from worldgauge.cli.show_benchmark import print_benchmark
from worldgauge.cli.show_column import column_definition, column_pairs, group_definition
from worldgauge.cli.show_definition import instrument_definition, metric_definition, signal_definition
from worldgauge.cli.show_names import find
from worldgauge.core.benchmark import BenchmarkFile, read_benchmark_file
from worldgauge.core.case import Case
from worldgauge.core.manifest import benchmarks
from worldgauge.core.record import Record
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_file import FILE_NAME, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.submission import SubmissionFile
from worldgauge.engine.trial_import import include_tried as bring_in
from worldgauge.report.unofficial import UNOFFICIAL, unofficial, unofficial_notes
from worldgauge.verbs import AsJson, print_json, print_note, print_pairs, print_table, say

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
    name: Annotated[
        str, typer.Argument(help="A benchmark, column, metric, signal or instrument; schema; RUN or RUN/CASE.")
    ],
    status: Annotated[str | None, typer.Option("--status", help="For a run: only records of this status.")] = None,
    include: Include = None,
    as_json: AsJson = False,
) -> None:
    """Show one definition, the records of a run or of one of its cases, or the file formats.

    \b
    Examples:
      worldgauge show psnr                               a metric; a short name will do where it is the only one
      worldgauge show BENCHMARK/COLUMN                   its metric and formula, with files and lines
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
        r
        for r in run.each_record()
        if (case is None or r["case"] == case) and (status is None or r["status"] == status)
    ]
    if not records and case is not None:
        raise unknown_name("case", case, sorted(run.tags()))
    if as_json:
        print_json(records)
        return
    others = unofficial(run)
    rows = [
        (
            r["case"],
            r["metric"] + (UNOFFICIAL if r["metric"] in others else ""),
            r["status"],
            "-" if r.get("value") is None else f"{r['value']:.4g}",
            r.get("reason", ""),
        )
        for r in records
    ]
    print_table(("case", "metric", "status", "value", "reason"), rows, numeric=(3,), keys=2)
    for note in unofficial_notes([run], {r["metric"] for r in records}):
        print_note(note)


def _definition(name: str) -> dict[str, Any]:
    if _is_benchmark(name):
        return read_benchmark_file(name).model_dump(mode="json", by_alias=True, exclude_defaults=True)
    found = find(name)
    told: dict[str, Any] = {
        "column": column_definition,
        "group": group_definition,
        "metric": metric_definition,
        "signal": signal_definition,
        "instrument": instrument_definition,
    }[found.kind](found.name)
    return told


def _is_benchmark(name: str) -> bool:
    return name in benchmarks() or Path(name).is_dir()


def _show_definition(definition: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(definition)
        return
    if "tree" in definition:
        print_pairs([("group", definition["group"])])
        for line in definition["tree"]:
            say(line)
        return
    calibration = definition.pop("calibration", [])
    pairs = (
        column_pairs(definition)
        if "column" in definition
        else [(k, _plain(v)) for k, v in definition.items() if v not in ("", [], {})]
    )
    print_pairs([*pairs, *(("calibration" if i == 0 else "", line) for i, line in enumerate(calibration))])


def _plain(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
