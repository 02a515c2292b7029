"""Whether the style stays the same."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.style import style_distances


@metric(version=1, unit="share", higher_is_better=True, bounds=(0, 1), needs=[style_distances()])
def style_consistency(case: Case, style: Arrays) -> Measurement:
    """Mean agreement of each frame's style with the first frame's: 1 less the distance of their Gram matrices.

    The distance is taken as a share of the sum of their sizes, so it lies in [0, 1], and averaged over layers.
    """
    size = style["size"]
    if len(size) < 2:
        raise Unscored("one frame has no other to compare with")
    apart = style["to_first"] / np.maximum(size + size[0], 1e-12)
    return Measurement.from_curve((1 - np.clip(apart, 0, 1)).mean(1)[1:], frames=range(1, len(size)))
