"""Reading `records-*.jsonl`: every line that is a whole record, and which ones are not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record import SCHEMA
from worldgauge.core.status import Status

_STATUSES = frozenset(status.value for status in Status)
_TEXTS = ("case", "metric", "fingerprint", "inputs", "cluster")


class RecordLines:
    """The records of a run folder in the order of files and lines; a torn last line is not there yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged: list[str] = []
        """`file line number: what is wrong` of every line that cannot be used; filled while reading."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.damaged.clear()
        for file in sorted(self.folder.glob("records-*.jsonl")):
            with file.open("rb") as stream:
                for number, line in enumerate(stream, start=1):
                    if not line.endswith(b"\n"):
                        break
                    try:
                        record = from_json(line, allow_inf_nan=False, cache_strings="keys")
                        problem = _problem(record)
                    except ValueError as error:
                        problem = str(error)
                    if problem:
                        self.damaged.append(f"{file.name} line {number}: {problem}")
                    else:
                        yield record


def _problem(record: Any) -> str:
    """Why a line is no record; empty where it is one."""
    if type(record) is not dict:
        return "not an object"
    schema = record.get("schema")
    if type(schema) is int and schema > SCHEMA:
        raise WorldGaugeError(
            f"the records have schema {schema}, newer than {SCHEMA}",
            "update this version",
        )
    for key in _TEXTS:
        if type(record.get(key)) is not str:
            return f"no {key}"
    if record.get("status") not in _STATUSES:
        return "no status"
    value = record.get("value")
    if value is None:
        return "ok without a value" if record["status"] == "ok" else ""
    return "" if type(value) in (float, int) and math.isfinite(value) else "the value is not a number"
