"""What the target looks like after it was out of view."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.return_evidence import changed_share, histogram_distance
from worldgauge.signals.return_evidence import return_evidence


@metric(version=3, unit="", higher_is_better=True, bounds=(0, 1), needs=[return_evidence()], formula=histogram_distance)
def return_identity(case: Case, evidence: Arrays) -> Measurement:
    """How much the returned target looks like the true one: 1 less the distance of their colours, over back frames.

    Of the thing that the track found or, where it found none, of what is at the target's true place. Where it was found
    there, the same pixels of both pictures are compared, so a larger or smaller target shows too. Metrics that keep the
    patches of the frame which changed least never see those of a changed target.
    """
    return Measurement.from_curve(
        1.0 - evidence["looks_there"],
        frames=evidence["back_frames"].tolist(),
        left_out=float(evidence["left_out"]),
    )


@metric(version=1, unit="share", higher_is_better=True, bounds=(0, 1), needs=[return_evidence()], formula=changed_share)
def scenery_kept(case: Case, evidence: Arrays) -> Measurement:
    """Share of the surroundings that look as in the reference while the target is away and after its return, over six
    frames each."""
    changed = np.concatenate([evidence["scenery_gone"], evidence["scenery_back"]])
    known = changed[np.isfinite(changed)]
    if not known.size:
        raise Unscored("the target hides all of the surroundings")
    return Measurement(1.0 - float(known.mean()), reason=f"{known.size} frames")
