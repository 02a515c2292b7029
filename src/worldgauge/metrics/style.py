"""Whether the style stays the same."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.usable import check_enough, over_time, told_left_out
from worldgauge.signals.style import style_distances


@metric(version=3, unit="share", higher_is_better=True, bounds=(0, 1), needs=[style_distances()])
def style_consistency(case: Case, style: Arrays) -> Measurement:
    """Mean agreement of each usable frame's style with the first one's: 1 less the distance of their Gram matrices.

    The distance is taken as a share of the sum of their sizes, so it lies in [0, 1], and averaged over layers. Frames
    that are not usable count as those around them.
    """
    size, used = style["size"], style["usable"]
    if len(size) < 2:
        raise Unscored("one frame has no other to compare with")
    check_enough(used, "frames are usable")
    first = int(used.argmax())
    apart = style["to_first"] / np.maximum(size + size[first], 1e-12)
    alike, later = (1 - np.clip(apart, 0, 1)).mean(1)[first + 1 :], used[first + 1 :]
    return Measurement.from_curve(
        np.where(later, alike, np.nan),
        lambda _: over_time(alike, later),
        told_left_out(used),
        range(first + 1, len(size)),
        left_out=1 - float(used.mean()),
    )
