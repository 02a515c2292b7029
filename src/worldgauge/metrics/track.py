"""Whether the target comes back."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.usable import check_enough, over_time, told_left_out
from worldgauge.signals.tracks import object_track


@metric(
    version=3, unit="share", higher_is_better=True, bounds=(0, 1), needs=[object_track()], requires=("phases", "target")
)
def object_presence(case: Case, track: Arrays) -> Measurement:
    """Share of the frames after the return in which the target is seen; one that shows nothing counts as those around
    it."""
    phases = case.reference.phases
    if phases is None:
        raise NotApplicable("the case has no phases")
    used, seen = track["usable"], track["visible"]
    back = used[phases.back :]
    if not len(back):
        raise InvalidVideo(f"the clip ends before frame {phases.back}, where the target should be back")
    check_enough(back, "frames after the return are usable")
    share = over_time(seen[phases.back :], back)
    curve = tuple(float(there) if of_frame else None for there, of_frame in zip(seen, used, strict=True))
    reason = "; ".join(filter(None, (f"{np.count_nonzero(back)} frames after the return", told_left_out(used))))
    return Measurement(share, curve, reason, left_out=1 - float(back.mean()))
