"""Light and tones: exposure that drifts, exposure that jumps, tones in steps."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.glimpses import tone_fullness
from worldgauge.functional.light import drift_since_start, jumps
from worldgauge.functional.motion_cells import light_gain
from worldgauge.functional.usable import left_out_of
from worldgauge.metrics.usable import of_usable_frames
from worldgauge.signals.glimpses import frame_glimpses
from worldgauge.signals.motion import motion_cells, shown_pairs
from worldgauge.signals.usable import usable_frames

STOPS = 100.0
"""No 8-bit video drifts further."""


@metric(version=3, unit="stops", higher_is_better=False, bounds=(0, STOPS), needs=[motion_cells()], formula=light_gain)
def lighting_drift(case: Case, motion: Arrays) -> Measurement:
    """How far exposure and colour of the light are from the first frame's, mean over frames, on points followed from
    frame to frame: what the camera looks at does not matter, nor what a frame that is not usable does to the light."""
    shown = shown_pairs(motion)
    curve = np.minimum(drift_since_start(np.where(shown[:, None], motion["gain"], np.nan)), STOPS)
    return Measurement.from_curve(curve, frames=range(1, len(curve) + 1), **left_out_of(shown, "pairs"))


@metric(version=2, unit="stops", higher_is_better=False, bounds=(0, STOPS), needs=[motion_cells()], formula=jumps)
def exposure_jumps(case: Case, motion: Arrays) -> Measurement:
    """How much the exposure of the same points jumps between neighbouring frames, beyond what it does around them.

    Flashes and blank frames count; most pairs must be usable.
    """
    shown_pairs(motion)
    return Measurement.from_curve(np.minimum(jumps(motion["gain"]), STOPS))


@metric(
    version=2,
    unit="share",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[frame_glimpses(), usable_frames()],
    formula=tone_fullness,
)
def tonal_smoothness(case: Case, frames: Arrays, shown: Arrays) -> Measurement:
    """Share of the tones within a frame's range that occur in it, mean over frames: banding leaves gaps. A frame that
    is not usable counts as those around it: black has no gaps."""
    return of_usable_frames(frames["tones"], shown["usable"])
