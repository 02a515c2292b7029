"""One writer at a time for each run folder. Readers never wait."""

from __future__ import annotations

import getpass
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from worldgauge.core.errors import CannotWrite, WorldGaugeError

LOCK_FILE, OWNER_FILE = ".writer.lock", ".writer.json"


class Busy(WorldGaugeError):
    """Somebody else writes to the folder."""


@contextmanager
def writing(folder: Path, break_lock: bool = False) -> Iterator[None]:
    """Hold the folder. The system frees the lock with the process, so what a killed run leaves is taken over.

    A lock that another machine left on a shared disk cannot be told from a living one: `break_lock` breaks it.
    """
    lock, owner_file = FileLock(folder / LOCK_FILE, thread_local=False), folder / OWNER_FILE
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise Busy(
            f"another run writes to {folder} ({told(_owner(owner_file))})",
            "wait for it to end, or choose another folder with --out",
        ) from None
    except OSError as error:
        raise CannotWrite(f"cannot write to {folder} ({error.strerror})", "choose another folder with --out") from error
    try:
        _take_over(owner_file, break_lock)
        try:
            yield
        finally:
            owner_file.unlink(missing_ok=True)
    finally:
        lock.release()


def owner_of(folder: Path) -> dict[str, Any]:
    """Who writes to a folder, or was killed while it did; empty where nobody is."""
    return _owner(folder / OWNER_FILE)


def writes_here(folder: Path) -> bool:
    """Whether a process of this machine writes to a folder of it."""
    owner = owner_of(folder)
    return owner.get("host") == socket.gethostname() and is_there(owner.get("pid"))


def is_there(pid: Any) -> bool:
    """Whether this machine has a process of that number."""
    try:
        number = int(pid)
        if number > 0:
            os.kill(number, 0)
    except PermissionError:
        # Somebody else's, and there.
        return True
    except (ProcessLookupError, ValueError, TypeError, OverflowError):
        return False
    return number > 0


def _take_over(owner_file: Path, break_lock: bool) -> None:
    folder, owner = owner_file.parent, _owner(owner_file)
    if owner and owner.get("host") != socket.gethostname() and not break_lock:
        raise WorldGaugeError(
            f"{folder} was locked on another machine and not released ({told(owner)})",
            "wait for that run to end; if it is gone, say --break-lock",
        )
    try:
        owner_file.write_text(json.dumps(whoami()), "utf-8")
    except OSError as error:
        raise CannotWrite(f"cannot write to {folder} ({error.strerror})", "free space, then run again") from error


def whoami() -> dict[str, Any]:
    """This process, as others are told of it."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):
        # A user without a name, as in some containers and on some systems.
        user = ""
    return {"host": socket.gethostname(), "pid": os.getpid(), "user": user, "since": time.time()}


def _owner(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def told(owner: dict[str, Any]) -> str:
    """An owner in words."""
    if not owner:
        return "owner unknown"
    since = owner.get("since")
    # What is no time at all, such as NaN or a number of a thousand digits, is left out.
    is_time = isinstance(since, (int, float)) and 0 < since < 1e12
    age = f", for {max(0, round((time.time() - float(since or 0)) / 60))} min" if is_time else ""
    return f"process {owner.get('pid')} of {owner.get('user') or 'somebody'} on {owner.get('host')}{age}"
