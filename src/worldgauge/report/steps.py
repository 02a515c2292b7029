"""Progress of work in named steps on standard error."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

from worldgauge.core.errors import CannotWrite
from worldgauge.report.streams import write

_SECONDS_BETWEEN_LINES = 5.0


class StepLines:
    """`videos: 12/28`: one line that counts up in a terminal, now and then a line elsewhere."""

    def __init__(self) -> None:
        self._step = ""
        self._started = self._last = 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        now = time.monotonic()
        if step != self._step:
            self._step, self._started = step, now
        elif done < total and not sys.stderr.isatty() and now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        left = f", about {(now - self._started) / done * (total - done):.0f} s left" if 0 < done < total else ""
        line = f"{step}: {done}/{total}{left}"
        if sys.stderr.isatty():
            line = f"\r\033[K{line}" + ("\n" if done >= total else "")
        else:
            line += "\n"
        # Showing progress is no reason for work to stop.
        with suppress(CannotWrite):
            write(line, err=True)
