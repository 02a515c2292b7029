"""The table of bounds: the mean of clips that must score 0, and the z rule over models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from worldgauge.benchmarks.worldscore.bounds.material import Material
from worldgauge.benchmarks.worldscore.bounds.values import (
    OF_MODELS,
    PAIR_FRAMES,
    PAIR_SEED,
    PAIRED,
    SMOOTH,
    Step,
    Values,
    paired_values,
    performed_values,
    smooth_values,
)
from worldgauge.benchmarks.worldscore.bounds.way import Way
from worldgauge.benchmarks.worldscore.formulas.camera_error import fixed_camera_error
from worldgauge.benchmarks.worldscore.formulas.empirical_bounds import z_line
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS, layout_path
from worldgauge.engine.definitions import Definition


@dataclass(frozen=True)
class Row:
    """One derived bound, or why there is none."""

    column: str
    source: tuple[float, float] | None
    """The worst and the best raw value, to four digits."""
    measured: str
    instruments: tuple[str, ...]
    counted: int
    """Clips or models it rests on."""
    of: int
    how: str
    reason: str = ""


class CameraRow(NamedTuple):
    """What a motionless camera gets on a layout; scored 0 there, whatever the instruments."""

    layout: str
    rotation: float
    translation: float


@dataclass(frozen=True)
class Derived:
    """A table of bounds with the values it rests on."""

    way: Way
    rows: tuple[Row, ...]
    cameras: tuple[CameraRow, ...]
    recipe: Mapping[str, Any]
    clips: Mapping[str, Values] = field(default_factory=dict)
    """Name of a picture or clip to its values."""
    models: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    """Model to the values of its clips by world; of runs only their means, under ''."""


def derive(
    material: Material,
    way: Way,
    models: Mapping[str, Mapping[str, Values]] | None = None,
    frames: int = PAIR_FRAMES,
    on_step: Step = lambda *_: None,
) -> Derived:
    """The table for the instruments of `way`; `frames` of the clips between two pictures."""
    reasons: dict[str, str] = {}
    clips: dict[str, Values] = {}
    parts = [paired_values(material, way, frames, reasons, on_step), smooth_values(material, way, reasons, on_step)]
    for name, values in (item for part in parts for item in part):
        clips[name] = clips.get(name, {}) | values
    models = models or performed_values(material, way, reasons, on_step)
    recipe = {**material.recipe, "frames of pairs": frames, "seed of pairs": PAIR_SEED}
    return Derived(way, tuple(_rows(way, clips, models, reasons)), camera_rows(), recipe, clips, models)


def camera_rows(frames: int = 49) -> tuple[CameraRow, ...]:
    """Mean rotation (degrees) and translation error of a camera that does not move, by layout."""
    return tuple(CameraRow(layout, *fixed_camera_error(layout_path([layout], frames).poses)) for layout in LAYOUTS)


def _rows(
    way: Way, clips: Mapping[str, Values], models: Mapping[str, Mapping[str, Values]], reasons: Mapping[str, str]
) -> Iterator[Row]:
    definitions = way.definitions()
    for column, best in {**PAIRED, **SMOOTH}.items():
        how = "pairs of pictures, interpolated" if column in PAIRED else "odd frames mean of their neighbours"
        given = [values[column] for values in clips.values() if column in values]
        known = [value for value in given if value is not None]
        source = (rounded(float(np.mean(known))), best) if known else None
        yield _row(way, definitions[column], source, len(known), len(given), how, reasons)
    for column in OF_MODELS:
        means = [mean for of_model in models.values() if (mean := _mean_of(of_model, column)) is not None]
        usable = len(set(means)) >= 2
        ends = z_line(means).ends if usable else None
        source = (rounded(ends[0]), rounded(ends[1])) if ends else None
        said = {column: reasons.get(column) or "needs runs of two models or more: --model RUN --model RUN"}
        yield _row(way, definitions[column], source, len(means), len(models), "z rule over models", said)


def _row(
    way: Way, definition: Definition, source: tuple[float, float] | None, counted: int, of: int, how: str,
    reasons: Mapping[str, str],
) -> Row:  # fmt: skip
    if source is not None and source[0] == source[1]:
        source, reasons = None, {definition.id: "the worst is as good as the best"}
    reason = "" if source else reasons.get(definition.id, "nothing was measured")
    return Row(definition.id, source, definition.measured, way.instruments_of(definition.id), counted, of, how, reason)


def _mean_of(of_model: Mapping[str, Values], column: str) -> float | None:
    known = [value for values in of_model.values() if (value := values.get(column)) is not None]
    return float(np.mean(known)) if known else None


def rounded(number: float, digits: int = 4) -> float:
    """
    >>> rounded(123.456), rounded(0.0123456)
    (123.5, 0.01235)
    """
    return float(f"{number:.{digits}g}")
