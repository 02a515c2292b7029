"""Frames that show nothing of the world: blank, noise, flashes, and pictures that belong to neither neighbour.

Told from the clip alone, by its grey frames. What a short span has in common with the frames around it decides, so fast
cameras and clips whose light flickers all the time are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.reasons import TOO_FEW_FRAMES

Fault = Literal["", "blank", "noise", "flash", "foreign"]
"""What is wrong with a frame; empty where nothing is."""
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Views = NDArray[np.float32]
"""(N, h, w) thumbnails."""

LEAST_SHARE = 2 / 3
"""Share of the frames that must be usable; of less nobody can say what the clip shows."""
LEAST_FOUND = LEAST_SHARE**2
"""Share of the frames in which something must be found: two thirds of the usable ones, which may be two thirds."""
LEAST_PAIRS = 1 / 3
"""Share of the pairs of consecutive frames: what is left of them when a third of the frames cannot be used."""
THUMBNAIL = (64, 36)
"""Px; frames are compared at this size, where the motion between neighbours hardly counts."""
MARGIN = (12, 6)
"""Px of it by which the middle of a frame may have moved from one to the next, across and down."""
BLANK = 2.0
"""Grey levels; a frame whose thumbnail varies less than this shows nothing."""
NOISE = 0.3
"""Correlation of pixels side by side; below it there is no picture. Pictures have 0.8 or more, heavy grain 0.6."""
LONGEST_SPAN = 4
"""Frames; what stays longer is another scene or other light, not a fault of single frames."""
FLASH = 18.0
"""Grey levels by which the mean brightness must jump up and back, or down and back, at the ends of a span,"""
FLASH_TIMES = 6.0
"""and how many times the clip's median change of brightness."""
RETURN = 0.35
"""Share of such a jump by which the brightness before and after the span may differ."""
FOREIGN = 0.3
"""How much less a span's ends may resemble the frames around it than these resemble each other (correlations),"""
ALIKE = 0.5
"""and how alike these must be."""


def faults_of(frames: Iterable[NDArray[np.uint8]]) -> list[Fault]:
    """What is wrong with each of the RGB (H, W, 3) or grey (H, W) frames of a clip."""
    small, side_by_side = [], []
    for frame in frames:
        thumbnail, correlation = _looked_at(frame)
        small.append(thumbnail)
        side_by_side.append(correlation)
    views = np.array(small, np.float32).reshape(-1, *THUMBNAIL[::-1])
    blank = views.std(axis=(1, 2)) < BLANK
    noise = ~blank & (np.array(side_by_side) < NOISE)
    faults: list[Fault] = ["blank" if b else "noise" if n else "" for b, n in zip(blank, noise, strict=True)]
    rest = np.flatnonzero(~blank & ~noise)
    for fault, found in _odd_spans(views[rest]):
        for k in rest[found].tolist():
            faults[k] = fault
    return faults


def usable(faults: Sequence[Fault]) -> Bools:
    """(N,) which frames have no fault."""
    return np.array([not fault for fault in faults], bool)


def check_enough(used: Bools, what: str, least: float = LEAST_SHARE) -> None:
    """`Unscored` unless at least a share of the frames, and one of them, are used.

    >>> check_enough(np.array([True, True, False]), "frames are usable")
    >>> check_enough(np.array([True, False, False]), "frames are usable")
    Traceback (most recent call last):
    ...
    worldgauge.core.errors.Unscored: only 1 of 3 frames are usable
    """
    if not used.any() or used.mean() < least - 1e-9:
        raise Unscored(f"only {np.count_nonzero(used)} of {len(used)} {what}", code=TOO_FEW_FRAMES)


def filled_in(values: Floats, used: Bools) -> Floats:
    """(N,) the numbers of all moments, those left out on the line between the ones before and after; NaN without any.

    >>> filled_in(np.array([4.0, 99.0, 2.0, 1.0]), np.array([True, False, True, True])).tolist()
    [4.0, 3.0, 2.0, 1.0]
    """
    known = np.flatnonzero(used & np.isfinite(values))
    if not len(known):
        return np.full(len(values), np.nan)
    return np.asarray(np.interp(np.arange(len(values)), known, np.asarray(values, np.float64)[known]))


def behind_gaps(values: Floats, used: Bools) -> Floats:
    """(N,) the numbers, but right behind frames that are left out the middle one of three: of the frame before the gap,
    its own, and of the frame after; at either end, of the nearest three. What was followed across a gap may be off
    where the gap ends.

    >>> behind_gaps(np.array([1.0, 99.0, 7.0, 2.0, 5.0]), np.array([True, False, True, True, True])).tolist()
    [1.0, 99.0, 2.0, 2.0, 5.0]
    """
    known = np.flatnonzero(used)
    settled = np.array(values, np.float64)
    for k in np.flatnonzero(np.diff(known, prepend=-1) > 1).tolist():
        start = max(0, min(k - 1, len(known) - 3))
        settled[known[k]] = np.median(values[known[start : start + 3]])
    return settled


def over_time(values: Floats, used: Bools) -> float:
    """The mean over all moments, those left out filled in; NaN without any. So a clip that slows down while frames are
    lost is not taken for a faster one, nor one that changes then for one that does not.

    >>> over_time(np.array([4.0, 99.0, 2.0, 1.0]), np.array([True, False, True, True]))
    2.5
    """
    return float(filled_in(values, used).mean()) if len(values) else float("nan")


def told_left_out(used: Bools, what: str = "frames") -> str:
    """How much was left out, for a remark; empty where nothing was.

    >>> told_left_out(np.array([True, False, True, False]))
    '2 of 4 frames left out (frames 1, 3)'
    >>> told_left_out(np.array([True, True]))
    ''
    """
    lost = np.flatnonzero(~used)
    if not len(lost):
        return ""
    return f"{len(lost)} of {len(used)} {what} left out ({in_words(lost).replace('frame', what.removesuffix('s'))})"


class LeftOut(TypedDict):
    """What a measurement says about frames or pairs that could not be used."""

    reason: str
    left_out: float


def left_out_of(used: Bools, what: str) -> LeftOut:
    """
    >>> left_out_of(np.array([True, False]), "pairs")
    {'reason': '1 of 2 pairs left out (pair 1)', 'left_out': 0.5}
    """
    return {"reason": told_left_out(used, what), "left_out": 1 - float(used.mean())}


def in_words(frames: NDArray[np.int64]) -> str:
    """Frame numbers as ranges.

    >>> in_words(np.array([3, 4, 5, 9]))
    'frames 3-5, 9'
    """
    runs = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    words = [f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    shown = ", ".join(words[:6]) + (f" and {len(words) - 6} more stretches" if len(words) > 6 else "")
    return ("frame " if len(frames) == 1 else "frames ") + shown


def _looked_at(frame: NDArray[np.uint8]) -> tuple[NDArray[np.float32], float]:
    """The thumbnail of a frame, and how alike its pixels are to those beside them."""
    import cv2

    height = frame.shape[0]
    # The rows looked at for noise; a picture need not be read whole to tell it from none.
    rows = frame[height // 8 :: max(1, height // 24)]
    lines = (rows.mean(axis=2) if rows.ndim == 3 else rows).astype(np.float64)
    thumbnail = cv2.resize(frame, THUMBNAIL, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(thumbnail, cv2.COLOR_RGB2GRAY) if frame.ndim == 3 else thumbnail
    return grey.astype(np.float32), _correlation(lines[:, 1:].ravel(), lines[:, :-1].ravel())


def _odd_spans(views: Views) -> list[tuple[Fault, slice]]:
    """Short spans of the thumbnails that jump away from the frames around them and back, shortest first."""
    means = views.mean(axis=(1, 2), dtype=np.float64)
    steps = np.abs(np.diff(means))
    jump = max(FLASH, FLASH_TIMES * float(np.median(steps))) if len(steps) else FLASH
    near = np.array([_likeness(one, other) for one, other in pairwise(views)])
    found: list[tuple[Fault, slice]] = []
    taken = np.zeros(len(views), bool)
    for length in range(1, LONGEST_SPAN + 1):
        for start in range(1, len(views) - length):
            span = slice(start, start + length)
            if taken[start - 1 : start + length + 1].any():
                continue
            if _flashes(means, span, jump):
                found.append(("flash", span))
            elif _is_foreign(views, near, span):
                found.append(("foreign", span))
            else:
                continue
            taken[span] = True
    return found


def _flashes(means: Floats, span: slice, jump: float) -> bool:
    before, after = means[span.start - 1], means[span.stop]
    there, back = means[span.start] - before, means[span.stop - 1] - after
    least = min(abs(there), abs(back))
    return bool(there * back > 0 and least > jump and abs(after - before) < RETURN * least)


def _is_foreign(views: Views, near: Floats, span: slice) -> bool:
    """Whether neither end of a span resembles its neighbour, while the two neighbours resemble each other."""
    ends = max(near[span.start - 1], near[span.stop - 1])
    # Before the two neighbours are looked at: next to nothing in ordinary clips passes this.
    if ends > 1 - FOREIGN:
        return False
    over = _likeness(views[span.start - 1], views[span.stop])
    return over > ALIKE and ends < over - FOREIGN


def _likeness(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Correlation of the middle of one picture with the place in the other that resembles it most.

    So a camera that moves shows what it showed before, and one that goes there and back nothing strange between.
    """
    import cv2

    x, y = MARGIN
    return float(cv2.matchTemplate(one, other[y:-y, x:-x], cv2.TM_CCOEFF_NORMED).max())


def _correlation(a: Floats, b: Floats) -> float:
    """1 for equal pictures of any contrast; 1 too where both are flat."""
    a, b = a - a.mean(), b - b.mean()
    sizes = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / sizes if sizes > 1e-6 else 1.0
