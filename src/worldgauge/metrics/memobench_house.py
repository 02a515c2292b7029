"""House variants of MemoBench's smoothness and identity: what the official metrics get wrong, under other names."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.smoothness import TEMPERATURE, decay
from worldgauge.signals.memobench import timed_warp_errors
from worldgauge.signals.memobench_evidence import return_evidence


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[timed_warp_errors()])
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
    return Measurement(decay(float(np.nanmean(apart)), temperature), curve)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[return_evidence()])
def house_identity(case: Case, evidence: Arrays) -> Measurement:
    """How much the returned target looks like the true one: 1 less the distance of their colours, over back frames.

    Of the thing that the track found or, where it found none, of what is at the target's true place. The official
    metric keeps the patches of the frame that changed least, which are never those of a changed target.
    """
    return Measurement.from_curve(1.0 - evidence["looks_true"])
