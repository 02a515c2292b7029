"""Figures of a clip as the case page draws them: `figures.js` knows each by its kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from worldgauge.core.evidence import Curve, Figure, FramePairs
from worldgauge.report.html.details import rounded


def figures_json(figures: Iterable[Figure]) -> list[dict[str, Any]]:
    """Each with its kind, numbers with as many digits as a plot shows."""
    return [_curve(figure) if isinstance(figure, Curve) else _pairs(figure) for figure in figures]


def _curve(figure: Curve) -> dict[str, Any]:
    return {
        "kind": "curve",
        "title": figure.title,
        "unit": figure.unit,
        "found": [rounded(number) for number in figure.found],
        "asked": [rounded(number) for number in figure.asked],
        "note": figure.note,
    }


def _pairs(figure: FramePairs) -> dict[str, Any]:
    return {
        "kind": "pairs",
        "title": figure.title,
        "pairs": [list(pair) for pair in figure.pairs],
        "facts": {name: [rounded(number) for number in numbers] for name, numbers in figure.facts.items()},
        "marks": dict(figure.marks),
        "note": figure.note,
    }
