"""Picture quality."""

from __future__ import annotations

from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.quality import frame_quality


@metric(version=1, unit="index", higher_is_better=True, bounds=(0, 1), needs=[frame_quality()])
def picture_quality(case: Case, quality: Arrays) -> Measurement:
    """Mean sharpness of the frames lowered by noise and blockiness; tells blur, grain and coarse coding, not beauty."""
    return Measurement.from_curve(quality["overall"])
