"""What the columns say of clips that must score 0, and of the clips of models."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from worldgauge.benchmarks.worldscore.bounds.material import Frames, Image, Material
from worldgauge.benchmarks.worldscore.bounds.way import Way
from worldgauge.benchmarks.worldscore.formulas.empirical_bounds import morph, odd_frames_mixed
from worldgauge.core.case import Case, Condition
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video

PAIRED: Final = {"reprojection_error": 0.0, "optical_flow_aepe": 0.0, "gram_matrix": 0.0}
"""Worst on a clip that turns one picture into another, with the best there is."""
SMOOTH: Final = {"smoothness_mse": 0.0, "smoothness_ssim": 1.0, "smoothness_lpips": 0.0}
"""Worst on a clip whose odd frames are means of their neighbours."""
OF_MODELS: Final = ("clip_score", "clip_iqa", "clip_aesthetic", "motion_accuracy", "motion_magnitude")
"""No natural bounds: the z rule."""
PAIR_SEED: Final = 0
PAIR_FRAMES: Final = 5
"""From one picture to the other. The paper names no number; the more there are, the less changes in one step."""
Values = dict[str, float | None]
"""Column to its raw value; None where the instruments could not tell."""
Step = Callable[[str, int, int], None]


def pairs_of(names: Sequence[str], seed: int = PAIR_SEED) -> dict[str, str]:
    """Every name with another drawn at random; two that were drawn together are each other's.

    >>> pairs_of(["a", "b"])
    {'a': 'b', 'b': 'a'}
    """
    if len(names) < 2:
        raise WorldGaugeError(f"{len(names)} pictures make no pair", "give two videos or more")
    order = random.Random(seed).sample(list(names), len(names))
    drawn = {
        a: b for first, last in zip(order[::2], order[1::2], strict=False) for a, b in ((first, last), (last, first))
    }
    return {name: drawn.get(name, order[0]) for name in names}


def paired_values(
    material: Material, way: Way, frames: int, reasons: dict[str, str], on_step: Step
) -> Iterator[tuple[str, Values]]:
    """What the columns say of clips that turn one picture into another."""
    seat = way.seats.reason_seat_empty("interpolation")
    if seat is not None:
        reasons.update(dict.fromkeys(PAIRED, seat))
        return
    interpolation: Any = way.seats.instruments["interpolation"]
    interpolation.load("cpu" if way.device == "auto" else way.device)

    def between(before: Image, after: Image) -> Image:
        halfway: Image = interpolation.between(before[None], after[None])[0]
        return halfway

    partner = pairs_of(list(material.pictures))
    measure = _measurer(way, tuple(PAIRED), reasons)
    for number, (name, picture) in enumerate(material.pictures.items(), start=1):
        first, last = picture(), material.pictures[partner[name]]()
        yield name, measure(morph(first, last, frames, between), first)
        on_step("pairs", number, len(material.pictures))


def smooth_values(material: Material, way: Way, reasons: dict[str, str], on_step: Step) -> Iterator[tuple[str, Values]]:
    """What the columns say of clips whose odd frames are means of their neighbours."""
    measure = _measurer(way, tuple(SMOOTH), reasons)
    for number, (name, clip) in enumerate(material.clips.items(), start=1):
        yield name, measure(odd_frames_mixed(clip()))
        on_step("clips", number, len(material.clips))


def performed_values(
    material: Material, way: Way, reasons: dict[str, str], on_step: Step
) -> dict[str, dict[str, Values]]:
    """Model to world to what the columns say."""
    found: dict[str, dict[str, Values]] = {}
    if not material.performances:
        return found
    measure = _measurer(way, OF_MODELS, reasons)
    for number, (world, performances) in enumerate(material.performances.items(), start=1):
        for model, case, frames in performances():
            found.setdefault(model, {})[world] = measure(frames, case=case)
        on_step("models", number, len(material.performances))
    return found


def _measurer(way: Way, columns: tuple[str, ...], reasons: dict[str, str]) -> Callable[..., Values]:
    """A function from frames to values; why a column has none is noted in `reasons`."""
    from worldgauge.api.one_video import Measurer

    uses = way.uses()
    measurer = Measurer([uses[column] for column in columns], way.instrument_set, way.overrides, way.device)

    def measure(frames: Frames, picture: Image | None = None, case: Case | None = None) -> Values:
        video = Video.from_array(frames, layout="THWC")
        with tempfile.TemporaryDirectory(prefix="worldgauge-bounds-") as folder:
            given = case or Case(id="clip")
            if picture is not None:
                given = _with_picture(given, picture, Path(folder))
            found = measurer.measure(given, video)
        for column in columns:
            if found[column].value is None:
                reasons[column] = found[column].reason
        return {column: found[column].value for column in columns}

    return measure


def _with_picture(case: Case, picture: Image, folder: Path) -> Case:
    from PIL import Image as Pictures

    Pictures.fromarray(picture).save(folder / "first.png")
    return case.model_copy(update={"condition": Condition(image="first.png")}).at(folder)
