"""Which moments a clip shows: in the right direction of time, and one at a time."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays
from worldgauge.functional.glimpses import blended_shares, forward_share, steps_off
from worldgauge.functional.usable import check_enough, left_out_of
from worldgauge.metrics.usable import of_usable_frames
from worldgauge.signals.glimpses import frame_glimpses
from worldgauge.signals.usable import usable_frames

_BOTH = [frame_glimpses(), frame_glimpses(of="reference")]


@metric(
    version=5,
    unit="",
    higher_is_better=True,
    bounds=(-1, 1),
    needs=[*_BOTH, usable_frames()],
    formula=forward_share,
)
def temporal_direction(case: Case, frames: Arrays, true: Arrays, shown: Arrays) -> Measurement:
    """Whether time runs forwards, told by the reference: 1 as there, 0 where it stands, -1 where it runs backwards."""
    used = shown["usable"]
    value, curve = forward_share(_as_floats(frames), _as_floats(true), used)
    if not np.isfinite(value):
        raise NotApplicable("the reference hardly changes, so no direction of time shows in it")
    check_enough(used, "frames are usable")
    found = Measurement.from_curve(curve)
    return Measurement(min(max(value, -1.0), 1.0), found.curve, **left_out_of(used, "frames"))


@metric(
    version=3,
    unit="share of clip",
    higher_is_better=False,
    bounds=(0, 1),
    needs=[*_BOTH, usable_frames()],
    formula=steps_off,
)
def out_of_step(case: Case, frames: Arrays, true: Arrays, shown: Arrays) -> Measurement:
    """How far the moments that are shown lie from the reference's at the same time: loops, leaps, other speeds. A frame
    that is not usable counts as those around it."""
    used = shown["usable"]
    check_enough(used, "frames are usable")
    value, curve = steps_off(_as_floats(frames), _as_floats(true), used)
    if not np.isfinite(value):
        raise Unscored("too few frames show a moment of the reference", code=TOO_FEW_FRAMES)
    found = Measurement.from_curve(curve)
    return Measurement(min(max(value, 0.0), 1.0), found.curve, **left_out_of(used, "frames"))


@metric(
    version=2,
    unit="share",
    higher_is_better=False,
    bounds=(0, 1),
    needs=[*_BOTH, usable_frames()],
    formula=blended_shares,
)
def double_images(case: Case, frames: Arrays, true: Arrays, shown: Arrays) -> Measurement:
    """How much of another moment shows through the frames: 0 for one moment each, 1 for two halves in every frame. One
    that is not usable counts as those around it."""
    shares = np.clip(blended_shares(_as_floats(frames), _as_floats(true)), 0.0, 1.0)
    return of_usable_frames(shares, shown["usable"])


def _as_floats(frames: Arrays) -> np.ndarray:
    return np.asarray(frames["glimpses"], np.float64)
