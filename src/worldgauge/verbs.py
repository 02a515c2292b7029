"""What commands share, ours and those a benchmark brings: flags, and printing for people and programs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.model_inputs import LEFT_OUT, WrittenInputs
from worldgauge.engine.layers import store_at
from worldgauge.engine.run_places import known_run
from worldgauge.engine.store import default_store
from worldgauge.report.steps import StepLines
from worldgauge.report.terminal import (
    duration,
    print_json,
    print_matrix,
    print_note,
    print_pairs,
    print_table,
    print_text,
    say,
)

__all__ = [
    "AsJson",
    "CaseNames",
    "DataSet",
    "JudgeName",
    "MaxCalls",
    "MaxCost",
    "RunFolder",
    "RunFolders",
    "SendTo",
    "StepLines",
    "StorePath",
    "Unofficial",
    "Where",
    "default_store",
    "duration",
    "parse_size",
    "parse_tags",
    "print_json",
    "print_left_out",
    "print_matrix",
    "print_note",
    "print_pairs",
    "print_table",
    "print_text",
    "say",
]

AsJson = Annotated[bool, typer.Option("--json", envvar="WORLDGAUGE_JSON", help="Print JSON.")]
StorePath = Annotated[
    Path | None,
    typer.Option(
        "--store",
        envvar="WORLDGAUGE_STORE",
        parser=store_at,
        metavar="FOLDER|URL",
        help="Store of signals, a folder or a URL such as s3://bucket/store; else in the user's cache.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", envvar="WORLDGAUGE_WHERE", help="Only cases with this tag: scene=indoor; repeatable."),
]
CaseNames = Annotated[
    list[str] | None, typer.Option("--case", envvar="WORLDGAUGE_CASE", help="Only this case; repeatable.")
]
JudgeName = Annotated[
    str | None,
    typer.Option(
        "--judge",
        envvar="WORLDGAUGE_JUDGE",
        help="Who answers questions: names in [judge], replay (stored answers only), scripted:FILE.py:FUNCTION.",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost", min=0, envvar="WORLDGAUGE_MAX_COST", help="What this command may spend on answers, at most."
    ),
]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", min=0, envvar="WORLDGAUGE_MAX_CALLS", help="Calls of the judge, at most.")
]
SendTo = Annotated[
    list[str] | None,
    typer.Option("--send-to", envvar="WORLDGAUGE_SEND_TO", help="Host that may get frames and texts; repeatable."),
]
DataSet = Annotated[Path, typer.Option("--data", envvar="WORLDGAUGE_DATA", help="Folder of the data set.")]
Unofficial = Annotated[
    bool,
    typer.Option(
        "--unofficial", help="Write numbers that are not official in the authors' form too, with a mark in every file."
    ),
]
"""For commands that write files in the form of a benchmark's authors."""
RunFolder = Annotated[
    Path, typer.Argument(help="Run folder of the benchmark.", parser=known_run, metavar="RUN", show_default=False)
]
RunFolders = Annotated[
    list[Path],
    typer.Argument(help="Run folders of the benchmark.", parser=known_run, metavar="RUN", show_default=False),
]


def parse_tags(where: Iterable[str]) -> dict[str, str]:
    """
    >>> parse_tags(["scene=indoor"])
    {'scene': 'indoor'}
    """
    tags = {}
    for item in where:
        tag, equals, value = item.partition("=")
        if not equals:
            raise WorldGaugeError(f"--where {item}: expected TAG=VALUE")
        tags[tag] = value
    return tags


def parse_size(text: str) -> tuple[int, int]:
    """
    >>> parse_size("720x480")
    (720, 480)
    """
    numbers = re.fullmatch(r"([0-9]{1,6})x([0-9]{1,6})", text.lower())
    width, height = map(int, numbers.groups()) if numbers else (0, 0)
    if not (width and height):
        raise WorldGaugeError(f"size '{text[:40]}' is not WxH", "write for example 720x480")
    return width, height


def print_left_out(written: WrittenInputs, out: Path) -> None:
    """Print why cases were left out of the inputs below `out`: the most frequent reasons, and the file with all."""
    lines = written.reasons()
    for line in lines[:_MOST_REASONS]:
        print_note(line)
    if len(lines) > _MOST_REASONS:
        print_note(f"{len(lines) - _MOST_REASONS} more reasons")
    if lines:
        print_note(f"every case that is left out is listed in {out / LEFT_OUT}")


_MOST_REASONS = 5
