"""Importing what `--include` names: first in a process of its own, which may hang, crash or end as it likes.

Python offers no way to survive `os._exit` or a crash in one's own process, and the definitions are needed in this one.
So a file is imported twice: what ends or hangs the first process is one line that names the file.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include, included, is_included, manifests
from worldgauge.engine.limits import SETTING_UP, Limits, check_seconds, default_memory
from worldgauge.engine.memory import resident_bytes
from worldgauge.engine.processes import Death, death_by, die_with_parent, too_long, too_much
from worldgauge.engine.watch import told

_LOOK = 0.05
"""Seconds between two looks at what it takes."""
_BEGUN = "\0"
"""What it sends before it imports."""


def include_tried(path: Path, time_limit: float | None = None) -> None:
    """Bring in what `--include` names, after it was imported once in another process within the time of a metric."""
    if not is_included(path):
        limits = Limits(None if time_limit is None else check_seconds(time_limit), default_memory(1))
        failure = _tried(path, limits)
        if failure is not None:
            raise WorldGaugeError(f"--include {path}: importing it {failure.did}", failure.hint)
    include(path)


def _tried(path: Path, limits: Limits) -> Death | None:
    """What importing did to the process that tried it; None where it came to an end, with or without an error."""
    context: Any = multiprocessing.get_context("fork" if _may_fork() else "spawn")
    answer, theirs = context.Pipe(duplex=False)
    process: BaseProcess = context.Process(target=_try, args=(os.getpid(), (*included(), path), theirs))
    process.start()
    theirs.close()
    try:
        return _awaited(process, answer, limits)
    finally:
        _end(process)
        answer.close()


def _awaited(process: BaseProcess, answer: Connection, limits: Limits) -> Death | None:
    allowed, began = limits.seconds_for(0), time.monotonic()
    importing = closed = False
    while True:
        try:
            if not closed and answer.poll(_LOOK):
                said = answer.recv()
                if said != _BEGUN:
                    return Death(f"raised {said}") if said else None
                importing, began = True, time.monotonic()
        except (EOFError, OSError):
            # It is about to end, or has closed what it does not know.
            closed = True
        if not process.is_alive() and (closed or not answer.poll()):
            # One that could not even begin says nothing about the file.
            return death_by(process.exitcode or 0) if importing else None
        if time.monotonic() - began > (allowed if importing else SETTING_UP):
            return too_long(allowed) if importing else None
        taken = resident_bytes(process.pid or 0)
        if limits.memory is not None and taken is not None and taken > limits.memory:
            return too_much(limits.memory)
        if closed:
            time.sleep(_LOOK)


def _end(process: BaseProcess) -> None:
    """End the process and those that it began."""
    if hasattr(os, "killpg") and process.pid is not None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def _may_fork() -> bool:
    """Whether a copy of this process would be sound: it has one thread, native ones counted. A copy needs no time."""
    if not sys.platform.startswith("linux") or threading.active_count() > 1:
        return False
    try:
        return sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    except OSError:
        return False


def _try(parent: int, paths: Sequence[Path], answer: Connection) -> None:
    """The life of the process that tries: it prints nothing, since what is printed is printed by the second import."""
    if hasattr(os, "setsid"):
        # What it starts is ended with it, and Ctrl-C is for the one that waits.
        os.setsid()
    die_with_parent(parent)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    raised = ""
    answer.send(_BEGUN)
    try:
        for path in paths:
            include(path)
        _import_definitions(paths[-1])
    except (Exception, SystemExit):  # noqa: BLE001  the second import reports it
        raised = ""
    except BaseException as error:  # noqa: BLE001  nothing else stops the command from ending like that
        raised = told(error)
    answer.send(raised)
    # Nothing that it has registered for the end is of any use here.
    os._exit(0)


def _import_definitions(path: Path) -> None:
    """Import what a benchmark's folder brings once a name of it is requested."""
    for manifest in manifests():
        if path.is_dir() and manifest.folder == path.resolve():
            for module in (*manifest.metrics, *manifest.signals):
                manifest.resolve(module)
            for instrument in manifest.instruments.values():
                manifest.resolve(instrument)
