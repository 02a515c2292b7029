"""Progress on standard error: a bar with the time left in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from worldgauge.core.errors import CannotWrite
from worldgauge.engine.headway import Headway
from worldgauge.engine.work import WorkResult
from worldgauge.engine.work_items import Step
from worldgauge.report.plain import plain
from worldgauge.report.streams import write
from worldgauge.report.terminal import duration

_SECONDS_BETWEEN_LINES = 5.0
_LONGEST = 60
"""Characters of a case's id."""
_WHOLE = 1000.0
"""Steps of the bar."""


class RunProgress:
    """Counts finished records and names what is at work.

    Usable as `with RunProgress(total) as progress: ... progress.advance(result)`. With a `headway` it moves with every
    signal, by what that is expected to cost; without one by records.
    """

    def __init__(self, records: int, label: str = "scoring", headway: Headway | None = None) -> None:
        self._total = records
        self._label = label
        self._headway = headway
        self._done = 0
        self._started = self._last_line = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._judge = self._at = ""
        self._over = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> RunProgress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._text(), total=_WHOLE)
        else:
            # One signal may take minutes, in which nothing else happens.
            threading.Thread(target=self._tick, name="worldgauge-progress", daemon=True).start()
        return self

    def advance(self, result: WorkResult) -> None:
        """One case went through one stage."""
        self._done += result.statuses.total() + len(result.not_stored)
        if self._headway is not None:
            self._headway.result(result)
        self._show()

    def step(self, step: Step) -> None:
        """A worker is at a signal or a metric of a clip, or has done it; called from several threads."""
        if self._headway is not None:
            self._headway.step(step)
        if not step.done:
            case = step.case if len(step.case) <= _LONGEST else f"...{step.case[-_LONGEST:]}"
            self._at = plain(f", {case}: {step.name}")
        self._show()

    def asked(self, state: Mapping[str, float]) -> None:
        """Something about the judge has changed; called from several threads."""
        self._judge = (
            f", judge: {state['answered']:.0f} answered, {state['waiting']:.0f} waiting, "
            f"{state['retried']:.0f} retried, {state['spent']:.4f} spent"
        )
        self._show()

    def _show(self) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=self._share() * _WHOLE, description=self._text())
        else:
            self._line()

    def _share(self) -> float:
        return self._headway.share if self._headway is not None else self._done / max(self._total, 1)

    def _text(self) -> str:
        return f"{self._label}: {self._done}/{self._total} records{self._at}{self._judge}"

    def _line(self) -> None:
        """A line every few seconds."""
        with self._lock:
            now = time.monotonic()
            if now - self._last_line < _SECONDS_BETWEEN_LINES or self._over.is_set():
                return
            self._last_line = now
        share, elapsed = self._share(), now - self._started
        left = f", about {duration(elapsed * (1 - share) / share)} left" if share > 0 else ""
        line = f"{self._label}: {self._done}/{self._total} records{self._at}{left}{self._judge}\n"
        # Showing progress is no reason for a run to stop.
        with suppress(CannotWrite):
            write(line, err=True)

    def _tick(self) -> None:
        while not self._over.wait(1.0):
            self._line()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._bar is not None:
            self._bar.stop()
