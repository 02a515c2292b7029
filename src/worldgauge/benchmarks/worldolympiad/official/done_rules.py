"""When the released driver and its scheduler take a case for done: two rules that do not agree.

The driver wants a file that is not empty, the scheduler any file. A file of no bytes is therefore selected for ever and
skipped for ever. What is in a file nobody looks at. Our own runs resume by records; these rules are for reading and
continuing folders of the original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def selected(
    rows: Sequence[Row], pending_only: bool = True, force: bool = False, limit: int | None = None
) -> list[int]:
    """Numbers of the rows that are handed to the scheduler. A limit of 0 or less selects one."""
    wanted = [k for k, row in enumerate(rows) if force or not pending_only or not driver_is_done(row.get("output"))]
    return wanted if limit is None else wanted[: max(1, limit)]


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


def scheduled(
    rows: Sequence[Row], score: Callable[[Row], int], force: bool = False, dry_run: bool = False
) -> list[dict[str, Any]]:
    """What the scheduler writes, by id: an exit code of 0 is ok whatever was written, and a dry run is ok throughout.

    `score` evaluates a row and returns its exit code. A row without a name is called by its line.
    """
    found: list[dict[str, Any]] = []
    for line in (Line(row, number) for number, row in enumerate(rows, start=1)):
        if scheduler_skips(line.row.get("output"), force):
            found.append({"id": str(line.id), "status": "skipped"})
            continue
        code = 0 if dry_run else score(line.row)
        found.append({"id": str(line.id), "status": "failed" if code else "ok", "exit_code": code})
    return sorted(found, key=lambda one: one["id"])
