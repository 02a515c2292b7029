"""When the released driver and its scheduler take a case for done: two rules that do not agree.

The driver wants a file that is not empty, the scheduler any file. A file of no bytes is therefore selected for ever and
skipped for ever. No rule reads what is in a file. Our own runs resume by records; the official files of a run say which
cases are done by the driver's rule, and the check of a tree names files that are stuck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


def driver_is_done(output: Any) -> bool:
    """A file that exists and is not empty."""
    if not output or not isinstance(output, (str, Path)):
        return False
    file = Path(output)
    return file.exists() and file.stat().st_size > 0


def scheduler_skips(output: Any, force: bool = False) -> bool:
    """Any file, unless everything is forced."""
    return False if force or not output else Path(output).exists()


def is_stuck(output: Path) -> bool:
    """A file that is selected and skipped for ever: it must be deleted, or everything forced."""
    return scheduler_skips(output) and not driver_is_done(output)


@dataclass(frozen=True)
class Line:
    """One line of a manifest: its row, and where it stands in the file, from 1."""

    row: Row
    number: int

    @property
    def id(self) -> Any:
        return self.row.get("id") or self.number


def progress(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """What the driver writes about every row after a run: from files alone, with exit codes it never saw."""
    found = []
    for line in lines:
        done = driver_is_done(line.row.get("output"))
        status = ("ok", 0) if done else ("pending", None)
        found.append({"id": line.id, "status": status[0], "exit_code": status[1]})
    return found
