"""The thing a case is about: its outline, the motion of its surface, and that of the ground it stands on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.thing_sides import Sides, fitted_motion, sides_of
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.masks import Mask, resize_mask
from worldgauge.instruments.pocket.corner_tracks import Grey, step
from worldgauge.signals.tracks import object_track, unpack_masks

Floats = NDArray[np.float64]
Points = NDArray[np.float32]
ON_THING, AROUND = 80, 150
"""Corners looked for in each frame on the thing and around its foot."""
QUALITY = (0.003, 0.005)
"""Smallest response of such a corner, as a share of the strongest there."""
WINDOW = 11
"""Px; side of the square that is looked for again: things are small."""
REACH = (2.0, 0.6, 1.2)
"""How far beside, above and below its foot the surroundings of a thing reach, in sizes of the thing."""
BANDS = 8
"""Into which the height of a thing is divided: what burns or runs empty changes from above."""
FASTEST_ZOOM = 0.06
"""Growth of the surroundings from frame to frame beyond which the fit is at fault."""


@signal(version=2, reads=("video",), needs=(object_track(),), frames=FrameSpec().within(416), cost=0.05)
def thing_motion(clip: Clip, track: Arrays) -> Arrays:
    """Outline and surface of the target in each frame, and how both and the ground move; px, downwards positive.

    Frames (N): `top`, `bottom`, `left`, `right` sides of its mask and `area`, NaN where it is not seen; `cut` (N, 4):
    whether it reaches the picture's upper, lower, left, right edge; `bands` (N, BANDS, 3): its mean colour between
    equal heights from its upper side to its lower one, Lab in 8-bit levels.
    Pairs of frames (N-1), NaN where too few corners tell: `foot`: motion of its surface, carried on to its lower side;
    `lower`: that of the lower half; `ground`: motion of the surroundings at its foot; `zoom`: how much larger they
    become, a share.
    """
    frames = clip.frames()
    width, height = frames.size
    masks = [resize_mask(mask, height, width) for mask in unpack_masks(track)]
    return read_motion([np.asarray(frame) for frame in frames], masks)


def read_motion(frames: list[NDArray[np.uint8]], masks: list[Mask]) -> Arrays:
    """As `thing_motion`, of RGB frames (H, W, 3) and the masks (H, W) of the thing in them."""
    import cv2

    greys = [np.asarray(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY), np.uint8) for frame in frames]
    sides = [sides_of(mask) for mask in masks]
    rows = [_row(side) for side in sides]
    names = ("top", "bottom", "left", "right", "area")
    found = {name: np.array([row[k] for row in rows]) for k, name in enumerate(names)}
    found["bands"] = np.array([_bands(*one) for one in zip(frames, masks, sides, strict=True)])
    found["cut"] = np.array([[edge.any() for edge in (m[0], m[-1], m[:, 0], m[:, -1])] for m in masks])
    pairs = [_pair(greys[k : k + 2], masks[k : k + 2], sides[k : k + 2]) for k in range(len(frames) - 1)]
    table = np.array(pairs).reshape(-1, 4)
    return found | {name: table[:, k] for k, name in enumerate(("foot", "lower", "ground", "zoom"))}


def _row(side: Sides | None) -> tuple[float, ...]:
    if side is None:
        return (float("nan"),) * 5
    return side.top, side.bottom, side.left, side.right, side.area


def _bands(frame: NDArray[np.uint8], mask: Mask, side: Sides | None) -> Floats:
    """(BANDS, 3) colours from above to below; a band that has no pixel has the colour of the thing."""
    import cv2

    if side is None:
        return np.full((BANDS, 3), np.nan)
    lab = cv2.cvtColor(np.ascontiguousarray(frame), cv2.COLOR_RGB2LAB)[mask].astype(np.float64)
    place = (np.nonzero(mask)[0] - side.top) / (side.bottom - side.top) * BANDS
    found = np.tile(lab.mean(0), (BANDS, 1))
    for band in range(BANDS):
        inside = (place >= band) & (place < band + 1)
        if inside.any():
            found[band] = lab[inside].mean(0)
    return found


def _pair(greys: list[Grey], masks: list[Mask], sides: list[Sides | None]) -> tuple[float, float, float, float]:
    """Foot, lower, ground, zoom of two frames."""
    import cv2

    foot = lower = ground = zoom = float("nan")
    here, there = sides
    if here is None or there is None:
        return foot, lower, ground, zoom
    at, size = (here.middle, here.bottom), here.size
    shift = np.array([there.middle - here.middle, there.bottom - here.bottom], np.float32)
    inner = cv2.erode(masks[0].astype(np.uint8), np.ones((3, 3), np.uint8))
    points, moved = _followed(greys, inner, ON_THING, QUALITY[0], 2, shift)
    # A corner that leaves the thing was none of its own.
    kept = masks[1][tuple(np.round(moved).astype(int).T[::-1])] if len(moved) else np.zeros(0, bool)
    points, moved = points[kept], moved[kept]
    found = fitted_motion(points, (moved - points)[:, 1], at, size)
    if found is not None:
        foot = float(found[0])
        low = points[:, 1] > (here.top + here.bottom) / 2
        lower = float(np.median((moved - points)[low, 1])) if low.sum() >= 4 else foot
    outer = _surroundings(masks, here)
    points, moved = _followed(greys, outer, AROUND, QUALITY[1], 3, np.zeros(2, np.float32))
    down = fitted_motion(points, (moved - points)[:, 1], at, size)
    right = fitted_motion(points, (moved - points)[:, 0], at, size)
    if down is not None and right is not None:
        ground = float(down[0])
        rate = float(right[1]) / size
        zoom = rate if abs(rate) < FASTEST_ZOOM else float("nan")
    return foot, lower, ground, zoom


def _surroundings(masks: list[Mask], here: Sides) -> NDArray[np.uint8]:
    """(H, W) what lies around the foot of a thing and is not the thing in either frame."""
    import cv2

    height, width = masks[0].shape
    beside, above, below = (reach * here.size for reach in REACH)
    rows = slice(max(0, int(here.bottom - above)), min(height, int(here.bottom + below)))
    columns = slice(max(0, int(here.left - beside)), min(width, int(here.right + beside)))
    around = np.zeros((height, width), np.uint8)
    around[rows, columns] = 1
    thing = cv2.dilate((masks[0] | masks[1]).astype(np.uint8), np.ones((5, 5), np.uint8))
    around[thing > 0] = 0
    return around


def _followed(
    greys: list[Grey], where: NDArray[np.uint8], most: int, quality: float, spacing: int, shift: Points
) -> tuple[Floats, Floats]:
    """Corners (K, 2) of the first frame where a mask allows them, and where they are in the second."""
    import cv2

    corners = cv2.goodFeaturesToTrack(greys[0], most, quality, spacing, mask=where)
    if corners is None:
        return np.zeros((0, 2)), np.zeros((0, 2))
    points = corners.reshape(-1, 2)
    tries = [step(greys[0], greys[1], points, points + by, WINDOW) for by in (np.zeros(2, np.float32), shift)]
    moved, kept = max(tries, key=lambda found: int(found[1].sum()))
    return points[kept].astype(np.float64), moved[kept].astype(np.float64)
