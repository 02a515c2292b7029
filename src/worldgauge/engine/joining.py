"""The records of several runs in one file: those that count, each metric and video once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from worldgauge.core.errors import CannotWrite
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status

_AT_ONCE = 10_000
_Key = tuple[str, str, int]


def join_records(runs: Sequence[Run], out: Path) -> None:
    """Write the current records of all runs into `out`. What several measured is taken from the first that has it and
    is no error; invocations are counted on from run to run."""
    file = out / "records-0.jsonl"
    partial = file.with_name(f".{file.name}.partial")
    lines = _lines(runs)
    try:
        with partial.open("w", encoding="utf-8") as stream:
            while portion := list(islice(lines, _AT_ONCE)):
                stream.writelines(portion)
        partial.replace(file)
    except OSError as error:
        raise CannotWrite(f"cannot write to {out} ({error.strerror})", "free space, then merge again") from error


def _lines(runs: Sequence[Run]) -> Iterator[str]:
    owner = _owners(runs)
    before = 0
    for number, run in enumerate(runs):
        last = -1
        for record in run.each_record():
            last = max(last, record.get("invocation", 0))
            if owner is None or owner[_key(record)] == number:
                record["invocation"] = record.get("invocation", 0) + before
                yield json.dumps(record, separators=(",", ":")) + "\n"
        before += max(len(run.file.invocations), last + 1)


def _owners(runs: Sequence[Run]) -> dict[_Key, int] | None:
    """Whose record of a metric and video is taken; None where there is one run only."""
    if len(runs) < 2:
        return None
    owner: dict[_Key, int] = {}
    failed: set[_Key] = set()
    for number, run in enumerate(runs):
        for metric, column in run.columns().items():
            for case, take, status in zip(column.cases, column.takes, column.statuses, strict=True):
                key = metric, case, take
                if key not in owner or (key in failed and status is not Status.ERROR):
                    owner[key] = number
                    failed.discard(key)
                    if status is Status.ERROR:
                        failed.add(key)
    return owner


def _key(record: dict[str, Any]) -> _Key:
    return record["metric"], record["case"], record.get("take", 0)
