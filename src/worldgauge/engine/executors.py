"""Where work runs. An executor maps items to results, in any order, and can be closed; Ray can fill the same seat."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import Protocol

from worldgauge.engine.job import Setup
from worldgauge.engine.memory import keep_freed_memory
from worldgauge.engine.surroundings import as_found, one_blas_thread, one_opencv_thread
from worldgauge.engine.work import Worker, WorkItem, WorkResult


class Executor(Protocol):
    """Two methods; results come in any order, because no score depends on it."""

    def map(self, items: Iterable[WorkItem]) -> Iterator[WorkResult]: ...

    def close(self) -> None: ...


def local_executor(setup: Setup, workers: int, perceive: bool = True) -> Executor:
    """This process for one worker, a pool of processes for several."""
    return InlineExecutor(setup, perceive) if workers == 1 else PoolExecutor(setup, workers, perceive)


class InlineExecutor:
    """The calling process is the worker, and is left as it was found."""

    def __init__(self, setup: Setup, perceive: bool = True) -> None:
        with ExitStack() as found:
            found.enter_context(as_found())
            self._worker = Worker(setup, perceive)
            self._found = found.pop_all()

    def map(self, items: Iterable[WorkItem]) -> Iterator[WorkResult]:
        return map(self._worker.perform, items)

    def close(self) -> None:
        self._worker.close()
        self._found.close()


class PoolExecutor:
    """Worker processes on this machine. A worker that dies takes its case down, not the run."""

    _LOST = "the worker process died on this case, perhaps out of memory; use fewer workers or a smaller clip"

    def __init__(self, setup: Setup, workers: int, perceive: bool = True) -> None:
        self._arguments = (setup, perceive)
        self._workers = workers
        self._environment = ExitStack()
        self._environment.enter_context(one_blas_thread())
        self._pool = self._new_pool()

    def map(self, items: Iterable[WorkItem]) -> Iterator[WorkResult]:
        waiting = iter(items)
        suspects: list[WorkItem] = []
        """In flight when a worker died; each is flown alone, to learn which of them it was."""
        alone: set[tuple[str, int]] = set()
        flying: dict[Future[WorkResult], WorkItem] = {}
        while True:
            if not suspects:
                flying |= self._submit(islice(waiting, self._workers * 4 - len(flying)))
            elif not flying:
                flying |= self._submit([suspects.pop()])
            if not flying:
                return
            done, _ = wait(flying, return_when=FIRST_COMPLETED)
            died = [future for future in done if isinstance(future.exception(), BrokenProcessPool)]
            for future in done:
                if future not in died:
                    del flying[future]
                    yield future.result()
            if died:
                # One death breaks the whole pool, so every case in flight is suspected, even one not begun.
                suspects += [replace(i, lost=self._LOST) if i.key in alone else i for i in flying.values()]
                alone |= {item.key for item in flying.values()} if len(flying) == 1 else set()
                flying.clear()
                self._pool.shutdown(cancel_futures=True)
                self._pool = self._new_pool()

    def _submit(self, items: Iterable[WorkItem]) -> dict[Future[WorkResult], WorkItem]:
        return {self._pool.submit(_perform, item): item for item in items}

    def close(self) -> None:
        """Stop at once: a half-done case leaves nothing behind but stored signals."""
        for process in list((self._pool._processes or {}).values()):
            process.terminate()
        self._pool.shutdown(cancel_futures=True)
        self._environment.close()

    def _new_pool(self) -> ProcessPoolExecutor:
        # Fresh interpreters: forking a process that has threads or a GPU context is a known way to hang.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, _start_worker, (os.getpid(), *self._arguments))


_worker: Worker | None = None


def _start_worker(parent: int, setup: Setup, perceive: bool) -> None:
    global _worker
    # Ctrl-C reaches the whole process group; the main process decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent(parent)
    keep_freed_memory()
    one_opencv_thread()
    _worker = Worker(setup, perceive)


def _die_with_parent(parent: int) -> None:
    """A killed main process cannot stop its workers; the kernel does it, or they notice and leave."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _perform(item: WorkItem) -> WorkResult:
    assert _worker is not None
    return _worker.perform(item)
