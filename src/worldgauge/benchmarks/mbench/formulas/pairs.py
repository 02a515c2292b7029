"""Which frames are compared: views that look alike early and late in a clip, with the evidence for each choice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.pose import geodesic_deg

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Pairs = list[tuple[int, int]]

EARLY_LATE = "early_late"
FOLD = "fold"
SYMMETRIC = "symmetric"


@dataclass(frozen=True, eq=False)
class Chosen:
    """Pairs of frames, early and late, and why these."""

    pairs: Pairs
    rule: str
    """EARLY_LATE, FOLD, or SYMMETRIC where there is no clear turnaround."""
    turnaround: int = -1
    """The frame farthest from the first pose; -1 where nobody looked."""
    excursion: float = 0.0
    """How far that is: length and angle as in `nearness`."""


def segment_frames(count: int, segments: int) -> list[range]:
    """The frames of each of equally long segments of a clip.

    >>> segment_frames(10, 3)
    [range(0, 3), range(3, 6), range(6, 10)]
    """
    ends = [k * count // segments for k in range(segments + 1)]
    return [range(first, last) for first, last in pairwise(ends)]


def steps_and_turns(poses: Floats, firsts: Ints, seconds: Ints) -> tuple[Floats, Floats]:
    """Distance between camera centres and angle in degrees for every first with every second frame, (F, S) each."""
    one, other = poses[firsts][:, None], poses[seconds][None]
    step = np.linalg.norm(one[..., :3, 3] - other[..., :3, 3], axis=-1)
    return np.asarray(step), geodesic_deg(one[..., :3, :3], other[..., :3, :3])


def early_late_pairs(
    poses: Floats, *, segments: int = 5, keep: int = 5, step_scale: float = 0.1, turn_scale: float = 10.0
) -> Chosen:
    """The pairs of an early and a late frame that look from the most similar poses (N, 4, 4).

    Early are the first two segments, late the last two. A pair scores exp(-|step| / step_scale - degrees / turn_scale);
    of equal ones that of the longer span is first.

    Source: MBench, 4.2.1 and App. B; spec of fold pairs for text.

    >>> early_late_pairs(np.tile(np.eye(4), (10, 1, 1)), keep=2).pairs
    [(0, 9), (0, 8)]
    """
    parts = segment_frames(len(poses), segments)
    several = 2 if segments >= 4 else 1
    early = np.array([i for part in parts[:several] for i in part])
    late = np.array([i for part in parts[-several:] for i in part])
    if not early.size or not late.size:
        return Chosen([], EARLY_LATE)
    step, turn = steps_and_turns(poses, early, late)
    # The logarithm ranks alike and does not run into zero.
    likeness = (-step / step_scale - turn / turn_scale).ravel()
    first, second = (part.ravel() for part in np.meshgrid(early, late, indexing="ij"))
    order = np.lexsort((first - second, -likeness.round(12)))[:keep]
    return Chosen([(int(first[k]), int(second[k])) for k in order], EARLY_LATE)


def fold_pairs(poses: Floats, *, keep: int = 20, least_excursion: float = 0.05) -> Chosen:
    """Every frame of the way out with the frame of the way back nearest to it in pose, the longest spans kept.

    The turnaround is the frame farthest from the first pose, by |step| + degrees / 180. Where it is nearer than
    `least_excursion`, or is the last frame, there is no clear one: frame i goes with N - 1 - i.

    Source: MBench, 4.2.1 and Eq. 18.

    >>> yaw = np.radians([0, 10, 20, 10, 0])
    >>> turn = np.tile(np.eye(4), (5, 1, 1))
    >>> turn[:, 0, 0] = turn[:, 2, 2] = np.cos(yaw)
    >>> turn[:, 0, 2], turn[:, 2, 0] = np.sin(yaw), -np.sin(yaw)
    >>> fold_pairs(turn).pairs, fold_pairs(turn[:3]).rule
    ([(0, 4), (1, 3)], 'symmetric')
    """
    count = len(poses)
    away = nearness(poses, np.zeros(1, np.int64), np.arange(count))[0]
    turnaround = int(away.argmax())
    excursion = float(away[turnaround])
    if excursion < least_excursion or not 0 < turnaround < count - 1:
        middle = [(i, count - 1 - i) for i in range(count // 2)]
        return Chosen(middle[:keep], SYMMETRIC, turnaround, excursion)
    out, back = np.arange(turnaround), np.arange(turnaround + 1, count)
    apart = nearness(poses, out, back)
    # Of equally near frames the later one: it spans more.
    nearest = back[::-1][apart[:, ::-1].round(12).argmin(axis=1)]
    order = np.argsort(out - nearest, kind="stable")[:keep]
    return Chosen([(int(out[k]), int(nearest[k])) for k in order], FOLD, turnaround, excursion)


def nearness(poses: Floats, firsts: Ints, seconds: Ints) -> Floats:
    """|step| + degrees / 180 between every first and every second frame, (F, S).

    Source: MBench, Eq. 18.
    """
    step, turn = steps_and_turns(poses, firsts, seconds)
    return step + turn / 180.0
