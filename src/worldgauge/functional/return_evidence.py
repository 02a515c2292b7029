"""What a returned target looks like beside the true one: colours, place, and the scenery around it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.turn import bearings, vote_rotation

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
TILE = 12
"""Px; scenery is compared in squares of this side."""
CHANGED = 18.0
"""Grey levels; a square whose mean absolute difference exceeds this shows something else."""
RARE = 0.002
"""Share of a picture below which a colour is rare there."""
LIKE_TRUE = 0.25
"""Colour distance up to which the best match of the true target's picture is taken for the target."""
OTHER_HUE = 10.0
"""Distance in the a, b plane of Lab from which a pixel has another hue; a shadow that comes or goes changes less."""
LEAST_AGREEING = 12
"""Point matches that must agree on one turn before it is believed."""


def colour_histogram(image: Image, where: Mask, bins: int = 6) -> Floats:
    """Share of the pixels of `where` in each cell of a `bins`^3 grid over Lab, (bins^3,); softened by one cell."""
    import cv2

    lab = cv2.cvtColor(image, cv2.COLOR_RGB2LAB)[where].astype(np.float64)
    cells = np.clip(lab * (bins / 256.0), 0, bins - 1e-6).astype(int)
    counts = np.zeros((bins, bins, bins))
    np.add.at(counts, (cells[:, 0], cells[:, 1], cells[:, 2]), 1.0)
    soft = cv2.blur(counts.reshape(bins, bins * bins), (1, 3)).ravel()
    return np.asarray(soft / max(soft.sum(), 1e-12))


def histogram_distance(first: Floats, second: Floats) -> float:
    """Hellinger distance of two histograms, in [0, 1].

    >>> histogram_distance(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    1.0
    """
    return float(np.sqrt(max(0.0, 1.0 - np.sqrt(first * second).sum())))


def ring(mask: Mask) -> Mask:
    """The surroundings of an object: a band about as wide as half its size, a little away from its edge."""
    import cv2

    size = max(3.0, float(np.sqrt(mask.sum())))
    near, far = (cv2.dilate(mask.astype(np.uint8), _disc(r)) for r in (2, 2 + round(0.5 * size)))
    return np.asarray((far > 0) & ~(near > 0))


def novelty(image: Image, mask: Mask) -> float:
    """Share of a mask's pixels whose colour is rare in the rest of the picture, in [0, 1]."""
    rest = ~(mask | ring(mask)) if mask.any() else ~mask
    if not mask.any() or not rest.any():
        return 0.0
    inside, outside = (colour_histogram(image, where, bins=12) for where in (mask, rest))
    return float(inside[outside < RARE].sum())


def changed_around(first: Image, second: Image, mask: Mask) -> float:
    """Pixels around a mask that have another hue in the second image, over the mask's own: another outline shows so."""
    import cv2

    hue, other = (cv2.cvtColor(image, cv2.COLOR_RGB2LAB)[..., 1:].astype(np.float64) for image in (first, second))
    changed = np.linalg.norm(hue - other, axis=2) > OTHER_HUE
    return float((changed & ring(mask)).sum() / max(1, int(mask.sum())))


def find_like(image: Image, picture: Image, mask: Mask) -> Mask:
    """Where in `image` stands what `picture` shows under `mask`, as a mask; empty where nothing like it stands.

    The cut-out is laid everywhere over the image; where it differs least, the colours below it must be its own.
    """
    import cv2

    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    found = np.zeros_like(mask)
    if not len(rows):
        return found
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    weight = np.repeat(mask[box][..., None].astype(np.float32), 3, axis=2)
    cut_out = picture[box].astype(np.float32)
    error = cv2.matchTemplate(image.astype(np.float32), cut_out, cv2.TM_SQDIFF, mask=weight)
    row, column = np.unravel_index(int(error.argmin()), error.shape)
    found[row : row + weight.shape[0], column : column + weight.shape[1]] = mask[box]
    apart = histogram_distance(colour_histogram(image, found), colour_histogram(picture, mask))
    return found if apart <= LIKE_TRUE else np.zeros_like(mask)


def changed_share(first: Image, second: Image, leave_out: Mask) -> float:
    """Share of the scenery's squares that show something else in the second image; NaN when nothing is left."""
    height, width = (side - side % TILE for side in leave_out.shape)
    difference = np.abs(first[:height, :width].astype(np.float64) - second[:height, :width]).mean(axis=2)
    tiles = _tiles(difference).mean(axis=(1, 3))
    free = _tiles(leave_out[:height, :width].astype(np.float64)).mean(axis=(1, 3)) == 0
    return float((tiles[free] > CHANGED).mean()) if free.any() else float("nan")


def turn_between(first: Floats, second: Floats, intrinsics: Floats) -> float:
    """Degrees between two cameras at one place, from matched pixels (K, 2); NaN where the matches do not agree."""
    if len(first) < LEAST_AGREEING:
        return float("nan")
    focal, centre = float(intrinsics[0, 0]), (float(intrinsics[0, 2]), float(intrinsics[1, 2]))
    ahead, behind = bearings(first, focal, centre), bearings(second, focal, centre)
    rotation, agree = vote_rotation(behind, ahead, 4.0 / focal)
    if agree.sum() < max(LEAST_AGREEING, 0.25 * len(first)):
        return float("nan")
    return float(np.degrees(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1))))


def centre_of(mask: Mask) -> Floats:
    """Mean pixel (x, y) of a mask, centres at +0.5; NaN when it is empty."""
    rows, columns = np.nonzero(mask)
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5]) if len(rows) else np.full(2, np.nan)


def touches_border(mask: Mask) -> bool:
    """Whether an object may go on outside the picture."""
    return bool(mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any())


def _disc(radius: int) -> Image:
    import cv2

    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)), np.uint8)


def _tiles(values: Floats) -> Floats:
    height, width = values.shape
    return values.reshape(height // TILE, TILE, width // TILE, TILE)
