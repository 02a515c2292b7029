"""Stored signals as pictures: what a case page lays over a clip. Everything is black where nothing is known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.signal import Arrays
from worldgauge.core.video import Image

Size = tuple[int, int]
"""Width and height of the clip, px."""
_GREEN = np.array([40, 230, 120], dtype=np.uint8)
MOST_FRAMES = 4.0
"""An arrow shows the way of this many frames at most, because that of one may be too short to be seen."""


def masks(track: Arrays) -> Iterator[Image]:
    """The target in green."""
    from worldgauge.signals.tracks import unpack_masks

    for mask in unpack_masks(track):
        yield mask[..., None] * _GREEN


def flow_arrows(pairs: Arrays, size: Size) -> Iterator[Image]:
    """An arrow per cell of the grid, from the middle of the cell; the last frame has the arrows of the pair before it.

    One stretch for the whole clip: nearly all arrows stay shorter than a cell and a half.
    """
    grid = pairs["grid"].astype(np.float64)
    rows, columns = grid.shape[1:3]
    stretch = min(MOST_FRAMES, 1.5 * size[0] / columns / max(1e-6, np.percentile(np.linalg.norm(grid, axis=3), 98)))
    at = np.stack(np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows), axis=2) * size
    for field in [*grid, grid[-1]]:
        ends = at + stretch * field
        yield _lines(at.reshape(-1, 2), ends.reshape(-1, 2), size, arrow=True)


def match_lines(matches: Arrays, size: Size, frames: int) -> Iterator[Image]:
    """Each matched point of the frame's latest pair, with a line to where the pair's other frame has it."""
    starts, points = matches["starts"], matches["points"].astype(np.float64)
    order = np.argsort(matches["pairs"][:, 0], kind="stable")
    firsts = matches["pairs"][order, 0]
    picture = np.zeros((size[1], size[0], 3), np.uint8)
    drawn = -1
    for frame in range(frames):
        latest = int(np.searchsorted(firsts, frame, side="right")) - 1
        if latest != drawn:
            pair = order[latest]
            of_pair = points[starts[pair] : starts[pair + 1]]
            picture, drawn = _lines(of_pair[:, :2], of_pair[:, 2:], size, arrow=False), latest
        yield picture


def depth_maps(depth: Arrays, frames: int) -> Iterator[Image]:
    """Near in red, far in blue, each map until the next; colours span the middle 96 % of the clip's inverse depths."""
    import cv2

    maps = depth["depth"].astype(np.float64)
    known = maps > 0
    inverse = np.divide(1.0, maps, out=np.zeros_like(maps), where=known)
    low, high = np.percentile(inverse[known], [2, 98]) if known.any() else (0.0, 1.0)
    levels = np.clip((inverse - low) / ((high - low) or 1.0) * 255, 0, 255).astype(np.uint8)
    for frame in range(frames):
        latest = max(0, int(np.searchsorted(depth["frames"], frame, side="right")) - 1)
        coloured = cv2.applyColorMap(levels[latest], cv2.COLORMAP_TURBO)[..., ::-1]
        yield coloured * known[latest][..., None]


def _lines(starts: NDArray[np.float64], ends: NDArray[np.float64], size: Size, arrow: bool) -> Image:
    """Lines coloured by direction, pixel centres at +0.5; places that do not move are dots."""
    import cv2

    picture = np.zeros((size[1], size[0], 3), np.uint8)
    thick = max(1, round(size[0] / 400))
    way = ends - starts
    hues = ((np.arctan2(way[:, 1], way[:, 0]) / (2 * np.pi) % 1) * 179).astype(np.uint8)
    colours = cv2.cvtColor(np.stack([hues, hues * 0 + 190, hues * 0 + 255], axis=1)[None], cv2.COLOR_HSV2RGB)[0]
    limit = 4 * max(size)
    points = np.clip(np.rint(np.stack([starts, ends], axis=1) - 0.5), -limit, limit).astype(int).tolist()
    for (start, end), colour in zip(points, colours.tolist(), strict=True):
        if arrow:
            cv2.arrowedLine(picture, start, end, colour, thick, cv2.LINE_AA, tipLength=0.3)
        else:
            cv2.line(picture, start, end, colour, thick, cv2.LINE_AA)
            cv2.circle(picture, start, thick + 1, colour, -1, cv2.LINE_AA)
    return picture
