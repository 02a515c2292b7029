"""How the verbs of this benchmark print rows: a table for people, JSON for programs."""

from __future__ import annotations

from typing import Any

from worldgauge.verbs import print_json, print_table, say

Row = dict[str, Any]


def show_rows(rows: list[Row], as_json: bool, digits: int = 4) -> None:
    """Rows that share their keys."""
    if as_json:
        print_json(rows)
    else:
        print_rows(rows, digits)


def print_rows(rows: list[Row], digits: int = 4) -> None:
    """A table; what stands before the first column of numbers says which row it is."""
    if not rows:
        say("no rows")
        return
    header = list(rows[0])
    cells = [[_cell(row[name], digits) for name in header] for row in rows]
    numeric = [i for i, name in enumerate(header) if not any(isinstance(row[name], str) for row in rows)]
    print_table(header, cells, numeric=numeric, keys=max(min(numeric, default=1), 1))


def _cell(value: Any, digits: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
