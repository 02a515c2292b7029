"""Whether the target comes back."""

from __future__ import annotations

from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.tracks import object_track


@metric(
    version=1, unit="share", higher_is_better=True, bounds=(0, 1), needs=[object_track()], requires=("phases", "target")
)
def object_presence(case: Case, track: Arrays) -> Measurement:
    """Share of the frames after the return in which the target is seen."""
    phases = case.reference.phases
    if phases is None:
        raise NotApplicable("the case has no phases")
    back = track["visible"][phases.back :]
    if not len(back):
        raise InvalidVideo(f"the clip ends before frame {phases.back}, where the target should be back")
    seen = track["visible"].astype(float)
    return Measurement(float(back.mean()), tuple(seen.tolist()), f"{len(back)} frames after the return")
