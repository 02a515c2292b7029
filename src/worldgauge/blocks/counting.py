"""Counting finished pieces of a long piece of work."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is finished, and how much there is."""


class StepCounter:
    """Tells `progress` how far one kind of work has come; call it whenever a piece is finished."""

    def __init__(self, what: str, total: int, progress: Progress) -> None:
        self._what, self._total, self._done, self._progress = what, total, 0, progress
        progress(what, 0, total)

    def __call__(self, more: int = 1) -> None:
        self._done += more
        self._progress(self._what, self._done, self._total)
