"""Reading `records-*.jsonl`: every line that is a whole record, and which ones are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record import SCHEMA
from worldgauge.core.status import Status

_STATUSES = frozenset(status.value for status in Status)
_NEEDED = ("case", "metric", "fingerprint", "inputs", "cluster", "status")
_NULL = type(None)
_NUMBERS = (float, int, _NULL)
_LISTS = (list, _NULL)
_TEXTS = (str, _NULL)
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_NEEDED, (str,)),
    **dict.fromkeys(("take", "invocation"), (int,)),
    **dict.fromkeys(("value", "raw", "weight"), _NUMBERS),
    "video": _TEXTS,
    **dict.fromkeys(("reason", "code"), (str,)),
    "curve": _LISTS,
    "tags": (dict,),
    "constants": (dict,),
    "repeats": (list,),
}
"""Of each field that is read, as what it may come."""
_NO_TAGS: dict[str, str] = {}
_LARGE = 1e308
"""An integer of JSON may have any length, and 1e999 is read as infinity."""
_MANY = 2**31
"""More takes or invocations than there can be."""


def record_files(folder: Path) -> list[Path]:
    """The files with a run's records, sorted by name."""
    return sorted(folder.glob("records-*.jsonl"))


class RecordLines:
    """The records of a run folder in the order of files and lines; a torn last line is not there yet."""

    def __init__(self, folder: Path, since: Mapping[str, int] | None = None) -> None:
        """`since`: of a file by name, the byte from which it is read; line numbers are counted from there."""
        self.folder = folder
        self._since = dict(since or {})
        self.damaged: list[str] = []
        """`file line number: what is wrong` of every line that cannot be used; filled while reading."""
        self.files: list[Path] = []
        """Those that were read, as `file` counts them."""
        self.ends: dict[str, int] = {}
        """Of each file that was read, the byte behind its last whole line."""
        self.file = self.offset = 0
        """Of the record that was handed out last: which of the files, and at which byte its line begins."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.damaged.clear()
        self.files = record_files(self.folder)
        for place, file in enumerate(self.files):
            self.file, end = place, self._since.get(file.name, 0)
            with file.open("rb") as stream:
                stream.seek(end)
                for number, line in enumerate(stream, start=1):
                    if not line.endswith(b"\n"):
                        break
                    self.offset, end = end, end + len(line)
                    try:
                        record = from_json(line, allow_inf_nan=False, cache_strings="keys")
                        problem = _problem(record)
                    except ValueError as error:
                        problem = str(error)
                    if problem:
                        self.damaged.append(f"{file.name} line {number}: {problem}")
                    else:
                        yield record
            self.ends[file.name] = end


class LinesAt:
    """Record lines by their place, without reading the others."""

    def __init__(self, files: Sequence[Path]) -> None:
        """`files` as they were when the places were noted: a run that is being written may have more by now, in between
        by name."""
        self._files = list(files)
        self._opened: dict[int, mmap] = {}

    def __enter__(self) -> LinesAt:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in self._opened.values():
            opened.close()
        self._opened.clear()

    def record(self, file: int, offset: int) -> dict[str, Any]:
        """The record whose line begins at that byte of that file."""
        opened = self._opened.get(file)
        if opened is None:
            with self._files[file].open("rb") as stream:
                opened = self._opened[file] = mmap(stream.fileno(), 0, access=ACCESS_READ)
        found: dict[str, Any] = from_json(opened[offset : opened.find(b"\n", offset)], cache_strings="keys")
        return found


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
    get = record.get
    value, raw, weight = get("value"), get("raw"), get("weight")
    try:
        # A million lines come by here: what is right is seen at once, what is wrong is named below.
        right = (
            type(get("case")) is type(get("metric")) is type(get("fingerprint")) is type(get("inputs")) is str
            and type(get("cluster")) is type(get("reason", "")) is type(get("code", "")) is str
            and type(get("video")) in _TEXTS
            and type(get("tags", _NO_TAGS)) is dict
            and type(get("curve")) in _LISTS
            and type(get("take", 0)) is type(get("invocation", 0)) is int
            and -_MANY < get("take", 0) < _MANY
            and -_MANY < get("invocation", 0) < _MANY
            and (value is None or (type(value) in _NUMBERS and -_LARGE < value < _LARGE))
            and (raw is None or (type(raw) in _NUMBERS and -_LARGE < raw < _LARGE))
            and (weight is None or (type(weight) in _NUMBERS and -_LARGE < weight < _LARGE))
            and ("constants" not in record or _all_numbers(record["constants"].values()))
            and ("repeats" not in record or _all_numbers(record["repeats"]))
            and get("status") in _STATUSES
            and (value is not None or get("status") != "ok")
        )
    except (TypeError, AttributeError):
        right = False
    return "" if right else _named(record)


def _all_numbers(found: Iterable[Any]) -> bool:
    return all(type(number) in (float, int) and -_LARGE < number < _LARGE for number in found)


def _named(record: dict[str, Any]) -> str:
    """What is wrong with a line that is."""
    for key, kinds in _KINDS.items():
        if key in record and type(record[key]) not in kinds:
            return f"{key} cannot be {str(record[key])[:20]}"
        if key not in record and key in _NEEDED:
            return f"no {key}"
    if record["status"] not in _STATUSES:
        return "no status"
    for key in ("constants", "repeats"):
        found = record.get(key, ())
        if not _all_numbers(found.values() if isinstance(found, dict) else found):
            return f"{key} are not numbers"
    counts = record.get("take", 0), record.get("invocation", 0)
    large = record.get("value") is not None or any(not -_MANY < count < _MANY for count in counts)
    return "a number is too large" if large else "ok without a value"
