"""One writer of a file at a time, across processes; a process that ends, however it ends, writes no longer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from worldgauge.core.errors import CannotWrite, WorldGaugeError


@contextmanager
def only_writer(file: Path) -> Iterator[None]:
    """Be the one who writes `file`; refused where another process is. The mark lies beside it, `.NAME.lock`."""
    mark = file.with_name(f".{file.name}.lock")
    try:
        stream = mark.open("a+b")
    except OSError as error:
        raise CannotWrite(
            f"cannot write to {file.parent} ({error.strerror})", "name another file with --out"
        ) from error
    with stream:
        # A mark that its last owner removed between our opening and locking it says nothing.
        if not _taken(stream) or not mark.exists() or not os.path.samestat(os.fstat(stream.fileno()), mark.stat()):
            raise WorldGaugeError(f"{file} is being written by another command", "end that one first")
        try:
            yield
        finally:
            # While it is still ours; where an open file cannot be removed, the empty mark stays.
            with suppress(OSError):
                mark.unlink()


def _taken(stream: IO[bytes]) -> bool:
    """Whether the file is now locked by us. The system takes the lock back when we end."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
