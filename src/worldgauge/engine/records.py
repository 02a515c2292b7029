"""Appending records: whole lines, one file per worker, safe against being killed at any moment."""

from __future__ import annotations

import fcntl
import os
from collections import defaultdict
from pathlib import Path

from worldgauge.core.errors import CannotWrite
from worldgauge.core.record import Record
from worldgauge.core.run_folder import read_lines
from worldgauge.core.status import Status


class RecordWriter:
    """One worker's record file. The lock goes away with the process, however it ends."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        """Take the first file of the folder that no living worker holds, and cut off a torn last line."""
        number = 0
        while True:
            path = folder / f"records-{prefix}{number}.jsonl"
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            except OSError as error:
                raise _unwritable(folder, error) from error
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                os.close(descriptor)
                number += 1
        self.path = path
        self._descriptor = descriptor
        _cut_torn_line(descriptor)

    def append(self, record: Record) -> None:
        """Write one line. A line cut short by a full disk is taken back before the error is raised."""
        line = record.model_dump_json(by_alias=True, exclude_defaults=True)
        data = f'{{"schema":{record.schema_version},{line[1:]}\n'.encode()
        before = os.fstat(self._descriptor).st_size
        try:
            written = os.write(self._descriptor, data)
            if written < len(data):
                raise OSError(28, os.strerror(28))
        except OSError as error:
            os.ftruncate(self._descriptor, before)
            raise _unwritable(self.path.parent, error) from error

    def close(self) -> None:
        os.close(self._descriptor)


Finished = dict[tuple[str, int], dict[tuple[str, str, str], float]]


def finished(folder: Path) -> Finished:
    """Per case and take, the (metric, fingerprint, inputs) that need no second look, and when they were written.

    Errors are ours, so they are tried again; so is a record that a later one of other content has replaced.
    """
    latest: dict[tuple[str, int], dict[str, tuple[float, str, str, str]]] = defaultdict(dict)
    for line in read_lines(folder):
        of_video = latest[line["case"], line.get("take", 0)]
        before = of_video.get(line["metric"])
        if before is None or line["time"] >= before[0]:
            of_video[line["metric"]] = (line["time"], line["fingerprint"], line["inputs"], line["status"])
    return {
        video: {
            (metric, fingerprint, inputs): written
            for metric, (written, fingerprint, inputs, status) in metrics.items()
            if status != Status.ERROR
        }
        for video, metrics in latest.items()
    }


def _cut_torn_line(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    end = size
    while end > 0:
        start = max(0, end - 65536)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)


def _unwritable(folder: Path, error: OSError) -> CannotWrite:
    return CannotWrite(
        f"cannot write records to {folder} ({error.strerror})",
        "make it writable or free space, then run the same command again",
    )
