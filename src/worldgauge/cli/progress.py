"""Progress on standard error: a bar with the time left in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from worldgauge.core.errors import CannotWrite
from worldgauge.engine.work import WorkResult
from worldgauge.report.streams import write

_SECONDS_BETWEEN_LINES = 5.0


class RunProgress:
    """Counts finished records; usable as `with RunProgress(total) as progress: ... progress.advance(result)`."""

    def __init__(self, records: int, label: str = "scoring") -> None:
        self._total = records
        self._label = label
        self._done = 0
        self._started = self._last_line = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._judge = ""

    def __enter__(self) -> RunProgress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=self._total)
        return self

    def advance(self, result: WorkResult) -> None:
        """One case went through one stage."""
        self._done += result.statuses.total() + len(result.not_stored)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done)
        else:
            self._line()

    def asked(self, state: Mapping[str, float]) -> None:
        """Something about the judge has changed; called from several threads."""
        self._judge = (
            f", judge: {state['answered']:.0f} answered, {state['waiting']:.0f} waiting, "
            f"{state['retried']:.0f} retried, {state['spent']:.4f} spent"
        )
        if self._bar is not None:
            self._bar.update(self._task, description=f"{self._label}{self._judge}")
        else:
            self._line()

    def _line(self) -> None:
        """A line every few seconds."""
        if time.monotonic() - self._last_line < _SECONDS_BETWEEN_LINES:
            return
        self._last_line = time.monotonic()
        left = (self._last_line - self._started) / max(self._done, 1) * (self._total - self._done)
        line = f"{self._label}: {self._done}/{self._total} records, about {left:.0f} s left{self._judge}\n"
        # Showing progress is no reason for a run to stop.
        with suppress(CannotWrite):
            write(line, err=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
