"""Two metrics: do the colours come back, and does the disc turn as fast as asked."""

from __future__ import annotations

from typing import Literal

import numpy as np

from worldgauge import Arrays, Case, InvalidVideo, Measurement, NotApplicable, metric

from .formulas import colour_gap, speed_errors
from .signals import disc_motion


@metric(version=1, unit="levels", higher_is_better=False, bounds=(0, 255), needs=[disc_motion()], formula=colour_gap)
def colour_return(case: Case, motion: Arrays, *, protocol: Literal["workshop", "printed"] = "workshop") -> Measurement:
    """How far the disc's mean colour at the end is from that at the start; `printed` takes the mean square."""
    first, squared = motion["rgb"][0], protocol == "printed"
    curve = [colour_gap(first, later, squared=squared) for later in motion["rgb"]]
    return Measurement(curve[-1], tuple(curve))


@metric(
    version=1,
    unit="share",
    higher_is_better=False,
    bounds=(0, 1),
    needs=[disc_motion()],
    requires=("camera", "extras.pixels_per_degree"),
    formula=speed_errors,
)
def speed_error(case: Case, motion: Arrays) -> Measurement:
    """Mean error of the disc's speed against the one asked for, as a share of it."""
    rotation = case.camera().rotation
    if len(rotation) != len(motion["speed"]) + 1:
        raise InvalidVideo(f"{len(rotation)} angles were asked for, the clip has {len(motion['speed']) + 1} frames")
    steps = np.einsum("nij,nij->n", rotation[1:], rotation[:-1])
    degrees = np.degrees(np.arccos(np.clip((steps - 1) / 2, -1, 1)))
    if not degrees.any():
        raise NotApplicable("the disc was asked to stand still")
    return Measurement.from_curve(speed_errors(motion["speed"], degrees, case.extras["pixels_per_degree"]))
