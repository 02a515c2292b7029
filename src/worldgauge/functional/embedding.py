"""Descriptors of image patches and what is done with them: pooling and cosine similarity.

A grid is (h, w, d): one unit vector per patch. The weight-free descriptor joins two halves of equal weight: which
colours a patch has, and which way its edges run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

COLOUR_CENTRES = 5
"""Centres along each of two chromaticities; three levels of brightness for each pair."""
BRIGHTNESS_CENTRES = 3
CHROMA_SPAN = 0.5
"""Chromaticities from -CHROMA_SPAN to CHROMA_SPAN are told apart."""
DARK = 30.0
"""Sum of RGB added below the fraction line: very dark pixels count as grey instead of as random hues."""
ORIENTATIONS = 8
"""Directions of edges told apart over half a turn."""
MOST_NINES = 6.0
"""What single precision still tells from 1."""
FLATNESS = 8.0
"""Grey levels per pixel; a patch with weaker edges is described as flat rather than by its noise."""


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Vectors along the last axis scaled to length 1; a zero vector stays zero.

    >>> unit(np.array([3.0, 4.0])).round(3).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12), np.float32)


def cosine(first: NDArray[np.floating], second: NDArray[np.floating]) -> NDArray[np.float64]:
    """Cosine between vectors along the last axis, broadcast over the others; 0 where one is zero.

    >>> float(cosine(np.array([1.0, 0.0]), np.array([1.0, 1.0])).round(4))
    0.7071
    """
    product = (np.asarray(first, np.float64) * np.asarray(second, np.float64)).sum(-1)
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    return np.asarray(np.clip(product / np.maximum(lengths, 1e-12), -1.0, 1.0))


def nines(apart: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """One less a similarity, as the number of nines of that similarity; at most MOST_NINES.

    >>> nines(np.array([0.1, 0.0003, 0.0])).round(2).tolist()
    [1.0, 3.52, 6.0]
    """
    return np.asarray(-np.log10(np.maximum(apart, 10.0**-MOST_NINES)))


def pool(grid: Floats, mask: Mask | None = None) -> Floats:
    """One unit vector (d,) for the whole grid, or for what a mask (H, W) of any size covers; zero for an empty mask.

    Each patch counts by the share of it that the mask covers, edge patches less than in proportion: they show
    something else too.
    """
    if mask is None:
        return unit(grid.reshape(-1, grid.shape[-1]).mean(0))
    covered = coverage(mask, grid.shape[0], grid.shape[1])
    return unit(np.einsum("hwd,hw->d", grid, covered**2))


def coverage(mask: Mask, rows: int, columns: int) -> Floats:
    """Share of each cell of a grid that a mask covers, (rows, columns) in [0, 1]."""
    import cv2

    if mask.shape[0] < rows or mask.shape[1] < columns:
        mask = np.repeat(np.repeat(mask, -(-rows // mask.shape[0]), 0), -(-columns // mask.shape[1]), 1)
    return np.asarray(cv2.resize(mask.astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


def describe_patches(image: NDArray[np.uint8], patch: int) -> Floats:
    """Grid (H // patch, W // patch, d) of unit vectors of an RGB image (H, W, 3); border rests are left out.

    `patch` is even.
    """
    import cv2

    rows, columns = image.shape[0] // patch, image.shape[1] // patch
    image = image[: rows * patch, : columns * patch]
    # Colour varies slowly: half the resolution tells it as well in a quarter of the time.
    half = cv2.resize(image, (columns * patch // 2, rows * patch // 2), interpolation=cv2.INTER_AREA)
    colours = unit(np.sqrt(_colour_shares(half, rows, columns)))
    edges = unit(np.sqrt(_edge_energies(image, rows, columns)))
    return np.asarray(np.concatenate([colours, edges], axis=-1) * np.sqrt(0.5), np.float32)


def _colour_shares(image: NDArray[np.uint8], rows: int, columns: int) -> Floats:
    """(rows, columns, centres): how far the pixels of a cell belong to each colour centre; a cell's shares sum to 1."""
    red, green, blue = np.moveaxis(image.astype(np.float32), 2, 0)
    total = red + green + blue
    first = _hats((red - green) / (total + DARK) / CHROMA_SPAN, COLOUR_CENTRES)
    second = _hats((red + green - 2 * blue) / (2 * (total + DARK)) / CHROMA_SPAN, COLOUR_CENTRES)
    light = _hats(total / 382.5 - 1, BRIGHTNESS_CENTRES)
    rest = (second[..., :, None] * light[..., None, :]).reshape(*total.shape, -1)
    # Sums over the pixels of a cell as a product of matrices: the products of every pixel are never written down.
    by_cell = np.swapaxes(_in_cells(first, rows, columns), 2, 3) @ _in_cells(rest, rows, columns)
    return np.asarray(by_cell.reshape(rows, columns, -1) * (rows * columns / total.size), np.float32)


def _hats(values: Floats, centres: int) -> Floats:
    """Linear interpolation weights of values in [-1, 1] between evenly spread centres; values beyond are clipped."""
    position = (np.clip(values, -1, 1) + 1) * ((centres - 1) / 2)
    apart = np.abs(position[..., None] - np.arange(centres, dtype=np.float32))
    return np.asarray(np.maximum(0, 1 - apart), np.float32)


def _edge_energies(image: NDArray[np.uint8], rows: int, columns: int) -> Floats:
    """(rows, columns, 2 * orientations + 1): mean gradient strength by direction at two scales, and FLATNESS."""
    import cv2

    height, width = image.shape[:2]
    row, column = np.arange(height) * rows // height, np.arange(width) * columns // width
    cell = (row[:, None] * columns + column).ravel() * ORIENTATIONS
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
    energies = np.full((rows, columns, 2 * ORIENTATIONS + 1), FLATNESS, np.float32)
    for scale, smooth in enumerate((grey, cv2.GaussianBlur(grey, (0, 0), 2.0))):
        dx, dy = cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8
        strength, angle = (values.ravel() for values in cv2.cartToPolar(dx, dy))
        # Each gradient is shared between the two directions next to it.
        turns = angle * np.float32(ORIENTATIONS / np.pi)
        below = np.floor(turns)
        upper = strength * (turns - below)
        first = below.astype(np.int64) % ORIENTATIONS
        sums = np.bincount(cell + first, strength - upper, rows * columns * ORIENTATIONS)
        sums += np.bincount(cell + (first + 1) % ORIENTATIONS, upper, rows * columns * ORIENTATIONS)
        means = sums.reshape(rows, columns, ORIENTATIONS) * (rows * columns / cell.size)
        energies[..., scale * ORIENTATIONS : (scale + 1) * ORIENTATIONS] = means
    return energies


def _in_cells(values: Floats, rows: int, columns: int) -> Floats:
    """(rows, columns, pixels, C) from an image (H, W, C)."""
    high, wide = values.shape[0] // rows, values.shape[1] // columns
    cells = values.reshape(rows, high, columns, wide, -1).swapaxes(1, 2)
    return cells.reshape(rows, columns, high * wide, -1)
