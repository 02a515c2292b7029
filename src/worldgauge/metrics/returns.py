"""What the target looks like after it was out of view."""

from __future__ import annotations

from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.return_evidence import histogram_distance
from worldgauge.signals.return_evidence import return_evidence


@metric(version=2, unit="", higher_is_better=True, bounds=(0, 1), needs=[return_evidence()], formula=histogram_distance)
def return_identity(case: Case, evidence: Arrays) -> Measurement:
    """How much the returned target looks like the true one: 1 less the distance of their colours, over back frames.

    Of the thing that the track found or, where it found none, of what is at the target's true place. Metrics that keep
    the patches of the frame which changed least never see those of a changed target.
    """
    return Measurement.from_curve(
        1.0 - evidence["looks_true"],
        frames=evidence["back_frames"].tolist(),
        left_out=float(evidence["left_out"]),
    )
