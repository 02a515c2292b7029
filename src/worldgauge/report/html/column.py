"""Columns of the leaderboard: metrics and groups with their direction, range and definition."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import ceil, isfinite, log10
from typing import Any

import numpy as np

from worldgauge.core.aggregate import case_direction, case_unit, score_unit
from worldgauge.core.benchmark import Group
from worldgauge.core.reducers import OVER_MEMBERS
from worldgauge.core.run_file import DefinitionFile
from worldgauge.report.joint import Joint
from worldgauge.report.unofficial import unofficial_columns

LONGEST_HEAD = 28
"""Letters; a longer title is a sentence, which would make the head of a table taller than the table."""


@dataclass(frozen=True)
class Column:
    """One number per model."""

    id: str
    title: str
    kind: str
    """`metric` or `group`."""
    better: int
    """1: larger is better, -1: smaller is better, 0: neither by itself."""
    worst: float
    """Score drawn at the start of a bar and the centre of a radar."""
    best: float
    """Score drawn at the end."""
    observed: bool
    """True when the range is that of the models shown, because the definition has none."""
    digits: int
    """Decimals of a model's score."""
    case_digits: int
    """Decimals of a case's value, which has another unit where the scale is applied to the mean."""
    definition: Mapping[str, Any]
    known_flaw: str = ""
    """What it ranks too high, where its benchmark knows."""
    not_official: tuple[str, ...] = ()
    """What is not official about the instruments it was measured with."""
    folded: bool = False
    """Whether it is about none of the cases: it has a page of its own and stands in no table."""

    @property
    def head(self) -> str:
        """What stands over the column: its title where that is short, else its id."""
        return self.title if 0 < len(self.title) <= LONGEST_HEAD else self.id

    def number(self, value: float) -> str:
        """A score as the table prints it."""
        return f"{value:.{self.digits}f}"

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title or self.id,
            "kind": self.kind,
            "better": self.better,
            "worst": self.worst,
            "best": self.best,
            "observed": self.observed,
            "digits": self.digits,
            "case_digits": self.case_digits,
            **({"known_flaw": self.known_flaw} if self.known_flaw else {}),
            "not_official": list(self.not_official),
            **({"folded": True} if self.folded else {}),
            **self.definition,
        }


def columns_of(joint: Joint, folded: Collection[str] = ()) -> list[Column]:
    """Metrics in the benchmark's order, then groups; those named in `folded` are about none of the cases."""
    titles = {use.id: use.title for use in joint.benchmark.metrics}
    flaws = joint.benchmark.known_flaws
    found: list[Column] = []
    for i, definition in enumerate(joint.definitions):
        worst, best, observed = _metric_range(definition, joint.values[:, i])
        found.append(
            Column(
                id=definition.id,
                title=titles.get(definition.id, ""),
                kind="metric",
                better=_SIGN[joint.tree.higher_is_better(definition.id)],
                worst=worst,
                best=best,
                observed=observed,
                digits=digits_for(joint.scores[:, i]),
                case_digits=digits_for(joint.values[:, i]),
                definition=_definition(definition),
                known_flaw=flaws.get(definition.id, ""),
            )
        )
    by_id = {column.id: column for column in found}
    for i, group in enumerate(joint.benchmark.groups, start=len(found)):
        better = _SIGN[joint.tree.higher_is_better(group.id)]
        by_id[group.id] = _group(group, by_id, better, digits_for(joint.scores[:, i]))
    others = unofficial_columns(joint.runs)
    return [
        replace(column, folded=column.id in folded, not_official=tuple(others.get(column.id, ())))
        for column in by_id.values()
    ]


_SIGN = {True: 1, False: -1, None: 0}


def digits_for(values: np.ndarray) -> int:
    """Decimals that give the largest number four digits: two for 94.12, four for 0.9325.

    >>> digits_for(np.array([94.12, 3.0])), digits_for(np.array([0.9325])), digits_for(np.array([np.nan]))
    (2, 4, 2)
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if finite.size else 0.0
    return min(8, max(0, 4 - ceil(log10(largest)))) if largest > 0 else 2


def _metric_range(definition: DefinitionFile, values: np.ndarray) -> tuple[float, float, bool]:
    """Worst and best end of the axis; the observed values decide where bounds are infinite or far too wide."""
    if definition.scale is not None:
        return (*definition.scale.target, False)
    low, high = definition.bounds
    finite = values[np.isfinite(values)]
    seen = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    from_zero = (min(seen[0], 0.0) if low == 0 else seen[0], seen[1])
    observed = not (isfinite(low) and isfinite(high)) or from_zero[1] - from_zero[0] < (high - low) / 3
    if observed:
        low, high = from_zero if from_zero[0] < from_zero[1] else (from_zero[0] - 0.5, from_zero[0] + 0.5)
    return (high, low, observed) if definition.higher_is_better is False else (low, high, observed)


def _group(group: Group, known: Mapping[str, Column], better: int, digits: int) -> Column:
    members = [known[m] for m in group.of if m in known]
    whole = len(members) == len(group.of)
    weights = np.array([group.of[m.id] for m in members])

    def end(numbers: list[float]) -> float:
        return float(OVER_MEMBERS[group.reduce](np.array(numbers), weights))

    return Column(
        id=group.id,
        title=group.title,
        kind="group",
        better=better,
        worst=end([m.worst for m in members]) if whole else 0.0,
        best=end([m.best for m in members]) if whole else 100.0,
        observed=any(m.observed for m in members),
        digits=digits,
        case_digits=digits,
        definition={"of": group.of, "reduce": group.reduce, "made_by": OVER_MEMBERS[group.reduce].title},
        known_flaw=group.known_flaw,
    )


def _definition(definition: DefinitionFile) -> dict[str, Any]:
    return definition.model_dump(
        mode="json",
        by_alias=True,
        include={"fingerprint", "metric", "version", "unit", "bounds", "parameters", "scale", "signals", "summary"}
        | {"unavailable", "higher_is_better"},
    ) | {
        "score_unit": score_unit(definition),
        "case_unit": case_unit(definition),
        "case_better": _SIGN[case_direction(definition)],
    }
