"""Anchors from a text detector: the surest box of the target's name in the first frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.anchors.first_frames import FirstFrame
from worldgauge.benchmarks.mbench.data.anchors import is_point
from worldgauge.benchmarks.mbench.data.samples import Anchor
from worldgauge.core.canonical import digest_of, short
from worldgauge.core.errors import Unavailable, WorldGaugeError
from worldgauge.core.instrument import Instrument
from worldgauge.core.reading_pictures import read_picture
from worldgauge.engine.seats import REFERENCE, choose_seats

SEAT = "detector"


class Found(Protocol):
    """One object in a frame."""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 in pixels; it may reach beyond the frame."""

    @property
    def confidence(self) -> float: ...

    @property
    def phrase(self) -> str:
        """The words it is."""


Find = Callable[[NDArray[np.uint8], Sequence[str]], Sequence[Sequence[Found]]]
"""Frames (N, H, W, 3) and a caption for each; per frame what of its caption is found in it."""


def open_detector(use: Iterable[str] = (), device: str | None = None) -> Instrument:
    """The instrument of the seat `detector`, loaded as for a run. Raises where there is none, or it gives no boxes."""
    from worldgauge.api.machine import device_for

    seats = choose_seats(REFERENCE, use)
    hint = "or give anchors with --click or --file"
    if reason := seats.reason_seat_empty(SEAT):
        raise Unavailable(f"no target can be looked for: {reason}", hint)
    detector = seats.instruments[SEAT]
    if not callable(getattr(detector, "detections", None)):
        raise Unavailable(f"{detector.name} tells phrases and no boxes", hint)
    detector.load(device_for(device, lambda: bool(detector.weights)))
    return detector


def detect(
    frames: Iterable[FirstFrame], detector: Instrument, keep: Callable[[str, Anchor], None], phrase: str = ""
) -> dict[str, str]:
    """Look for every target and hand its anchor to `keep` at once; returns why others have none.

    `phrase` is looked for where nobody says what the target is called.
    """
    find: Find = getattr(detector, "detections")  # noqa: B009
    version = f"{detector.version}-{short(digest_of(detector.identity()))}"
    refused = {}
    for frame in frames:
        wanted = frame.name or phrase
        if not wanted:
            refused[frame.sample] = "nobody says what its target is called; give --phrase"
            continue
        try:
            picture = np.asarray(read_picture(frame.file).convert("RGB"))
        except WorldGaugeError as problem:
            refused[frame.sample] = str(problem)
            continue
        (found,) = find(picture[None], [wanted])
        anchor = surest(found, (picture.shape[1], picture.shape[0]))
        if anchor is None:
            refused[frame.sample] = f"'{wanted}' is not found in it"
        else:
            keep(frame.sample, anchor.model_copy(update={"source": detector.name, "version": version}))
    return refused


def surest(found: Sequence[Found], size: tuple[int, int]) -> Anchor | None:
    """The box of the highest confidence, clipped to the frame. One of the whole frame says nothing, and is left out."""
    for one in sorted(found, key=lambda each: -each.confidence):
        x0, y0 = max(0.0, one.box[0]), max(0.0, one.box[1])
        x1, y1 = min(float(size[0]), one.box[2]), min(float(size[1]), one.box[3])
        if x1 - x0 < 1 or y1 - y0 < 1:
            continue
        sides = {"center_x": (x0 + x1) / 2, "center_y": (y0 + y1) / 2, "width": x1 - x0, "height": y1 - y0}
        told = {"confidence": one.confidence, "phrase": one.phrase}
        anchor = Anchor.model_validate({**{key: round(value, 3) for key, value in sides.items()}, **told})
        if not is_point(anchor, size):
            return anchor
    return None
