"""Motion of the dynamic half: where it should be, how much there is, how smooth it is."""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.worldscore.formulas.flow_cycle import LONGEST, median_magnitude
from worldgauge.benchmarks.worldscore.formulas.interpolation_error import colour_ssim, predicted_numbers, squared_error
from worldgauge.benchmarks.worldscore.formulas.motion_regions import region_contrast
from worldgauge.benchmarks.worldscore.formulas.protocols import FAILED, Protocol
from worldgauge.benchmarks.worldscore.signals.weightless import motion_medians, object_motion, prediction_errors
from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays


@metric(
    version=2,
    unit="px",
    higher_is_better=True,
    bounds=(-LONGEST, LONGEST),
    needs=[object_motion()],
    formula=region_contrast,
)
def motion_accuracy(case: Case, motion: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean of the longest flow inside the objects that should move minus the longest outside.

    Where an object is lost or fills the view, or a side of the frames is odd, the released code stores -100, which
    scores 0.
    """
    contrasts = motion[protocol]
    lost = np.flatnonzero(np.isnan(contrasts))
    if len(lost):
        where = f"the moving object is lost or fills the view in frame {lost[0]}, or a side of the frames is odd"
        return Measurement(FAILED, reason=f"{where}: the released code stores {FAILED:g}")
    return Measurement.from_curve(contrasts)


@metric(
    version=2,
    unit="px/frame",
    higher_is_better=True,
    bounds=(0, LONGEST),
    needs=[motion_medians()],
    formula=median_magnitude,
)
def motion_magnitude(case: Case, motion: Arrays) -> Measurement:
    """Mean over pairs of frames of the median length of the flow."""
    return Measurement.from_curve(motion["median"])


@metric(
    version=2,
    unit="levels^2",
    higher_is_better=False,
    bounds=(0, 65025),
    needs=[prediction_errors()],
    formula=squared_error,
)
def smoothness_mse(case: Case, errors: Arrays, *, wrap: bool = True) -> Measurement:
    """Mean squared error of frames predicted from their neighbours; `wrap`: squares of 8-bit levels modulo 256."""
    return Measurement.from_curve(errors["mse_wrapped" if wrap else "mse"], frames=predicted_numbers)


@metric(version=2, unit="", higher_is_better=True, bounds=(-1, 1), needs=[prediction_errors()], formula=colour_ssim)
def smoothness_ssim(case: Case, errors: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean structural similarity of frames predicted from their neighbours; under `released` with constants for the
    range of values the two frames happen to have."""
    values = errors["ssim" if protocol == "released" else "ssim_full_range"]
    return Measurement.from_curve(values, frames=predicted_numbers)
