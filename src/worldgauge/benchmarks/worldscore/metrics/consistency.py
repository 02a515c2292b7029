"""Consistency of geometry, of colour along the flow, and of style."""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.worldscore.formulas.flow_cycle import LONGEST, cycle_error
from worldgauge.benchmarks.worldscore.formulas.protocols import FAILED, Protocol
from worldgauge.benchmarks.worldscore.formulas.style_gram import matrix_mse
from worldgauge.benchmarks.worldscore.signals.weightless import anchor_numbers, anchor_styles, flow_cycles
from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.poses import rigid_cameras


@metric(
    version=3,
    unit="px/8",
    higher_is_better=False,
    bounds=(0, 1e4),
    needs=[rigid_cameras()],
    formula=rigid_cameras.function,
)
def reprojection_error(case: Case, cameras: Arrays) -> Measurement:
    """Mean distance by which points of a rigid scene miss their predicted place in another frame, over all points of
    all pairs of frames that are compared, in pixels of an eighth of 512x512. The official tracker compares the frames
    that the edges of its keyframe graph join, under both protocols; the pocket set compares consecutive frames."""
    means, points = cameras["distance"], cameras["sightings"]
    if not points.any():
        raise Unscored("no point was seen in both frames of a pair")
    pooled = float((means * points).sum() / points.sum())
    reason = f"{int(points.sum())} sightings"
    if "pairs" not in cameras:
        return Measurement(pooled, tuple(means.tolist()), reason=reason)
    frames, row = np.unique(cameras["pairs"][:, 0], return_inverse=True)
    sums, counts = np.bincount(row, means * points), np.bincount(row, points)
    curve = tuple(float(s / n) if n else None for s, n in zip(sums, counts, strict=True))
    return Measurement(pooled, curve, f"{reason} along {len(means)} pairs of frames", frames=tuple(frames.tolist()))


@metric(version=2, unit="px", higher_is_better=False, bounds=(0, LONGEST), needs=[flow_cycles()], formula=cycle_error)
def flow_cycle_error(case: Case, flow: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean distance between a pixel and where it lands after going to the next frame and back.

    Of a frame that is all margin the released code makes NaN, which it scores 0; `-FAILED` stands for it.
    """
    if np.isnan(flow["released"]).any() and protocol == "released":
        return Measurement(
            -FAILED, reason="nothing is left of the frame without its margin: the released code scores 0"
        )
    if np.isnan(flow[protocol]).all():
        raise Unscored("nothing is left of the frame without its margin, or no point stays in view")
    return Measurement.from_curve(flow[protocol])


@metric(version=1, unit="", higher_is_better=False, bounds=(0, 1e6), needs=[anchor_styles()], formula=matrix_mse)
def style_difference(case: Case, styles: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean difference of Gram matrices: later anchors against the input image, or the two ends of each layout."""
    # Later anchors under the one protocol, layouts from their first frame on under the other.
    chosen = slice(1, None) if protocol == "released" else slice(-1)
    return Measurement.from_curve(styles[protocol], frames=lambda count: anchor_numbers(case, count)[chosen])
