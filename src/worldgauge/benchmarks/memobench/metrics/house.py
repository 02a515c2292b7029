"""House variant of smoothness: what the official metric gets wrong, under another name."""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.memobench.formulas.smoothness import TEMPERATURE, decay
from worldgauge.benchmarks.memobench.signals.phases import timed_warp_errors
from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[timed_warp_errors()], formula=decay)
def house_smoothness(case: Case, warped: Arrays, *, temperature: float = TEMPERATURE) -> Measurement:
    """Smoothness against the reference: how close the warp error is to the reference's own at the same moments.

    A frozen clip warps perfectly, a moving one cannot; being smoother than the truth is as wrong as being rougher.
    """
    error, own = warped["error"], warped["reference_error"]
    both = np.isfinite(error) & np.isfinite(own)
    if not both.any():
        raise Unscored("no pixel is seen in two sampled frames")
    apart = np.where(both, np.abs(error - own), np.nan)
    curve = tuple(decay(float(e), temperature) if np.isfinite(e) else None for e in apart)
    return Measurement(decay(float(np.nanmean(apart)), temperature), curve, frames=warped["pairs"][:, 0].tolist())
