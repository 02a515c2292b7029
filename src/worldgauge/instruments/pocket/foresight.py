"""Where an object that stood still must be seen, told by the camera's own path.

For things that are looked at again from another side with other colours: neither their look nor the surroundings then
tell where they are, but two sights from before they left do. Whether something with their outline stands there is
asked of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.functional.pose import invert
from worldgauge.instruments.pocket.colour_model import Bins, Mask, colour_bins
from worldgauge.instruments.pocket.place_memory import outline_agreement
from worldgauge.instruments.pocket.poses import BundlePoses, Trajectory
from worldgauge.instruments.pocket.silhouette import redrawn

Floats = NDArray[np.float64]

LEAST_SIGHTS = 3
"""Sure sightings that a position may rest on,"""
LEAST_ANGLE = 1.5
"""and degrees between the outermost directions they look from."""
FARTHER = tuple(np.geomspace(0.75, 4 / 3, 13).tolist())
"""Times the measured distance at which the object may really be: a short way there tells directions better."""
PROBES = 4
"""Frames by which one of these distances is chosen."""
SHIFTS = (-0.08, 0.0, 0.08)
"""The foreseen mask is also tried this far aside, as a share of its size: the middle of what is seen from one side is
not quite the middle of what is seen from another."""
LEAST_INSIDE = 0.7
"""Share of the foreseen mask that must be in view."""


@dataclass(frozen=True, eq=False)
class Standing:
    """An object that does not move: where it is and how large."""

    place: Floats
    """(3,) in the world of the path."""
    size: float
    """Square root of its area, in the path's unit of length."""
    shape: Mask
    """Its mask in one frame."""


def recall_by_path(
    frames: Sequence[NDArray[np.uint8]], sure: Sequence[tuple[int, Mask]], unseen: Sequence[int]
) -> dict[int, tuple[Mask, float]]:
    """Masks, with the agreement of their outlines, of the unseen frames that should show the object; empty where the
    path or the place is not known.

    The outline seen from one side is not quite the one seen from another: it is redrawn by the colours that are there
    before it is asked how well they draw it. Where something stands that helps much, where nothing does, little.
    """
    try:
        path = BundlePoses().trajectory(frames)
    except Unscored:
        return {}
    standing = _standing(path, sure) if path.moves and not path.doubt else None
    if standing is None:
        return {}
    bins = {frame: colour_bins(frames[frame]) for frame in unseen if path.placed[frame]}
    probes = list(bins)[:: max(1, len(bins) // PROBES)]

    def drawn(there: Standing) -> float:
        return sum(_best(bins[frame], _foreseen(there, path, frame, (0.0,)))[1] for frame in probes)

    nearest = max((_at(standing, path, times) for times in FARTHER), key=drawn)
    found = {frame: _best(bins[frame], _foreseen(nearest, path, frame, SHIFTS))[0] for frame in bins}
    masks = {frame: redrawn(mask, bins[frame]) for frame, mask in found.items() if mask is not None}
    return {frame: (mask, outline_agreement(bins[frame], mask)) for frame, mask in masks.items()}


def _best(bins: Bins, guesses: Sequence[Mask]) -> tuple[Mask | None, float]:
    """The guess whose outline the picture draws best."""
    return max(((guess, outline_agreement(bins, guess)) for guess in guesses), key=lambda g: g[1], default=(None, 0.0))


def _at(standing: Standing, path: Trajectory, times: float) -> Standing:
    """The same sights, if the object is that many times as far from where the path begins."""
    start = path.poses[0][:3, 3]
    return Standing(start + times * (standing.place - start), standing.size * times, standing.shape)


def _standing(path: Trajectory, sure: Sequence[tuple[int, Mask]]) -> Standing | None:
    """From the directions in which its middle was seen; None when they are too few or too much alike."""
    sights = [(frame, mask) for frame, mask in sure if path.placed[frame]]
    if len(sights) < LEAST_SIGHTS:
        return None
    inverse = np.linalg.inv(path.lens.matrix())
    rays, centres = [], []
    for frame, mask in sights:
        ray = path.poses[frame][:3, :3] @ inverse @ np.array([*_middle(mask), 1.0])
        rays.append(ray / np.linalg.norm(ray))
        centres.append(path.poses[frame][:3, 3])
    directions = np.array(rays)
    # The point nearest to all rays: each ray leaves only what lies across it.
    across = np.eye(3) - directions[:, :, None] * directions[:, None, :]
    place = np.linalg.lstsq(across.sum(0), np.einsum("nij,nj->i", across, np.array(centres)), rcond=None)[0]
    if np.degrees(np.arccos(np.clip((directions @ directions.T).min(), -1, 1))) < LEAST_ANGLE:
        return None
    depths = [(invert(path.poses[frame])[:3] @ np.array([*place, 1.0]))[2] for frame, _ in sights]
    if min(depths) <= 0:
        return None
    sizes = [np.sqrt(np.count_nonzero(mask)) * z / path.lens.focal for (_, mask), z in zip(sights, depths, strict=True)]
    return Standing(place, float(np.median(sizes)), sights[-1][1])


def _foreseen(standing: Standing, path: Trajectory, frame: int, shifts: Sequence[float]) -> list[Mask]:
    """The mask as it should look in a frame, and variants of it; none where it is out of view."""
    import cv2

    lens = path.lens
    x, y, depth = invert(path.poses[frame])[:3] @ np.array([*standing.place, 1.0])
    height, width = standing.shape.shape
    if depth <= 0:
        return []
    u, v = lens.focal * x / depth + lens.centre[0], lens.focal * y / depth + lens.centre[1]
    size = standing.size * lens.focal / depth
    u0, v0 = _middle(standing.shape)
    whole = np.count_nonzero(standing.shape)
    zoom = size / np.sqrt(whole)
    masks = []
    for right in shifts:
        for down in shifts:
            x0, y0 = u + right * size - zoom * u0, v + down * size - zoom * v0
            matrix = np.array([[zoom, 0, x0], [0, zoom, y0]], np.float32)
            mask = cv2.warpAffine(standing.shape.astype(np.float32), matrix, (width, height)) > 0.5
            if np.count_nonzero(mask) >= LEAST_INSIDE * whole * zoom**2:
                masks.append(np.asarray(mask))
    return masks


def _middle(mask: Mask) -> tuple[float, float]:
    """Column and row of the middle, pixel centres at +0.5."""
    rows, columns = np.nonzero(mask)
    return float(columns.mean()) + 0.5, float(rows.mean()) + 0.5
