"""From a guess of where an object is to its mask: colour evidence and the guess's own shape, weighed pixel by pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.pocket.colour_model import Bins, ColourModel, Mask

Point = tuple[float, float]
"""Column and row."""

SMALLEST = 6
"""Pixels; anything smaller says nothing about colours."""
COLOUR_WEIGHT = 0.6
COLOUR_LIMIT = 4.0
"""Largest log ratio a single pixel's colour may claim."""
SOFTNESS = 2.0 / 30
"""Distance over which the guess's border is unsure, as a share of the object's size."""
SHAPE_LIMITS = (-6.0, 3.0)
"""Log odds far outside and deep inside the guess."""
MARGIN = 0.4
"""How far beyond the guess to look, as a share of the object's size."""
MOST_FILLED = 2.0
"""Times as large as before a mask may become by what lies between its parts."""
BORDER = 1.5
"""Pixels from an outline within which both sides mix and teach nothing."""
REDRAWN = 2
"""Times that an outline follows the colours that it holds."""
LEAST_REDRAWN = 20
"""Pixels inside an outline from which on their colours may draw a mask."""
ZOOMS = (0.3, 4.0)
"""Times as large as remembered that an object may have become."""
RING = 0.08
"""What lies farther from the guess than this share of its size counts as surroundings."""


def segment(guess: Mask, bins: Bins, model: ColourModel, rounds: int = 1) -> Mask:
    """The object's mask (H, W) near a guess; empty when nothing there looks like it. More rounds let it grow."""
    for _ in range(rounds):
        if np.count_nonzero(guess) < SMALLEST:
            return np.zeros_like(guess)
        guess = _segment_once(guess, bins, model)
    return guess


def filled(mask: Mask, bins: Bins, model: ColourModel) -> Mask:
    """The mask with what lies between its parts and has colours that the object has, whoever else has them too.

    White stripes before a white wall are kept that way. The mask itself where it would become more than `MOST_FILLED`
    times as large: its parts are then not of one thing.
    """
    import cv2

    if np.count_nonzero(mask) < SMALLEST:
        return mask
    view = window(mask, 0.0)
    its_own = cv2.GaussianBlur(model.has(bins[view]).astype(np.float32), (0, 0), 1.0) > 0.5
    result = mask.copy()
    result[view] |= hull(mask[view]) & its_own
    return result if np.count_nonzero(result) <= MOST_FILLED * np.count_nonzero(mask) else mask


def redrawn(outline: Mask, bins: Bins) -> Mask:
    """The mask that the colours here draw near an outline, whatever colours the object had before.

    A mask that is less than half or more than twice as large as the one before is not taken: it is of something else.
    """
    for _ in range(REDRAWN):
        distance = signed_distance(outline)
        inside, near = distance > BORDER, np.zeros_like(outline)
        if np.count_nonzero(inside) < LEAST_REDRAWN:
            return outline
        near[window(outline, MARGIN)] = True
        result = segment(outline, bins, ColourModel(bins, inside, near & (distance < -BORDER)))
        if not 0.5 < np.count_nonzero(result) / np.count_nonzero(outline) < 2:
            return outline
        outline = result
    return outline


def laid_over(shape: Mask, core: Mask, found: Mask) -> Mask:
    """A remembered mask moved and scaled so that its core (its telling colours) falls on the core found in a frame."""
    zoom = np.sqrt(np.count_nonzero(found) / np.count_nonzero(core))
    return moved(shape, _centre(core), _centre(found), float(np.clip(zoom, *ZOOMS)))


def stood_on(shape: Mask, core: Mask, found: Mask) -> Mask:
    """The same, its core as wide as the one found and both on one ground: what burnt down is not farther away."""
    (left0, right0, ground0), (left1, right1, ground1) = _stand(core), _stand(found)
    zoom = float(np.clip((right1 - left1) / (right0 - left0), *ZOOMS))
    return moved(shape, ((left0 + right0) / 2, ground0), ((left1 + right1) / 2, ground1), zoom)


def moved(shape: Mask, point: Point, to: Point, zoom: float) -> Mask:
    """A mask scaled and moved so that a point of it (column, row) falls on another."""
    import cv2

    matrix = np.array([[zoom, 0, to[0] - zoom * point[0]], [0, zoom, to[1] - zoom * point[1]]], np.float32)
    return np.asarray(cv2.warpAffine(shape.astype(np.float32), matrix, shape.shape[::-1]) > 0.5)


def is_whole(mask: Mask) -> bool:
    """Whether the object is seen, and not cut by the frame's edge."""
    return bool(mask.any() and not (mask[[0, -1]].any() or mask[:, [0, -1]].any()))


def hull(mask: Mask) -> Mask:
    """The smallest convex shape around a mask that is not empty."""
    import cv2

    corners = cv2.convexHull(np.argwhere(mask)[:, ::-1].astype(np.int32))
    return np.asarray(cv2.fillConvexPoly(np.zeros(mask.shape, np.uint8), corners, 1) > 0)


def solidity(mask: Mask) -> float:
    """Share of its hull that a mask fills."""
    return np.count_nonzero(mask) / np.count_nonzero(hull(mask))


def dilate(mask: Mask, radius: int) -> Mask:
    """The mask and everything within `radius` pixels of it, by a square."""
    import cv2

    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((2 * radius + 1,) * 2, np.uint8)) > 0)


def _segment_once(guess: Mask, bins: Bins, model: ColourModel) -> Mask:
    import cv2

    size = max(8.0, float(np.sqrt(np.count_nonzero(guess))))
    view = window(guess, MARGIN)
    inner, colours = guess[view], bins[view]
    distance = signed_distance(inner)
    evidence = np.clip(model.log_ratio(colours, distance < -max(2.0, size * RING)), -COLOUR_LIMIT, COLOUR_LIMIT)
    shape = np.clip(distance / max(1.0, SOFTNESS * size), *SHAPE_LIMITS)
    inside = COLOUR_WEIGHT * cv2.GaussianBlur(evidence, (0, 0), 0.8) + shape > 0
    count, labels, stats, _ = cv2.connectedComponentsWithStats(inside.astype(np.uint8), connectivity=8)
    area = stats[:, cv2.CC_STAT_AREA]
    overlap = np.bincount(labels[inner], minlength=count)
    # A part belongs to the object when it is more than a speck and grows out of the guess.
    kept = (area >= max(4, 0.02 * np.count_nonzero(guess))) & (overlap >= 0.3 * area)
    kept[0] = False
    result = np.zeros_like(guess)
    result[view] = kept[labels]
    return result


def signed_distance(mask: Mask) -> NDArray[np.float32]:
    """Pixels to the border of the mask, positive inside. The frame's edge is no border: the object goes on beyond."""
    import cv2

    padded = np.pad(mask, 1, mode="edge").astype(np.uint8)
    inside = cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1]
    outside = cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 3)
    if mask.all():
        return np.full(mask.shape, float(max(mask.shape)), np.float32)
    return np.asarray(np.where(mask, inside - 0.5, 0.5 - outside), np.float32)


def window(mask: Mask, margin: float) -> tuple[slice, slice]:
    """Rows and columns of a mask and of what lies around it, up to `margin` of the object's size."""
    reach = int(max(8.0, float(np.sqrt(np.count_nonzero(mask)))) * margin) + 4
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return (
        slice(max(0, int(rows[0]) - reach), int(rows[-1]) + reach + 1),
        slice(max(0, int(columns[0]) - reach), int(columns[-1]) + reach + 1),
    )


def _centre(mask: Mask) -> Point:
    rows, columns = np.nonzero(mask)
    return float(columns.mean()), float(rows.mean())


def _stand(mask: Mask) -> tuple[float, float, float]:
    """Its left and right ends and its lower one."""
    columns = np.flatnonzero(mask.any(0))
    return float(columns[0]), float(columns[-1] + 1), float(np.flatnonzero(mask.any(1))[-1] + 1)
