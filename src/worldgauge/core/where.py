"""Where a function is written, so that a reader gets from a column to its formula."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Place:
    """The line of a `def`."""

    file: Path
    line: int

    def __str__(self) -> str:
        here = Path.cwd()
        shown = self.file.relative_to(here) if self.file.is_relative_to(here) else self.file
        return f"{shown}:{self.line}"


def place_of(function: Callable[..., Any]) -> Place:
    """File and line of a function's `def`, decorators skipped."""
    lines, first = inspect.getsourcelines(function)
    offset = next((i for i, line in enumerate(lines) if line.lstrip().startswith(("def ", "async def "))), 0)
    return Place(Path(str(inspect.getsourcefile(function))), first + offset)


def source_line(function: Callable[..., Any]) -> str:
    """What a docstring says after `Source:`; empty where it does not say where the formula comes from.

    >>> def area(r): "Of a circle.\\n\\nSource: Archimedes."
    >>> source_line(area)
    'Archimedes.'
    """
    lines = (inspect.getdoc(function) or "").splitlines()
    return " ".join(line.removeprefix("Source:").strip() for line in lines if line.startswith("Source:"))
