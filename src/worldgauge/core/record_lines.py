"""Reading `records-*.jsonl`: every line that is a whole record, and which ones are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record import SCHEMA
from worldgauge.core.status import Status

_STATUSES = frozenset(status.value for status in Status)
_TEXTS = ("case", "metric", "fingerprint", "inputs", "cluster")
_KINDS: dict[str, tuple[type, ...]] = {
    "take": (int,),
    "invocation": (int,),
    "value": (float, int),
    "raw": (float, int),
    "weight": (float, int),
    "video": (str,),
    "reason": (str,),
    "curve": (list,),
    "tags": (dict,),
}
"""Of what may be left out or null."""


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
    if record["status"] == "ok" and record.get("value") is None:
        return "ok without a value"
    for key, value in record.items():
        if value is not None and key in _KINDS and not _is_of_kind(value, _KINDS[key]):
            return f"{key} cannot be {str(value)[:20]}"
    return ""


def _is_of_kind(value: Any, kinds: tuple[type, ...]) -> bool:
    kind = type(value)
    if kind not in kinds:
        return False
    # Beyond these bounds a number is no double, or too long a way from zero to be one of ours.
    return abs(value) < _TOO_LARGE if kind is float or kind is int else True


_TOO_LARGE = 1e308
"""An integer of JSON may have any length, and 1e999 is read as infinity."""
