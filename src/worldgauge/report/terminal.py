"""Printing: tables for people, JSON for programs, one place for both.

Tables fit the terminal, or the width that COLUMNS says. A pipe or a file gets tables of 120 columns and prose that is
not wrapped, so that `grep` finds whole sentences. Names come from files and submissions: whatever is printed goes
through here, so that no name can steer the terminal.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from worldgauge.report.plain import json_text, plain
from worldgauge.report.streams import write

PIPE_WIDTH = 120
NARROWEST = 40


def say(line: str = "", err: bool = False) -> None:
    """One line on standard output, or on standard error."""
    write(f"{plain(line)}\n", err)


def print_text(text: str) -> None:
    """A text that was laid out beforehand, line breaks and all."""
    write(plain(text, keep="\n"))


def print_json(value: Any) -> None:
    """Indented JSON on standard output."""
    write(json_text(json.dumps(value, indent=1, ensure_ascii=False)) + "\n")


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = (), keys: int = 1
) -> None:
    """A plain aligned table; columns named in `numeric` are right-aligned and their cells stay whole.

    Columns that do not fit move to a further block, which repeats the first `keys` columns.
    """
    from worldgauge.report.fit import fit_table

    _print_block(fit_table(header, rows, numeric, _width() or PIPE_WIDTH, keys))


def print_matrix(header: Sequence[str], rows: Sequence[Sequence[str]], turned: str = "metric") -> None:
    """A table whose columns but the first are numbers; turned on its side where that fits better."""
    from worldgauge.report.fit import fit_matrix

    _print_block(fit_matrix(header, rows, _width() or PIPE_WIDTH, turned))


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Aligned `name  value` lines; long values hang below their beginning."""
    known = [(plain(name), plain(value)) for name, value in pairs]
    indent = max((len(name) for name, _ in known), default=0) + 2
    for name, value in known:
        first, *more = _wrapped(value, indent)
        say(f"{name:<{indent}}{first}")
        for line in more:
            say(" " * indent + line)


def print_note(text: str) -> None:
    """A sentence below a table."""
    for line in _wrapped(plain(text), 0):
        say(line)


def duration(seconds: float) -> str:
    """
    >>> duration(75)
    '1 min 15 s'
    >>> duration(179.7)
    '3 min 0 s'
    """
    if seconds < 59.5:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def duration_between(low: float, high: float) -> str:
    """From where to where a time may lie, in the unit of the longer one.

    >>> duration_between(0.2, 3), duration_between(62, 300), duration_between(80, 82), duration_between(3000, 9000)
    ('0.2 to 3.0 s', '1 to 5 min', '1 min 22 s', '0.8 to 2.5 h')
    """
    if high <= 1.1 * low or high < 0.05:
        return duration(high)
    size, unit = (3600, "h") if high >= 5400 else (60, "min") if high >= 90 else (1, "s")
    first, last = (
        f"{value:.0f}" if value >= 10 or unit == "min" else f"{value:.1f}" for value in (low / size, high / size)
    )
    return f"{first} to {last} {unit}"


def _print_block(lines: Iterable[str]) -> None:
    # Air above and below, so that a table stands apart from the lines around it.
    print_text("\n".join(["", *lines, "", ""]))


def _wrapped(text: str, indent: int) -> list[str]:
    from worldgauge.report.wrap import wrap

    width = _width()
    return wrap(text, max(width - indent, NARROWEST // 2)) if width else [text]


def _width() -> int | None:
    """Width of the terminal; none when nobody looks at the text as it is printed."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked) > 0:
        return max(int(asked), NARROWEST)
    return max(shutil.get_terminal_size().columns, NARROWEST) if sys.stdout.isatty() else None
