"""Where a score comes from: distributions over cases, and means by tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from worldgauge.report.html.column import Column
from worldgauge.report.joint import Bounds, Joint
from worldgauge.stats.bootstrap import Floats, percentile_interval

BINS = 24
MOST_VALUES = 32
"""A tag with more values than this names cases rather than kinds of cases, and is not broken down."""


def histograms(joint: Joint, columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Per metric: bin edges over the observed values, and counts per model."""
    found = []
    for m in range(len(joint.definitions)):
        values = joint.values[:, m]
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, BINS + 1)
        counts = [np.histogram(row[np.isfinite(row)], edges)[0].tolist() for row in values]
        quartiles = [_quartiles(row) for row in values]
        found.append({"low": low, "high": high, "counts": counts, "quartiles": quartiles})
    return found


def tag_table(tags: Sequence[Mapping[str, str]]) -> dict[str, tuple[list[str], list[int]]]:
    """Per tag: its values, and per case the number of its value, -1 where the case does not have the tag."""
    names = sorted({name for of_case in tags for name in of_case})
    table: dict[str, tuple[list[str], list[int]]] = {}
    for name in names:
        values = sorted({of_case[name] for of_case in tags if name in of_case})
        number = {value: i for i, value in enumerate(values)}
        table[name] = values, [number.get(of_case.get(name, ""), -1) if name in of_case else -1 for of_case in tags]
    return table


def by_tag(joint: Joint, table: Mapping[str, tuple[list[str], list[int]]]) -> list[dict[str, Any]]:
    """Per tag and value: number of cases and, per metric and group and per model, score and 95 % interval over scenes.

    Scores come up the same tree as everywhere, over fewer cases; a group of which a member has none there has none.
    """
    found = []
    for name, (values, codes) in table.items():
        of_case = np.asarray(codes)
        # A value of one case each is a name, too.
        if not 2 <= len(values) <= MOST_VALUES or np.bincount(of_case[of_case >= 0]).max() < 2:
            continue
        rows = []
        for number, value in enumerate(values):
            chosen = of_case == number
            rows.append({"value": value, "cases": int(chosen.sum()), "cells": _cells(joint.part(chosen))})
        found.append({"tag": name, "rows": rows})
    return found


def _cells(part: Joint) -> list[list[list[float | Bounds | None]]]:
    """Per column and model: score, low, high, or nothing; behind it bounds, where a clip has no score."""
    models = range(len(part.runs))
    bounds = [part.open_bounds(k) for k in models]
    return [
        [
            [*_cell(part.scores[k, i], part.replicates[k, i], part.scenes(k, i)), *_known(bounds[k].get(name))]
            for k in models
        ]
        for i, name in enumerate(part.ids)
    ]


def _known(bounds: Bounds | None) -> list[Bounds]:
    return [] if bounds is None else [bounds]


def _cell(score: float, drawn: Floats, scenes: int) -> list[float | None]:
    if not np.isfinite(score):
        return [None, None, None]
    return [float(score), *(percentile_interval(drawn, clusters=scenes) or (None, None))]


def _quartiles(row: Floats) -> list[float] | None:
    finite = row[np.isfinite(row)]
    return [float(q) for q in np.quantile(finite, [0, 0.25, 0.5, 0.75, 1])] if finite.size else None
