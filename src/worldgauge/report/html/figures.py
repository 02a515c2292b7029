"""Figures of a clip as the case page draws them: `figures.js` knows each by its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from worldgauge.core.evidence import Curve, Figure, FramePairs, Gallery, Still
from worldgauge.report.html.details import rounded

PICTURE = ".jpg"
PictureName = Callable[[int, int], str]
"""From the number of a figure and of a picture in it to the picture's name in the report."""


def figures_json(figures: Iterable[Figure], name: PictureName) -> list[dict[str, Any]]:
    """Each with its kind, numbers with as many digits as a plot shows; pictures are files of the report."""
    return [
        _curve(figure)
        if isinstance(figure, Curve)
        else _pairs(figure)
        if isinstance(figure, FramePairs)
        else _gallery(figure, number, name)
        for number, figure in enumerate(figures)
    ]


def stills_of(figures: Iterable[Figure], name: PictureName) -> dict[str, Still]:
    """The pictures of figures by their names in the report."""
    return {
        name(number, k): still
        for number, figure in enumerate(figures)
        if isinstance(figure, Gallery)
        for k, still in enumerate(figure.stills)
    }


def _gallery(figure: Gallery, number: int, name: PictureName) -> dict[str, Any]:
    stills = [{"src": name(number, k), "caption": still.caption} for k, still in enumerate(figure.stills)]
    return {"kind": "gallery", "title": figure.title, "lines": list(figure.lines), "stills": stills}


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
