"""Where an object that stood still must be seen, told by the camera's own path.

For things that are looked at again from another side with other colours: neither their look nor the surroundings then
tell where they are, but two sights from before they left do. Whether something with their outline stands there is
asked of the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.functional.pose import invert
from worldgauge.instruments.pocket.colour_model import Mask, colour_bins
from worldgauge.instruments.pocket.place_memory import outline_agreement
from worldgauge.instruments.pocket.poses import BundlePoses, Trajectory
from worldgauge.instruments.pocket.silhouette import is_whole, moved, redrawn

Floats = NDArray[np.float64]

LEAST_SIGHTS = 3
"""Sure sightings that a position may rest on,"""
LEAST_ANGLE = 1.5
"""and degrees between the outermost directions they look from."""
ASIDE = tuple(np.linspace(-0.9, 0.9, 7).tolist())
"""How far beside the foreseen place the search for the outline begins, in sizes of the object,"""
ZOOMS = (0.95, 1.15, 1.4)
"""and how many times as large as foreseen: a short way there tells directions better than distances."""
BEGINNINGS = 5
"""Best ones of these that are followed up,"""
FIRST_STEP, HALVINGS = 0.15, 4
"""in steps of this many sizes, or of this share of the zoom, then of half as much, and so on,"""
MOST_ASIDE, ZOOMED = 1.3, (0.9, 1.5)
"""and no farther than this."""
DOUBTED = 0.1
"""Agreement that an outline loses for each size that it lies beside the foreseen place."""
PROBES = 2
"""Frames by which the outline's place is chosen."""
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


@dataclass(frozen=True)
class Fit:
    """How the object is seen other than foreseen."""

    right: float
    """Sizes of the object that it lies beside the foreseen place,"""
    down: float
    zoom: float
    """and times that it is as large as foreseen."""

    @property
    def doubt(self) -> float:
        """Agreement that it loses by lying aside."""
        return DOUBTED * float(np.hypot(self.right, self.down))

    @property
    def allowed(self) -> bool:
        """Whether a path is ever so far off."""
        return max(abs(self.right), abs(self.down)) <= MOST_ASIDE and ZOOMED[0] <= self.zoom <= ZOOMED[1]

    def around(self, step: float, times: float) -> list[Fit]:
        """Those one step away."""
        right, down, zoom = self.right, self.down, self.zoom
        shifted = [Fit(right + x, down + y, zoom) for x, y in ((step, 0), (-step, 0), (0, step), (0, -step))]
        zoomed = [Fit(right, down, zoom * times), Fit(right, down, zoom / times)]
        return [fit for fit in (*shifted, *zoomed) if fit.allowed]


def recall_by_path(
    frames: Sequence[NDArray[np.uint8]], sure: Sequence[tuple[int, Mask]], unseen: Sequence[int]
) -> tuple[float, dict[int, Mask]]:
    """How well the picture draws the outline of the object where it should stand, 1 at most, and its masks in the
    unseen frames that should show it; 0 and none where the path or the place is not known.

    After a long turn a path is seldom right to the size of the object, but it is off by the same in all these frames.
    So one shift and one size are looked for that the picture draws best, believed the less the farther aside. Then
    the outline, which from another side is not quite the same, is redrawn by the colours that are there.
    """
    nothing: tuple[float, dict[int, Mask]] = 0.0, {}
    try:
        path = BundlePoses().trajectory(frames)
    except Unscored:
        return nothing
    standing = _standing(path, sure) if path.moves else None
    if standing is None:
        return nothing
    bins = {frame: colour_bins(frames[frame]) for frame in unseen if path.placed[frame]}
    probes = _probes(standing, path, list(bins))
    if not probes:
        return nothing

    def drawn(fit: Fit) -> float:
        masks = {frame: _foreseen(standing, path, frame, fit) for frame in probes}
        shares = [outline_agreement(bins[frame], mask) if is_whole(mask) else 0.0 for frame, mask in masks.items()]
        return float(np.mean(shares)) - fit.doubt

    agreement, fit = _best_fit(drawn)
    outlines = {frame: _foreseen(standing, path, frame, fit) for frame in bins}
    return agreement, {frame: redrawn(mask, bins[frame]) for frame, mask in outlines.items() if mask.any()}


def _probes(standing: Standing, path: Trajectory, frames: Sequence[int]) -> list[int]:
    """Some of the later frames that should show the object whole."""
    as_foreseen = Fit(0.0, 0.0, ZOOMED[0])
    whole = [frame for frame in frames if is_whole(_foreseen(standing, path, frame, as_foreseen))]
    asked = whole or list(frames)[-2 * PROBES :]
    return asked[len(asked) // 2 :][:: max(1, len(asked) // (2 * PROBES))][:PROBES]


def _best_fit(drawn: Callable[[Fit], float]) -> tuple[float, Fit]:
    """The fit that is drawn best, and how well, climbed to from the best ones of a coarse grid."""
    grid = [Fit(right, down, zoom) for zoom in ZOOMS for right in ASIDE for down in ASIDE]
    return max((_climbed(fit, drawn) for fit in sorted(grid, key=drawn)[-BEGINNINGS:]), key=lambda found: found[0])


def _climbed(fit: Fit, drawn: Callable[[Fit], float]) -> tuple[float, Fit]:
    """Step by step to where no neighbour is drawn better."""
    value, step, times = drawn(fit), FIRST_STEP, 1 + FIRST_STEP
    for _ in range(HALVINGS):
        while True:
            best, found = max(((drawn(other), other) for other in fit.around(step, times)), key=lambda tried: tried[0])
            if best <= value:
                break
            value, fit = best, found
        step, times = step / 2, times**0.5
    return value, fit


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


def _foreseen(standing: Standing, path: Trajectory, frame: int, fit: Fit) -> Mask:
    """The mask as it should look in a frame; empty where too little of it is in view."""
    lens, shape = path.lens, standing.shape
    x, y, depth = invert(path.poses[frame])[:3] @ np.array([*standing.place, 1.0])
    if depth <= 0:
        return np.zeros_like(shape)
    size = standing.size * lens.focal / depth
    column = lens.focal * x / depth + lens.centre[0] + fit.right * size
    row = lens.focal * y / depth + lens.centre[1] + fit.down * size
    whole = np.count_nonzero(shape)
    zoom = float(fit.zoom * size / np.sqrt(whole))
    mask = moved(shape, _middle(shape), (float(column), float(row)), zoom)
    return mask if np.count_nonzero(mask) >= LEAST_INSIDE * whole * zoom**2 else np.zeros_like(shape)


def _middle(mask: Mask) -> tuple[float, float]:
    """Column and row of the middle, pixel centres at +0.5."""
    rows, columns = np.nonzero(mask)
    return float(columns.mean()) + 0.5, float(rows.mean()) + 0.5
