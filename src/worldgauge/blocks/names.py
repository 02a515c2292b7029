"""Lookup by name with the nearest names in the error."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypeVar

from worldgauge.core.errors import WorldGaugeError

T = TypeVar("T")


def pick(kind: str, name: str, table: Mapping[str, T]) -> T:
    """`table[name]`, or one line that names the closest entries."""
    if name in table:
        return table[name]
    near = difflib.get_close_matches(name, table, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(table)}"
    raise WorldGaugeError(f"there is no {kind} named '{name}'", hint)
