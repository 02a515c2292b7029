"""A kill, played within the process: from the n-th write on nothing reaches the disk any more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from worldgauge.core.record import Record
from worldgauge.engine.records import RecordWriter
from worldgauge.engine.writing import OWNER_FILE


class Stopped(BaseException):
    """The process would be gone."""


@contextmanager
def stop_at_write(number: int, share: float) -> Iterator[None]:
    """Stop at that write, of which this share still reaches the disk."""
    left = number
    write_text, replace, os_replace, unlink = Path.write_text, Path.replace, os.replace, Path.unlink

    def stops() -> bool:
        nonlocal left
        left -= 1
        if left < -1:
            raise Stopped
        return left == -1

    def torn_text(path: Path, text: str, *more: Any, **named: Any) -> int:
        if stops():
            write_text(path, text[: int(len(text) * share)], *more, **named)
            raise Stopped
        return write_text(path, text, *more, **named)

    def no_replace(path: Path, target: Path) -> Path:
        if stops():
            raise Stopped
        return replace(path, target)

    def no_os_replace(source: Any, target: Any) -> None:
        if stops():
            raise Stopped
        os_replace(source, target)

    def torn_record(writer: RecordWriter, record: Record) -> None:
        if stops():
            line = b'{"schema":3,' + record.model_dump_json(by_alias=True, exclude_defaults=True).encode()[1:]
            writer._file.seek(0, os.SEEK_END)
            writer._file.write((line + b"\n")[: int((len(line) + 1) * share)])
            raise Stopped
        append(writer, record)

    def no_unlink(path: Path, missing_ok: bool = False) -> None:
        # A dead process does not tidy up, not even its note of who writes.
        if left >= 0 or path.name != OWNER_FILE:
            unlink(path, missing_ok)

    append = RecordWriter.append
    with ExitStack() as patched:
        for owner, name, stand_in in (
            (Path, "write_text", torn_text),
            (Path, "replace", no_replace),
            (os, "replace", no_os_replace),
            (RecordWriter, "append", torn_record),
            (Path, "unlink", no_unlink),
        ):
            patched.enter_context(mock.patch.object(owner, name, stand_in))
        yield
