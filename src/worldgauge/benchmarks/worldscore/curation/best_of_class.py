"""What people and models say of pictures, and the best of every class: the paper keeps 100 of each of its ten (3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from worldgauge.benchmarks.worldscore.curation.current_scenes import Verdict
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table

QUALITY: Final = ("picture_quality", "image_quality", "aesthetic")
"""Figures that say how good a picture is; larger is better in each."""


@dataclass(frozen=True)
class Described:
    """What a vision-language model, or a person, says of a picture."""

    kind: str
    """Its class."""
    caption: str = ""
    dropped: bool = False
    """Whether a person who looked at it does not want it (B.1, human judgment)."""


def read_classes(file: Path) -> dict[str, Described]:
    """A table with the columns `picture` (as in the log) and `class`, and where they are there `caption` and `keep`."""
    found: dict[str, Described] = {}
    for number, row in enumerate(read_table(file, ("picture", "class")), start=1):
        picture, kind = row["picture"].strip(), row["class"].strip()
        if not picture or not kind:
            raise WorldGaugeError(f"{file} row {number}: '{'class' if picture else 'picture'}' is empty")
        if picture in found:
            raise WorldGaugeError(f"{file} row {number}: picture '{picture}' stands there twice")
        keep = row.get("keep", "").strip().lower()
        if keep not in ("yes", "no", ""):
            raise WorldGaugeError(f"{file} row {number}: keep '{keep[:40]}'", "write yes or no, or leave it empty")
        found[picture] = Described(kind, row.get("caption", "").strip(), keep == "no")
    return found


def reviewed(verdicts: Sequence[Verdict], classes: Mapping[str, Described]) -> list[Verdict]:
    """The verdicts without the pictures that a person does not want."""
    unwanted = {picture for picture, said in classes.items() if said.dropped}
    return [
        replace(verdict, kept=False, reason="dropped by a person")
        if verdict.kept and verdict.picture in unwanted
        else verdict
        for verdict in verdicts
    ]


def keep_best(verdicts: Sequence[Verdict], most: int, classes: Mapping[str, Described]) -> list[Verdict]:
    """Of the pictures kept so far at most `most` of each class: those of the highest quality.

    Quality is the mean of the figures measured, each standardised over the kept pictures, as they have no common
    scale. Without classes all pictures are of one; with them, a picture that has none is dropped.
    """
    kept = [verdict for verdict in verdicts if verdict.kept]
    names = [name for name in QUALITY if any(name in verdict.figures for verdict in kept)]
    if kept and not names:
        raise WorldGaugeError("the best pictures are asked for and no quality is measured", _hint())
    table = np.array([[verdict.figures[name] for name in names] for verdict in kept]).reshape(len(kept), len(names))
    spread = table.std(axis=0)
    quality = ((table - table.mean(axis=0)) / np.where(spread > 0, spread, 1)).mean(axis=1) if kept else table
    order = sorted(range(len(kept)), key=lambda number: (-quality[number], number))
    taken: dict[str, int] = {}
    reasons: dict[str, str] = {}
    for number in order:
        picture = kept[number].picture
        if classes and picture not in classes:
            reasons[picture] = "it has no class"
            continue
        kind = classes[picture].kind if classes else ""
        taken[kind] = taken.get(kind, 0) + 1
        if taken[kind] > most:
            reasons[picture] = f"number {taken[kind]} in quality of its class, {most} are kept"
    return [
        replace(verdict, kept=False, reason=reasons[verdict.picture]) if verdict.picture in reasons else verdict
        for verdict in verdicts
    ]


def _hint() -> str:
    return "name a threshold for one, which may be 0: --min-picture-quality, --min-image-quality, --min-aesthetic"
