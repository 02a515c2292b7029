"""How the picture moves: as the true one does, and without shaking."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.reasons import OF_THE_CASE, TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays
from worldgauge.functional.motion_cells import motion_agreement as agreement
from worldgauge.functional.motion_cells import of_the_steadiest, tremble
from worldgauge.functional.usable import left_out_of
from worldgauge.signals.motion import motion_cells, shown_pairs


@metric(
    version=3,
    unit="share",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[motion_cells(), motion_cells(of="reference")],
    formula=agreement,
)
def motion_agreement(case: Case, motion: Arrays, true: Arrays) -> Measurement:
    """How far the picture moves as the reference does, cell by cell and moment by moment: 1 for the same motion, 0 for
    a clip that stands still while the reference moves, or moves the other way."""
    shown = shown_pairs(motion)
    shown_pairs(true, OF_THE_CASE)
    value, curve = agreement(*(np.asarray(cells["velocity"], np.float64) for cells in (motion, true)))
    if not np.isfinite(value):
        raise Unscored("no pair of frames shows its motion here and in the reference", code=TOO_FEW_FRAMES)
    found = Measurement.from_curve(np.clip(curve, 0.0, 1.0))
    return Measurement(min(max(value, 0.0), 1.0), found.curve, **left_out_of(shown, "pairs"))


@metric(
    version=3,
    unit="% of height/frame2",
    higher_is_better=False,
    bounds=(0, 1000),
    needs=[motion_cells()],
    formula=tremble,
)
def camera_shake(case: Case, motion: Arrays) -> Measurement:
    """How much the picture's common motion changes from frame to frame, in the steadiest eighth of the clip: a camera
    that sets out, turns and stops is steady at times, one that shakes never is. Moments next to bad frames have no say.
    """
    shown, velocity = shown_pairs(motion), np.asarray(motion["velocity"], np.float64)
    if len(velocity) < 2:
        raise Unscored("two frames have one motion, which cannot change")
    curve = 100 * tremble(velocity)
    if not np.isfinite(curve).any():
        raise Unscored("no three usable frames follow one another", code=TOO_FEW_FRAMES)
    return Measurement.from_curve(
        np.minimum(curve, 1000.0), of_the_steadiest, frames=range(1, len(curve) + 1), **left_out_of(shown, "pairs")
    )
