"""Progress of work in named steps on standard error."""

from __future__ import annotations

import math
import sys
import time
from contextlib import suppress

from worldgauge.core.errors import CannotWrite
from worldgauge.report.streams import write

_SECONDS_BETWEEN_LINES = 5.0
_BETWEEN_UPDATES = 0.1
"""Seconds between two times that the line in a terminal counts up."""


class StepLines:
    """`videos: 12/28`: one line that counts up in a terminal, now and then a line elsewhere."""

    def __init__(self, after: float = 0.0) -> None:
        """`after`: seconds of silence, for work that is mostly done by then."""
        self._step = ""
        self._started = self._last = 0.0
        self._silent_until = time.monotonic() + after

    def __call__(self, step: str, done: int, total: int) -> None:
        now = time.monotonic()
        if step != self._step:
            self._step, self._started, self._last = step, now, -math.inf
        if now < self._silent_until:
            return
        if done < total and now - self._last < (_BETWEEN_UPDATES if sys.stderr.isatty() else _SECONDS_BETWEEN_LINES):
            return
        self._last = now
        spent = now - self._started
        # After the first of many the rest cannot be estimated yet.
        left = f", about {spent / done * (total - done):.0f} s left" if 0 < done < total and spent > 0.5 else ""
        line = f"{step}: {done}/{total}{left}"
        if sys.stderr.isatty():
            line = f"\r\033[K{line}" + ("\n" if done >= total else "")
        else:
            line += "\n"
        # Showing progress is no reason for work to stop.
        with suppress(CannotWrite):
            write(line, err=True)
