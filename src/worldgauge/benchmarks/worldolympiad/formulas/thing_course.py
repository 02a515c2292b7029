"""What a thing does over a clip, the camera's motion taken out: its height, its surface, its growth.

Everything is measured from the ground around its foot, in sizes of the thing (the square root of its area), so no scale
is needed and none is claimed. Up is positive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.target_states import of_the_moment

Floats = NDArray[np.float64]
LEAST_FRAMES = 12
"""In a row, that a course may rest on."""
LEAST_KNOWN = 0.5
"""Share of the pairs of frames whose motion must be known; the others lie between their neighbours."""
ENDS = 3
"""Frames whose mean is what a course begins and ends with."""


@dataclass(frozen=True, eq=False)
class Course:
    """A thing in n frames in a row, in which its foot is in the picture."""

    first: int
    """Frame in which it begins."""
    height: Floats
    """(n,) of its lower side over where it was, sizes."""
    surface: Floats | None
    """(n,) the same of its surface, carried on to the foot; None where too few corners tell."""
    lower: Floats | None
    """(n,) the same of the lower half of its surface."""
    lost: float
    """Height that is missing at the end, of a thing of its width, sizes; NaN where its sides are out of the picture."""
    growth: Floats
    """(n,) logarithm of its area against the beginning."""

    def __len__(self) -> int:
        return len(self.height)


def course_of(found: Mapping[str, np.ndarray]) -> Course | str:
    """The longest course that the arrays of `thing_motion` show; in words why there is none."""
    seen = np.isfinite(found["area"]) & ~found["cut"][:, 1]
    first, last = longest_run(seen)
    if last - first < LEAST_FRAMES:
        return f"its foot is in the picture in {last - first} frames in a row, fewer than {LEAST_FRAMES}"
    frames, pairs = slice(first, last), slice(first, last - 1)
    ground = filled(found["ground"][pairs])
    if ground is None:
        return "the motion of the ground around it is not known"
    size = of_the_moment(np.sqrt(found["area"][frames]))

    def against_ground(motion: Floats | None) -> Floats | None:
        return None if motion is None else -summed((motion - ground) / size[:-1])

    height = against_ground(np.diff(found["bottom"][frames]))
    assert height is not None
    width, tall = (
        of_the_moment(found[b][frames] - found[a][frames]) for a, b in (("left", "right"), ("top", "bottom"))
    )
    whole = np.asarray(~found["cut"][frames].any(axis=1))
    zoom = filled(found["zoom"][pairs])
    growth = 2 * np.log(size / size[:ENDS].mean())
    lower = filled(found["lower"][pairs])
    if lower is not None and zoom is not None:
        # What is nearer grows: the middle of the lower half goes up by a quarter of that.
        lower = lower + zoom * tall[:-1] / 4
    return Course(
        first=first,
        height=height,
        surface=against_ground(filled(found["foot"][pairs])),
        lower=against_ground(lower),
        lost=_lost(width, tall, size, whole),
        growth=growth if zoom is None else growth - 2 * summed(zoom),
    )


def _lost(width: Floats, tall: Floats, size: Floats, whole: NDArray[np.bool_]) -> float:
    """As `Course.lost`; a course whose last part is cut goes on as its first part did."""
    first, last = longest_run(whole)
    if first or last < LEAST_FRAMES / 2:
        return float("nan")
    missing = ((tall[:ENDS].mean() / width[:ENDS].mean() * width - tall) / size)[:last]
    return float(np.median(missing[-ENDS:])) * len(size) / last


def longest_run(flags: NDArray[np.bool_]) -> tuple[int, int]:
    """First frame of the longest run of true, and the frame after its last.

    >>> longest_run(np.array([True, False, True, True, False]))
    (2, 4)
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    runs = edges.reshape(-1, 2)
    if not len(runs):
        return 0, 0
    first, last = runs[np.argmax(runs[:, 1] - runs[:, 0])].tolist()
    return first, last


def filled(values: Floats) -> Floats | None:
    """Values whose gaps lie between their neighbours; None where too much is unknown.

    >>> filled(np.array([1.0, np.nan, 3.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    known = np.isfinite(values)
    if not len(values) or known.mean() < LEAST_KNOWN:
        return None
    return np.interp(np.arange(len(values)), np.flatnonzero(known), values[known])


def summed(steps: Floats) -> Floats:
    """(n,) where (n-1,) steps lead, from 0."""
    return np.concatenate([[0.0], np.cumsum(steps)])
