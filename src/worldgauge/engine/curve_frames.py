"""Which frames of the clip the numbers of a curve belong to."""

from __future__ import annotations

from collections.abc import Sequence

from worldgauge.core.case import Phases
from worldgauge.core.metric import Measurement
from worldgauge.core.signal import SignalUse


def curve_frames(
    measurement: Measurement, needs: Sequence[SignalUse], count: int, phases: Phases | None
) -> list[int] | None:
    """Frame numbers of a curve in a clip of `count` frames; None where they are 0, 1, 2, ... to the end of the clip.

    What the metric says counts; where it says nothing, the frames that one of its signals sampled, if there are as
    many. Raises `ValueError` for frames that are not those of such a curve in such a clip.
    """
    if measurement.curve is None:
        return None
    length, stated = len(measurement.curve), measurement.frames
    if stated is None:
        return _sampled(needs, length, count, phases)
    found = [int(frame) for frame in (stated(count) if callable(stated) else stated)]
    if len(found) != length:
        raise ValueError(f"{len(found)} frames for the {length} numbers of its curve")
    outside = next((frame for frame in found if not 0 <= frame < count), None)
    if outside is not None:
        raise ValueError(f"a number for frame {outside} of a clip of {count} frames")
    return None if found == list(range(length)) and count - length in (0, 1) else found


def _sampled(needs: Sequence[SignalUse], length: int, count: int, phases: Phases | None) -> list[int] | None:
    for use in needs:
        if use.of != "video" or use.frames.choice == "all" or (use.frames.choice == "phase" and phases is None):
            continue
        indices = use.frames.indices(count, phases)
        # One number for each sampled frame, or for each two that follow each other.
        if len(indices) - length in (0, 1):
            return indices[:length]
    return None
