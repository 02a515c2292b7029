"""Columns of the leaderboard: metrics and groups with their direction, range and definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from worldgauge.core.benchmark import Group
from worldgauge.core.run_folder import DefinitionFile
from worldgauge.report.joint import Joint


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
    definition: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title or self.id,
            "kind": self.kind,
            "better": self.better,
            "worst": self.worst,
            "best": self.best,
            "observed": self.observed,
            **self.definition,
        }


def columns_of(joint: Joint) -> list[Column]:
    """Metrics in the benchmark's order, then groups."""
    titles = {use.id: use.title for use in joint.benchmark.metrics}
    found: list[Column] = []
    for i, definition in enumerate(joint.definitions):
        worst, best, observed = _metric_range(definition, joint.values[:, i])
        found.append(
            Column(
                id=definition.id,
                title=titles.get(definition.id, ""),
                kind="metric",
                better=_direction(definition),
                worst=worst,
                best=best,
                observed=observed,
                definition=_definition(definition),
            )
        )
    by_id = {column.id: column for column in found}
    for group in joint.benchmark.groups:
        by_id[group.id] = _group(group, by_id)
    return list(by_id.values())


def _direction(definition: DefinitionFile) -> int:
    """A scale's first target is the worst score; without a scale the metric says which way is better."""
    if definition.scale is not None:
        return 1 if definition.scale.target[1] > definition.scale.target[0] else -1
    return {True: 1, False: -1, None: 0}[definition.higher_is_better]


def _metric_range(definition: DefinitionFile, values: np.ndarray) -> tuple[float, float, bool]:
    if definition.scale is not None:
        return (*definition.scale.target, False)
    low, high = definition.bounds
    observed = not (isfinite(low) and isfinite(high))
    finite = values[np.isfinite(values)]
    if observed and finite.size:
        low = low if isfinite(low) else float(finite.min())
        high = high if isfinite(high) else float(finite.max())
    low, high = (low if isfinite(low) else 0.0), (high if isfinite(high) else 1.0)
    return (high, low, observed) if definition.higher_is_better is False else (low, high, observed)


def _group(group: Group, known: Mapping[str, Column]) -> Column:
    members = [known[m] for m in group.of if m in known]
    directions = {m.better for m in members}
    total = sum(group.of.values())
    whole = len(members) == len(group.of) and len(directions) == 1
    return Column(
        id=group.id,
        title=group.title,
        kind="group",
        better=directions.pop() if whole else 1,
        worst=sum(group.of[m.id] * m.worst for m in members) / total if whole else 0.0,
        best=sum(group.of[m.id] * m.best for m in members) / total if whole else 100.0,
        observed=any(m.observed for m in members),
        definition={"of": group.of},
    )


def _definition(definition: DefinitionFile) -> dict[str, Any]:
    return definition.model_dump(
        mode="json",
        by_alias=True,
        include={"fingerprint", "metric", "version", "unit", "bounds", "parameters", "scale", "signals", "summary"}
        | {"unavailable"},
    )
