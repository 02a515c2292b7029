"""The target against the true one: whether its process went on, and whether it kept its colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phases import split, stretch
from worldgauge.functional.target_states import (
    States,
    colours_apart,
    distances,
    evolution,
    of_the_moment,
    stalled,
)
from worldgauge.functional.usable import check_enough, filled_in, told_left_out
from worldgauge.signals.target_states import target_colours, target_states

_BOTH = [target_states(), target_states(of="reference")]


@metric(version=4, unit="share", higher_is_better=True, bounds=(0, 1), needs=_BOTH, formula=evolution)
def state_evolution(case: Case, states: Arrays, true: Arrays) -> Measurement:
    """How far the target's process went on as in the reference: 1 for its true place, size and looks, 0 for a process
    that stood still: while the target was out of view, or all along where it never leaves.

    Asked after the return where the target leaves, else from the first quarter on; a frame that shows nothing counts as
    those around it.
    """
    ours, theirs = _states(states), _states(true)
    count, true_count = len(ours.size), len(theirs.size)
    phases = case.reference.phases
    if phases is None:
        asked, lagging = np.arange(count // 4, count), np.zeros(true_count, np.int64)
    else:
        asked = np.array(split(phases.gone, phases.back, true_count, count, "disjoint").back_frames, np.int64)
        lagging = np.maximum(0, np.arange(true_count) - (phases.back - phases.gone))
    twins = np.array(stretch(0, true_count - 1, count), np.int64)
    asked = asked[theirs.seen[twins[asked]]]
    seen = np.flatnonzero(theirs.seen)
    if not len(asked) or not len(seen):
        raise Unscored("the target is not found in the reference")
    used = states["usable"][asked]
    check_enough(used, "frames that should show the target are usable")
    # Of the state a stand would show, the picture nearest in time.
    shows = seen[np.abs(seen - lagging[:, None]).argmin(axis=1)]
    apart = distances(ours.at(asked), theirs.at(twins[asked]))
    still = stalled(theirs, shows, *_camera(case, true_count))
    changed = distances(still.at(twins[asked]), theirs.at(twins[asked]))
    curve = Measurement.from_curve(np.where(used, apart, np.nan)).curve
    lost = int(np.isnan(apart[used]).sum())
    reason = f"{lost} of {used.sum()} frames without the target count as a stand" if lost else ""
    left_out = 1 - float(used.mean())
    return Measurement(evolution(apart, changed, used), curve, reason, frames=asked.tolist(), left_out=left_out)


@metric(
    version=3,
    unit="Lab levels",
    higher_is_better=False,
    bounds=(0, 450),
    needs=[target_colours()],
    formula=colours_apart,
)
def target_colour_error(case: Case, colours: Arrays) -> Measurement:
    """Distance of the target's mean colour from the true one's at the same moment, over frames that show both; single
    frames count as those around them. Over the same pixels of both pictures where the two are at one place."""
    used, shown = colours["usable"], colours["shown"]
    # The first frame is given.
    curve = of_the_moment(np.append(np.nan, colours["apart"][1:]))
    known = np.isfinite(curve)
    if not known.any():
        raise Unscored("no frame shows the target as the reference does")
    check_enough(used[shown], "frames that should show the target are usable")
    lost = shown & ~used
    return Measurement.from_curve(
        curve,
        lambda _: filled_in(curve, known)[known | lost].mean(),
        told_left_out(~lost),
        left_out=1 - float(used[shown].mean()),
    )


def _states(arrays: Arrays) -> States:
    return States(arrays["place"], arrays["size"], np.asarray(arrays["looks"], np.float64))


def _camera(case: Case, frames: int) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Poses of the reference's frames, and the lens in frame heights; neither without a path that tells both."""
    try:
        camera = case.camera("reference")
    except NotApplicable:
        return None, None
    if camera.intrinsics is None or camera.size is None or len(camera) < frames:
        return None, None
    height = camera.size[1]
    return camera.poses[:frames], np.diag([1 / height, 1 / height, 1.0]) @ camera.intrinsics[0]
