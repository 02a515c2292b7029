"""Motion seen coarsely, in cells of a fixed grid: how it agrees with the true motion, trembles, and what light does.

Velocities are in frame heights per frame, so that clips of any size compare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.usable import filled_in

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
ROWS, COLUMNS = 9, 16
"""Cells of the grid, whatever the shape of the frame."""
FAINT = 2e-4
"""Frame heights per frame; the noise of a flow estimate on a scene that stands still, averaged over a cell."""
SAMPLES = 2500
"""Pixels whose light is compared in a pair of frames."""
STEADIEST = 1 / 8
"""Share of the moments of a clip in which any camera that does not shake is steady."""
LEAST_MOMENTS = 3
"""Moments that this must be: one may be steady by chance, however much a camera shakes."""
DARK = 8.0
"""8-bit levels added before a ratio of two brightnesses is taken: the noise of the darkest pixels counts little."""


def cell_velocities(flow: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean displacement of each cell, (ROWS, COLUMNS, 2) in frame heights, of a flow field (H, W, 2) in pixels."""
    import cv2

    cells = cv2.resize(flow, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA)
    return np.asarray(cells / flow.shape[0], np.float32)


def light_gain(first: Image, second: Image, flow: NDArray[np.float32]) -> Floats:
    """How much brighter the same points are in the second frame, (3,) per colour channel in stops; NaN without any.

    The median over points followed by the flow: what comes into view or is hidden does not count as light.
    """
    height, width = first.shape[:2]
    step = max(1, int(np.sqrt(height * width / SAMPLES)))
    y, x = (grid.ravel() for grid in np.mgrid[0:height:step, 0:width:step])
    to_x, to_y = (np.round(p + flow[y, x, k]) for k, p in enumerate((x, y)))
    inside = (to_x >= 0) & (to_x < width) & (to_y >= 0) & (to_y < height)
    if not inside.any():
        return np.full(3, np.nan)
    before = first[y[inside], x[inside]].astype(np.float64)
    after = second[to_y[inside].astype(int), to_x[inside].astype(int)]
    return np.asarray(np.median(np.log2((after + DARK) / (before + DARK)), axis=0))


def motion_agreement(ours: Floats, theirs: Floats) -> tuple[float, Floats]:
    """How far two clips move alike: 1 for the same motion in every cell at every moment, 0 for none in common; second,
    the same for each pair of frames.

    One less the summed lengths of the differences over the summed lengths of both motions. Clips of other length or
    rate are stretched over one another; a pair of frames without a motion counts as those before and after.

    >>> still, right = np.zeros((3, 1, 1, 2)), np.tile([0.1, 0.0], (3, 1, 1, 1))
    >>> [round(motion_agreement(right, other)[0], 2) for other in (right, right / 2, still, -right)]
    [1.0, 0.67, 0.0, 0.0]
    """
    pairs = len(ours)
    at = np.round(np.arange(pairs) * (len(theirs) - 1) / max(1, pairs - 1)).astype(int)
    true = theirs[at] * (len(theirs) / pairs)
    apart = np.linalg.norm(ours - true, axis=-1).mean((1, 2))
    size = (np.linalg.norm(ours, axis=-1) + np.linalg.norm(true, axis=-1)).mean((1, 2))
    shown = np.isfinite(apart)
    share = filled_in(apart, shown).sum() / (filled_in(size, shown) + FAINT).sum()
    return 1.0 - float(share), 1.0 - apart / (size + FAINT)


def tremble(velocities: Floats) -> Floats:
    """(N-2,) by how much the picture's common motion changes from one pair of frames to the next, frame heights; NaN
    where one of the two pairs has no motion.

    A camera that pans, even one that starts and stops, changes its motion in some frames; one that shakes, in all.

    >>> speed = np.array([1.0, 2.0, 2.0, np.nan, 3.0])
    >>> tremble(np.stack([speed, 0 * speed], -1)[:, None, None]).tolist()
    [1.0, 0.0, nan, nan]
    """
    common = np.median(velocities.reshape(len(velocities), -1, 2), axis=1)
    return np.asarray(np.linalg.norm(np.diff(common, axis=0), axis=1))


def of_the_steadiest(changes: Floats) -> float:
    """The mean of the smallest ones: the share STEADIEST of all, but no fewer than LEAST_MOMENTS where there are more.

    A camera that is thrown around stands still before and after. So few moments decide that a few more or less, as
    where frames are lost, leave the number as it is.

    >>> of_the_steadiest(np.array([1.0, 2.0, 3.0, 9.0])), of_the_steadiest(np.arange(32.0))
    (2.0, 1.5)
    """
    wanted = max(LEAST_MOMENTS, STEADIEST * len(changes))
    weight = np.clip(wanted - np.arange(len(changes)), 0.0, 1.0)
    return float((np.sort(changes) * weight).sum() / weight.sum())
