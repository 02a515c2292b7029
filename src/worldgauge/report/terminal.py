"""Printing: tables for people, JSON for programs, one place for both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import typer


def print_json(value: Any) -> None:
    """Indented JSON on standard output."""
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = ()) -> None:
    """A plain aligned table; columns named in `numeric` are right-aligned."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    right = set(numeric)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(header):
        table.add_column(Text(name), justify="right" if i in right else "left", overflow="fold")
    for row in rows:
        # Text, not markup: a case id may hold square brackets.
        table.add_row(*(Text(cell) for cell in row))
    Console(width=None if _wide() else 160).print(table)


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Aligned `name  value` lines."""
    known = list(pairs)
    width = max((len(name) for name, _ in known), default=0)
    for name, value in known:
        typer.echo(f"{name:<{width}}  {value}")


def duration(seconds: float) -> str:
    """
    >>> duration(75)
    '1 min 15 s'
    """
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min {seconds % 60:.0f} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _wide() -> bool:
    import sys

    return sys.stdout.isatty()
