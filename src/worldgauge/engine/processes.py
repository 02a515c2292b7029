"""Worker processes of this machine, one pipe each, so that it is known which one died, on what, and why."""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

from worldgauge.core.contents import remember_files
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include
from worldgauge.engine.job import Setup
from worldgauge.engine.limits import SETTING_UP, Limits, gigabytes
from worldgauge.engine.memory import keep_freed_memory, resident_bytes
from worldgauge.engine.surroundings import one_opencv_thread
from worldgauge.engine.team import quick_switching
from worldgauge.engine.watch import IMPORTING, NOTHING, Slot
from worldgauge.engine.work import NamedStep, Worker, WorkItem, WorkResult
from worldgauge.engine.work_items import Step

log = logging.getLogger(__name__)

_LOOK = 0.1
"""Seconds between two looks at what the workers take."""
_AHEAD, _QUICK, _SMALL = 4, 0.05, 16_384
"""Items a worker is given at once where one takes less than that many seconds and bytes: it need not wait for the
next, which slow items must do, lest one worker idles while another has two of them."""


@dataclass(frozen=True)
class _Ready:
    """A worker can begin."""

    steps: tuple[NamedStep, ...]


class Death(NamedTuple):
    """Why a worker is no more: what the code it ran did, and what to do about it."""

    did: str
    hint: str = ""

    def twice(self) -> str:
        return f"{self.did}, twice" + (f"; {self.hint}" if self.hint else "")


def death_by(code: int) -> Death:
    """How a process died that ended with an exit code, a negative one for a signal."""
    if code >= 0:
        return Death(f"ended its process with exit code {code}")
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGKILL":
        return Death(f"killed its process ({name})", "if memory ran out, use fewer workers or a smaller clip")
    return Death(f"killed its process ({name})")


def too_long(seconds: float) -> Death:
    """The end of what took more time than it may."""
    return Death(f"took longer than {seconds:g} s", "raise --time-limit if it needs that")


def too_much(memory: int) -> Death:
    """The end of what took more memory than it may."""
    return Death(f"took more than {gigabytes(memory)}", "raise --max-memory or use fewer workers")


class WorkerProcess:
    """One worker seen from the main process. It does its items in the order they were given."""

    def __init__(self, setup: Setup, perceive: bool) -> None:
        # Fresh interpreters: forking a process that has threads or a GPU context is a known way to hang.
        context = multiprocessing.get_context("spawn")
        self.device = setup.device
        self._ahead = setup.ahead
        self._slot: Slot = context.RawValue(Slot, NOTHING, 0, SETTING_UP, 0)
        self._pipe, theirs = context.Pipe()
        arguments = (os.getpid(), setup, perceive, theirs, self._slot)
        self._process = context.Process(target=_work, args=arguments)
        self._process.start()
        theirs.close()
        self.items: deque[WorkItem] = deque()
        """What it was given and has not answered, the one it is at first."""
        self.was_ready = False
        self._waiting: deque[bytes] = deque()
        """Items that it has not been sent."""
        self._sent = 0
        self._answered = time.monotonic()
        self._seconds = 1.0
        """What the last item took."""
        self._given = 0
        self._steps: tuple[NamedStep, ...] = ()
        """What it calls its steps."""
        self._changes, self._changed = 0, time.monotonic()
        """The slot's count of changes, and when it was last seen to grow."""
        self._looked = 0.0

    @property
    def takes_more(self) -> bool:
        """Whether it would do to give it an item before it has answered the last."""
        if any(item.alone for item in self.items):
            return False
        if self._ahead > 1:
            return self.was_ready and len(self.items) < self._ahead and not self._waiting
        return self.was_ready and self._seconds < _QUICK and len(self.items) < _AHEAD and not self._waiting

    @property
    def step(self) -> int:
        """What it is, or was, at."""
        return int(self._slot.step)

    def at(self) -> Step | None:
        """The same with its name and the video it is about; None where it is at none, or between two."""
        number, serial = int(self._slot.step), int(self._slot.item)
        item = next((item for item in self.items if item.serial == serial), None)
        if item is None or not 0 <= number < len(self._steps):
            return None
        part, name, is_signal = self._steps[number]
        of_part = next((each for each in (item, *item.beside) if each.part == part), item)
        return Step(of_part.case.id, of_part.take, part, name, is_signal)

    def watched(self) -> list[Connection | int]:
        """What tells that it has answered or died."""
        return [self._pipe, self._process.sentinel]

    def give(self, item: WorkItem) -> None:
        """Put an item on its list."""
        if not self.items:
            self._changed = time.monotonic()
        self._given += 1
        item = replace(item, serial=self._given)
        self.items.append(item)
        self._waiting.append(bytes(ForkingPickler.dumps(item)))
        self._send()

    def answers(self) -> Iterator[WorkResult]:
        """Results that have come, without waiting for more. What stops the whole run is raised."""
        while True:
            try:
                if not self._pipe.poll():
                    return
                answer = self._pipe.recv()
            except (EOFError, OSError):
                # It died; `death` says how.
                return
            now = time.monotonic()
            if isinstance(answer, BaseException):
                raise answer
            if isinstance(answer, _Ready):
                self.was_ready, self._changed, self._steps = True, now, answer.steps
            else:
                # Cases that are worked on side by side end in any order.
                done = next(item for item in self.items if (*item.key, item.part) == answer.item)
                self.items.remove(done)
                self._sent -= 1
                self._seconds = now - self._answered
                yield answer
            self._answered = now
            self._send()

    def over(self, limits: Limits) -> Death | None:
        """What it takes more of than it may."""
        now = time.monotonic()
        if not self.items or now - self._looked < _LOOK:
            return None
        self._looked = now
        memory = None if limits.memory is None else resident_bytes(self._process.pid or 0)
        allowed = self._slot.allowed
        if self._slot.changes != self._changes:
            self._changes, self._changed = self._slot.changes, now
        if now - self._changed > allowed:
            return too_long(allowed)
        if memory is not None and limits.memory is not None and memory > limits.memory:
            return too_much(limits.memory)
        return None

    def death(self) -> Death | None:
        """How it died; None while it lives."""
        if self._process.is_alive():
            return None
        return death_by(self._process.exitcode or 0)

    def end(self) -> None:
        """Stop it at once."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _send(self) -> None:
        """Send what it has room for. A large item waits until it is free, so that sending never has to wait for it."""
        while self.was_ready and self._waiting:
            if self._sent and self._ahead == 1 and len(self._waiting[0]) > _SMALL:
                return
            try:
                self._pipe.send_bytes(self._waiting[0])
            except OSError:
                # It died; `death` says how.
                return
            self._waiting.popleft()
            self._sent += 1


def first_news(workers: Sequence[WorkerProcess]) -> list[WorkerProcess]:
    """All workers, as soon as one of them has answered or died, or when it is time to look at what they take."""
    wait([each for worker in workers for each in worker.watched()], _LOOK)
    return list(workers)


def _work(parent: int, setup: Setup, perceive: bool, pipe: Connection, slot: Slot) -> None:
    """The life of a worker process."""
    # Ctrl-C reaches the whole process group; the main process decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent)
    keep_freed_memory()
    one_opencv_thread()
    # What the plan has read of files need not be read again where they are as they were.
    for each in (setup, *setup.beside):
        remember_files(each.out)
    try:
        _import_files(setup, slot)
        worker = Worker(setup, perceive, slot=slot)
    except Exception as error:  # noqa: BLE001  told by the main process
        pipe.send(portable(error))
        return
    pipe.send(_Ready(worker.steps))

    def coming() -> Iterator[WorkItem]:
        while True:
            try:
                yield pipe.recv()
            except (EOFError, OSError):
                return

    def answered(item: WorkItem) -> Any:
        try:
            return worker.perform(item)
        except Exception as error:  # noqa: BLE001  told by the main process
            return portable(error)

    if setup.ahead == 1:
        for item in coming():
            pipe.send(answered(item))
        return
    sending = threading.Lock()

    def answer(item: WorkItem) -> None:
        told = answered(item)
        with sending:
            pipe.send(told)

    with quick_switching(), ThreadPoolExecutor(setup.ahead) as threads:
        for item in coming():
            threads.submit(answer, item)


def _import_files(setup: Setup, slot: Slot) -> None:
    """Import the files of third parties, each within the time of a metric."""
    for number, path in enumerate(setup.includes):
        slot.changes, slot.step, slot.allowed = slot.changes + 1, IMPORTING - number, setup.limits.seconds_for(0)
        include(path)
    slot.changes, slot.step, slot.allowed = slot.changes + 1, NOTHING, SETTING_UP


def portable(error: Exception) -> Exception:
    """An exception that survives the way to another process; what is not ours comes with its traceback in the log."""
    if isinstance(error, WorldGaugeError):
        return error
    log.error("a worker failed", exc_info=error)
    return RuntimeError(f"{type(error).__name__}: {error}")


def die_with_parent(parent: int) -> None:
    """A killed main process cannot stop its workers; the kernel does it, or they notice and leave."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
