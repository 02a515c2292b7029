"""Plain metrics of optical flow, one number per pair of consecutive frames."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.flow import magnitude, photometric_error, round_trip
from worldgauge.functional.usable import LEAST_PAIRS, check_enough, left_out_of, over_time
from worldgauge.signals.flow import flow_pairs

LONGEST = 20000.0
"""Px; no flow vector in an 8K frame is longer."""


@metric(version=3, unit="px", higher_is_better=False, bounds=(0, LONGEST), needs=[flow_pairs()], formula=round_trip)
def flow_consistency(case: Case, flow: Arrays) -> Measurement:
    """Mean forward-backward error of the flow between consecutive usable frames, over pixels that stay in view."""
    measured = _between_usable(flow, "consistency_error")
    if all(error is None for error in measured.curve or ()):
        raise Unscored("no pixel stays in view from one frame to the next")
    return measured


@metric(version=3, unit="px/frame", higher_is_better=None, bounds=(0, LONGEST), needs=[flow_pairs()], formula=magnitude)
def flow_magnitude(case: Case, flow: Arrays) -> Measurement:
    """Mean length of the flow between consecutive usable frames: how much moves, camera and objects together."""
    return _between_usable(flow, "magnitude_mean")


def _between_usable(flow: Arrays, name: str) -> Measurement:
    """The mean over time, told by pairs of frames that both show the world."""
    pairs = flow["usable"]
    check_enough(pairs, "pairs of consecutive frames are usable", LEAST_PAIRS)
    return Measurement.from_curve(
        np.where(pairs, flow[name], np.nan),
        lambda _: over_time(flow[name], pairs),
        **left_out_of(pairs, "pairs"),
    )


@metric(
    version=2,
    unit="share of full range",
    higher_is_better=False,
    bounds=(0, 1),
    needs=[flow_pairs()],
    formula=photometric_error,
)
def warp_error(case: Case, flow: Arrays) -> Measurement:
    """Mean absolute difference between a frame and its neighbour warped onto it, both ways, on pixels seen in both.

    Flashes and blank frames count, since a point that goes dark does not keep its colour; most pairs must be usable.
    """
    check_enough(flow["usable"], "pairs of consecutive frames are usable", LEAST_PAIRS)
    both = (flow["warp_error_forward"] + flow["warp_error_backward"]) / 2
    if not np.isfinite(both).any():
        raise Unscored("no pixel is seen in two consecutive frames")
    return Measurement.from_curve(both)
