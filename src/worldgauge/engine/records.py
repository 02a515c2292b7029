"""Appending records: whole lines, one file per worker, safe against being killed at any moment."""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from sys import intern
from typing import IO, Any

from filelock import FileLock, Timeout

from worldgauge.core.errors import CannotWrite, StopsRun
from worldgauge.core.record import Record
from worldgauge.core.record_lines import RecordLines
from worldgauge.core.status import Status


class RecordsLost(StopsRun):
    """Records that were written are not in the run folder."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"{file} was removed, replaced or cut short while records were written to it",
            "keep plug-ins and other programs away from the folder, then run the same command again",
        )
        self.file = file

    def __reduce__(self) -> Any:
        return RecordsLost, (self.file,)


class RecordWriter:
    """One worker's record file. The lock goes away with the process, however it ends."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        """Take the first file of the folder that no living worker holds, and cut off a torn last line."""
        number = 0
        while True:
            name = f"records-{prefix}{number}"
            # Beside the records, not on them: some systems let nobody read a file that is locked.
            lock = FileLock(folder / f".{name}.lock", thread_local=False)
            try:
                lock.acquire(blocking=False)
                break
            except Timeout:
                number += 1
            except OSError as error:
                raise _unwritable(folder, error) from error
        self.path = folder / f"{name}.jsonl"
        self.size = 0
        """Bytes of the file after what was written last."""
        self._lock = lock
        try:
            # Unbuffered, so that a record is on its way when `append` returns.
            self._file: IO[bytes] = self.path.open("a+b", buffering=0)
            _cut_torn_line(self._file)
        except OSError as error:
            raise _unwritable(folder, error) from error

    def append(self, *records: Record) -> None:
        """Write a line for each at once. What a full disk cuts short is taken back before the error is raised."""
        data = b"".join(map(_line, records))
        before = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(data)
            if written < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(before)
            raise _unwritable(self.path.parent, error) from error
        if before < self.size or not self._is_in_the_folder():
            raise RecordsLost(self.path)
        self.size = before + len(data)

    def _is_in_the_folder(self) -> bool:
        """Whether what is written goes to the file of that name: a plug-in may have removed it, or closed it and opened
        another one, which then has its number."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())
        except OSError:
            return False

    def close(self) -> None:
        self._file.close()
        self._lock.release()


def _line(record: Record) -> bytes:
    text = record.model_dump_json(by_alias=True, exclude_defaults=True)
    return f'{{"schema":{record.schema_version},{text[1:]}\n'.encode()


def check_written(folder: Path, sizes: Mapping[str, int]) -> None:
    """Refuse a run folder that lacks something of what was written to it: `sizes` are the bytes of each file."""
    for name, size in sizes.items():
        try:
            there = (folder / name).stat().st_size
        except OSError:
            there = 0
        if there < size:
            raise RecordsLost(folder / name)


Finished = dict[tuple[str, int], dict[tuple[str, str, str], bool]]
"""Per case and take, (metric, fingerprint, inputs) to whether it is to be tried again."""


def finished(folder: Path) -> tuple[Finished, int]:
    """What needs no second look, and the number of the next invocation. Errors are ours, so they are tried again."""
    last: dict[tuple[str, int], dict[tuple[str, str, str], tuple[int, str, bool]]] = defaultdict(dict)
    invocations = 0
    for line in RecordLines(folder):
        invocation = line.get("invocation", 0)
        invocations = max(invocations, invocation + 1)
        of_video = last[line["case"], line.get("take", 0)]
        # Millions of records say the same few things: each text is kept once.
        key = intern(line["metric"]), intern(line["fingerprint"]), intern(line["inputs"])
        if key not in of_video or invocation >= of_video[key][0]:
            of_video[key] = invocation, intern(line["status"]), line.get("again", False)
    done: Finished = {}
    while last:
        video, found = last.popitem()
        done[video] = {key: again for key, (_, status, again) in found.items() if status != Status.ERROR}
    return done, invocations


def _cut_torn_line(file: IO[bytes]) -> None:
    size = end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        file.truncate(end)


def _unwritable(folder: Path, error: OSError) -> CannotWrite:
    return CannotWrite(
        f"cannot write records to {folder} ({error.strerror})",
        "make it writable or free space, then run the same command again",
    )
