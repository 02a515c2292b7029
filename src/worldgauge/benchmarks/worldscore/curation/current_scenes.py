"""Choosing pictures for current scenes: too dark, too poor, too steep or narrow, too alike (paper, 3.2 and B.1).

The paper prints no threshold, so none is given here: a filter works when its threshold is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading_pictures import read_picture
from worldgauge.functional.perspective import Perspective
from worldgauge.functional.quality import grey_of

Image = NDArray[np.uint8]
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tiff")


@dataclass(frozen=True)
class Thresholds:
    """What a picture must reach; None: not asked."""

    min_brightness: float | None = None
    """Mean grey level, 0 black to 1 white."""
    min_picture_quality: float | None = None
    """`overall` of the seat `quality`, 0 to 1."""
    min_image_quality: float | None = None
    """Seat `image_quality`, a network."""
    min_aesthetic: float | None = None
    """Seat `aesthetic`, a network."""
    max_roll: float | None = None
    """Seat `perspective`, degrees either way."""
    max_pitch: float | None = None
    """Likewise, up or down."""
    min_fov: float | None = None
    """Likewise, the vertical field of view."""
    max_similarity: float | None = None
    """Cosine of the whole pictures' vectors, -1 to 1, to any picture kept before."""

    @property
    def asked(self) -> dict[str, float]:
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Measures:
    """How pictures are measured; each is asked only where its threshold is named."""

    picture_quality: Callable[[Image], float] | None = None
    image_quality: Callable[[Image], float] | None = None
    aesthetic: Callable[[Image], float] | None = None
    perspective: Callable[[Image], Perspective] | None = None
    vector: Callable[[Image], NDArray[np.float32]] | None = None
    """Unit vector of a picture."""


@dataclass(frozen=True)
class Verdict:
    """What became of one picture."""

    picture: str
    kept: bool
    reason: str
    """Empty where it is kept."""
    figures: dict[str, float]

    def to_row(self, names: Sequence[str]) -> list[str]:
        figures = [f"{self.figures[name]:.4g}" if name in self.figures else "" for name in names]
        return [self.picture, "kept" if self.kept else "dropped", self.reason, *figures]


def pictures_below(folder: Path) -> list[Path]:
    """Picture files below a folder, sorted."""
    if not folder.is_dir():
        raise WorldGaugeError(f"{folder} is not a folder", "name a folder of pictures")
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    if not found:
        raise WorldGaugeError(f"{folder} holds no picture", f"they end in {', '.join(SUFFIXES)}")
    return found


def curate(
    pictures: Iterable[Path], root: Path, thresholds: Thresholds, measures: Measures, *, drop_untold: bool = False
) -> list[Verdict]:
    """A verdict for every picture, in their order; of pictures that are alike the first is kept.

    A perspective that cannot be told speaks against a picture only with `drop_untold`.
    """
    kept: list[tuple[str, NDArray[np.float32]]] = []
    verdicts = []
    for file in pictures:
        name = file.relative_to(root).as_posix()
        try:
            image = np.asarray(read_picture(file, hint="").convert("RGB"))
        except WorldGaugeError as error:
            verdicts.append(Verdict(name, False, str(error), {}))
            continue
        reason, figures = _too_poor(image, thresholds, measures)
        reason = reason or _badly_taken(image, thresholds, measures, figures, drop_untold=drop_untold)
        if not reason and thresholds.max_similarity is not None:
            reason = _too_alike(image, name, kept, thresholds.max_similarity, measures, figures)
        verdicts.append(Verdict(name, not reason, reason, figures))
    return verdicts


def _too_poor(image: Image, thresholds: Thresholds, measures: Measures) -> tuple[str, dict[str, float]]:
    """The first threshold that a picture misses; figures as far as they were needed."""
    asked: list[tuple[str, float | None, Callable[[Image], float] | None]] = [
        ("brightness", thresholds.min_brightness, brightness),
        ("picture_quality", thresholds.min_picture_quality, measures.picture_quality),
        ("image_quality", thresholds.min_image_quality, measures.image_quality),
        ("aesthetic", thresholds.min_aesthetic, measures.aesthetic),
    ]
    figures: dict[str, float] = {}
    for name, least, measure in asked:
        if least is None:
            continue
        if measure is None:
            raise WorldGaugeError(f"a threshold for {name} and nothing that measures it")
        figures[name] = float(measure(image))
        if figures[name] < least:
            return f"{name} {figures[name]:.4g} is below {least:g}", figures
    return "", figures


def _badly_taken(
    image: Image, thresholds: Thresholds, measures: Measures, figures: dict[str, float], *, drop_untold: bool
) -> str:
    """Why a picture's perspective speaks against it; its figures join the others as far as they can be told."""
    limits = {"roll": thresholds.max_roll, "pitch": thresholds.max_pitch, "fov": thresholds.min_fov}
    asked = {name: limit for name, limit in limits.items() if limit is not None}
    if not asked:
        return ""
    if measures.perspective is None:
        raise WorldGaugeError("a threshold for the perspective and nothing that measures it")
    view = measures.perspective(image)
    told: dict[str, float | None] = {"roll": view.roll, "pitch": view.pitch, "fov": view.fov}
    figures |= {name: value for name in asked if (value := told[name]) is not None}
    for name, limit in asked.items():
        if name not in figures:
            if drop_untold:
                return f"its {name} cannot be told"
        elif name == "fov" and figures[name] < limit:
            return f"fov {figures[name]:.4g} is below {limit:g}"
        elif name != "fov" and abs(figures[name]) > limit:
            return f"{name} {figures[name]:.4g} is beyond {limit:g}"
    return ""


def _too_alike(
    image: Image,
    name: str,
    kept: list[tuple[str, NDArray[np.float32]]],
    most: float,
    measures: Measures,
    figures: dict[str, float],
) -> str:
    """Which kept picture it repeats; else it joins them."""
    if measures.vector is None:
        raise WorldGaugeError("a threshold for similarity and nothing that measures it")
    vector = np.asarray(measures.vector(image), np.float32)
    if kept:
        likeness = np.stack([other for _, other in kept]) @ vector
        nearest = int(np.argmax(likeness))
        figures["similarity"] = float(likeness[nearest])
        if figures["similarity"] > most:
            return f"similarity {figures['similarity']:.4g} to {kept[nearest][0]} is above {most:g}"
    kept.append((name, vector))
    return ""


def brightness(image: Image) -> float:
    """Mean grey level, 0 to 1.

    >>> brightness(np.full((4, 4, 3), 51, np.uint8))
    0.2
    """
    return round(float(grey_of(image).mean()) / 255, 6)


def figure_names(verdicts: Sequence[Verdict]) -> list[str]:
    return list(dict.fromkeys(name for verdict in verdicts for name in verdict.figures))


def summary(verdicts: Sequence[Verdict], thresholds: Thresholds, instruments: dict[str, Any]) -> dict[str, Any]:
    """What goes beside the log: how it was chosen."""
    of_view = [name.partition("_")[2] for name in ("max_roll", "max_pitch", "min_fov") if name in thresholds.asked]
    return {
        "pictures": len(verdicts),
        "kept": sum(verdict.kept for verdict in verdicts),
        "perspective not told": sum(
            verdict.kept and any(name not in verdict.figures for name in of_view) for verdict in verdicts
        ),
        "thresholds": thresholds.asked,
        "instruments": instruments,
    }
