"""The door for every file of a user that is not a video: checked before it is read, refused in one line.

Regular files only (a FIFO or a device would hang), a limit on the size, UTF-8, and for JSON and TOML limits on nesting
and on the length of numbers. Arrays and pictures have modules of their own beside this one.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from worldgauge.core.errors import WorldGaugeError

TEXT_LIMIT = 32 * 2**20
"""Bytes of a JSON, CSV or text file. Parsed, such a file may take twenty times as much."""
TOML_LIMIT = 2**20
"""Bytes; the parser is slow, and these files are written by hand."""
LINES_LIMIT = 4 * 2**30
"""Bytes of a file that is read line by line."""
LINE_LIMIT = 16 * 2**20
"""Bytes of one of its lines."""
DEPTH_LIMIT = 64
"""Levels of lists and objects inside one another."""
DIGITS_LIMIT = 40
"""Digits of an integer."""

_MODEL = TypeVar("_MODEL", bound=BaseModel)
# The closing quote may be missing, so that a torn text is passed over once and not once for every quote in it.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def check_file(file: Path, limit: int, missing: str = "") -> int:
    """Size of a regular file; everything else is refused before it is opened. `missing` says what to do without it."""
    try:
        found = os.stat(file)  # noqa: PTH116  follows links, and tells a loop of links from a missing file
    except FileNotFoundError as error:
        raise WorldGaugeError(f"{file} does not exist", missing) from error
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise WorldGaugeError(f"{file} is {_kind(found.st_mode)}, not a file", "name a regular file")
    if found.st_size > limit:
        raise _too_large(file, found.st_size, limit)
    return found.st_size


def read_bytes(file: Path, limit: int = TEXT_LIMIT, missing: str = "") -> bytes:
    """The content of a regular file."""
    check_file(file, limit, missing)
    try:
        with file.open("rb") as stream:
            # Some files, as those below /proc, hold more than they say.
            content = stream.read(limit + 1)
    except OSError as error:
        raise _unreadable(file, error) from error
    if len(content) > limit:
        raise _too_large(file, len(content), limit)
    return content


def read_text(file: Path, limit: int = TEXT_LIMIT, missing: str = "") -> str:
    """The text of a UTF-8 file; a byte order mark is dropped."""
    return _decoded(read_bytes(file, limit, missing), str(file))


def read_json(file: Path, *, unique: bool = False, finite: bool = True, missing: str = "") -> Any:
    """The content of a JSON file. `unique` refuses a key that stands twice, `finite` NaN and infinities."""
    return parse_json(read_bytes(file, missing=missing), str(file), unique=unique, finite=finite)


def parse_json(content: str | bytes, where: str, *, unique: bool = False, finite: bool = True) -> Any:
    """A JSON text; `where` names it in messages."""
    raw = content.encode(errors="surrogatepass") if isinstance(content, str) else content
    _check_depth(raw, where)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            twice = next(key for key, count in Counter(key for key, _ in items).items() if count > 1)
            raise WorldGaugeError(f"{where} names '{twice}' twice", "keep one of the entries")
        return found

    def whole(digits: str) -> int:
        if len(digits) > DIGITS_LIMIT:
            raise WorldGaugeError(f"{where} holds a number of {len(digits)} digits", "no number here needs so many")
        return int(digits)

    def real(digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            raise WorldGaugeError(f"{where} holds the number {digits[:20]}, which is too large", "correct it")
        return number

    def constant(name: str) -> float:
        raise WorldGaugeError(f"{where} holds {name}, which is not a number", "correct or leave out the value")

    try:
        return json.loads(
            _decoded(raw, where),
            object_pairs_hook=pairs if unique else None,
            parse_int=whole,
            parse_float=real if finite else None,
            parse_constant=constant if finite else None,
        )
    except json.JSONDecodeError as error:
        raise WorldGaugeError(f"{where} is not valid JSON (line {error.lineno}: {error.msg})") from error


def read_json_lines(file: Path, missing: str = "") -> Iterator[tuple[int, Any]]:
    """Line number and content of every line that is not empty, one at a time."""
    for number, line in read_lines(file, missing):
        yield number, parse_json(line, f"{file} line {number}")


def read_lines(file: Path, missing: str = "") -> Iterator[tuple[int, bytes]]:
    """Number and bytes of every line that is not empty, without holding the file."""
    check_file(file, LINES_LIMIT, missing)
    try:
        with file.open("rb") as stream:
            for number, line in enumerate(iter(lambda: stream.readline(LINE_LIMIT + 1), b""), start=1):
                if len(line) > LINE_LIMIT:
                    raise WorldGaugeError(f"{file} line {number} is longer than {_size(LINE_LIMIT)}")
                if line.strip():
                    yield number, line
    except OSError as error:
        raise _unreadable(file, error) from error


def read_toml(file: Path, missing: str = "") -> dict[str, Any]:
    """The content of a TOML file."""
    text = read_text(file, TOML_LIMIT, missing)
    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise _too_deep(str(file)) from error
    except ValueError as error:
        # Beside its own errors those of numbers and dates: a line each.
        raise WorldGaugeError(f"{file} is not valid TOML ({str(error)[:200]})") from error
    _check_nesting(content, str(file))
    return content


def read_toml_as(model: type[_MODEL], file: Path, missing: str = "") -> _MODEL:
    """A TOML file as the model that describes it."""
    return validated(model, read_toml(file, missing), str(file))


def validated(model: type[_MODEL], content: Any, where: str) -> _MODEL:
    """Content as a model; the first thing that is wrong with it in one line."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise WorldGaugeError(f"{where}: {first_problem(error)}") from error


def first_problem(error: ValidationError) -> str:
    """One line for the first of pydantic's findings."""
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part)[:80] for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else problem["msg"]


def read_rows(file: Path, delimiter: str = ",", missing: str = "") -> list[list[str]]:
    """Rows of a CSV file."""
    text = read_text(file, missing=missing)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise WorldGaugeError(f"{file} is not a readable table ({error})") from error


def read_table(file: Path, columns: Sequence[str], missing: str = "") -> list[dict[str, str]]:
    """Rows of a CSV file by column name. A cell that is not there is empty; all of `columns` must have a name."""
    rows = [row for row in read_rows(file, missing=missing) if row]
    header = [name.strip() for name in rows[0]] if rows else []
    lacking = next((name for name in columns if name not in header), None)
    if lacking is not None:
        found = ", ".join(filter(None, header))[:200]
        raise WorldGaugeError(f"{file} has no column '{lacking}' (it has {found or 'none'})")
    return [dict.fromkeys(header, "") | dict(zip(header, row, strict=False)) for row in rows[1:]]


def _decoded(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WorldGaugeError(f"{where} is not UTF-8 text (byte {error.start})", "save it as UTF-8") from error


def _check_depth(content: bytes, where: str) -> None:
    """Refuse nesting before the parser meets it: brackets outside strings, counted."""
    if content.count(b"[") + content.count(b"{") <= DEPTH_LIMIT:
        return
    brackets = np.frombuffer(_STRING.sub(b"", content).translate(None, _NOT_BRACKETS), np.uint8)
    opening = (brackets == ord("[")) | (brackets == ord("{"))
    if np.where(opening, np.int8(1), np.int8(-1)).cumsum(dtype=np.int32).max(initial=0) > DEPTH_LIMIT:
        raise _too_deep(where)


def _check_nesting(content: Any, where: str) -> None:
    """The same for what was parsed already: dotted keys of TOML nest without a bracket."""
    level = [content]
    for _ in range(DEPTH_LIMIT):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise _too_deep(where)


def _too_deep(where: str) -> WorldGaugeError:
    return WorldGaugeError(f"{where} is nested more than {DEPTH_LIMIT} levels deep", "no file of this kind is")


def _too_large(file: Path, size: int, limit: int) -> WorldGaugeError:
    return WorldGaugeError(f"{file} is too large ({_size(size)}, at most {_size(limit)})", "is it the right file?")


def _unreadable(file: Path, error: OSError | ValueError) -> WorldGaugeError:
    return WorldGaugeError(f"{file} cannot be read ({getattr(error, 'strerror', None) or error})")


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def _size(count: int) -> str:
    """
    >>> _size(64 * 2**20), _size(4 * 2**30)
    ('64 MiB', '4 GiB')
    """
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count} bytes"
