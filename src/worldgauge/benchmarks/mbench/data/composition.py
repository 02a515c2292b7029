"""The data set's card: how many clips each subset has, found and as the paper's Table 4 and the release have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from worldgauge.core.case import Case

EXPECTED: dict[str, dict[str, int]] = {
    "A": {"environment": 227, "human": 120, "object": 100, "causal": 100},
    "T": {"human": 120, "object and environment": 173, "causal": 391},
}
"""Setting to subset to clips. The 391 causal text clips are 200 samples, each under up to three ways of hiding."""
HIDING = {"camera": 200, "occlusion": 100, "dimming": 91}
"""Causal text clips by how the process is hidden."""
DIRECTIONS = {"left": 273, "right": 274}
"""Action clips by the way they turn first."""


@dataclass(frozen=True)
class Cell:
    """One count."""

    setting: str
    part: str
    found: int
    expected: int

    @property
    def holds(self) -> bool:
        return self.found == self.expected


def composition(cases: Iterable[Case]) -> list[Cell]:
    """Every count of the settings that are there, with what the whole release has.

    >>> [cell.expected for cell in composition([Case(id="a", tags={"setting": "A", "subset": "human"})])]
    [227, 120, 100, 100, 273, 274, 547]
    """
    listed = list(cases)
    cells = []
    for setting, subsets in EXPECTED.items():
        inside = [case for case in listed if case.tags.get("setting") == setting]
        if not inside:
            continue
        counts = Counter(case.tags.get("subset", "") for case in inside)
        cells += [
            Cell(setting, part, sum(counts[name] for name in part.split(" and ")), n) for part, n in subsets.items()
        ]
        tag, parts = ("direction", DIRECTIONS) if setting == "A" else ("hiding", HIDING)
        by_tag = Counter(case.tags.get(tag, "") for case in inside)
        cells += [Cell(setting, f"{tag} {name}", by_tag[name], number) for name, number in parts.items()]
        cells.append(Cell(setting, "all", len(inside), sum(subsets.values())))
    return cells
