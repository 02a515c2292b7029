"""Who reads a copy of files from a URL: what somebody reads makes no room for others.

A mark in the copy's folder for each process. It counts as long as the process lives, so one that was killed keeps
nothing.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from worldgauge.engine.writing import is_there

_MARK = ".read-by-"
_ELSEWHERE = 86_400.0
"""Seconds for which a mark of another machine counts, which cannot be asked: folders may lie on a disk of several."""


def note_reader(folder: Path) -> None:
    """Say that this process reads a copy, until it ends or says that it does no more."""
    _own_mark(folder).touch()


def reads(folder: Path) -> bool:
    """Whether this process has said that it reads a copy."""
    return _own_mark(folder).exists()


def forget_reader(folder: Path) -> None:
    """This process reads a copy no more."""
    # Somebody may have cleared the folder by hand.
    with suppress(OSError):
        _own_mark(folder).unlink(missing_ok=True)


def is_read(folder: Path) -> bool:
    """Whether somebody reads a copy; marks of those that are gone go."""
    found = False
    for mark in folder.glob(f"{_MARK}*"):
        host, _, pid = mark.name.removeprefix(_MARK).rpartition("-")
        with suppress(FileNotFoundError):
            alive = is_there(pid) if host == socket.gethostname() else time.time() - mark.stat().st_mtime < _ELSEWHERE
            found = found or alive
            if not alive:
                mark.unlink()
    return found


def _own_mark(folder: Path) -> Path:
    return folder / f"{_MARK}{socket.gethostname()}-{os.getpid()}"
