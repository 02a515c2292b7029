"""Every view of the released splat video from recovered cameras, which of them a judge sees, and the meta-view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import spread
from worldgauge.benchmarks.worldolympiad.formulas.view_path import (
    NO_VIEW_PATH,
    Floats,
    dolly,
    eased,
    interpolated,
    samples_per_interval,
    smoothed,
    wander,
)
from worldgauge.core.errors import Unscored

SIDE = 512
"""Pixels of a render."""
SHOWN = 8
"""Views that a judge sees."""


@dataclass(frozen=True, eq=False)
class Views:
    """A path of virtual cameras."""

    world_to_camera: Floats
    """(V, 4, 4), inverted by transposition, as released."""
    focal: Floats
    """(V, 2) pixels of the render; its principal point is the middle."""
    between: Floats
    """(T, 4, 4) camera-to-world before smoothing."""
    smooth: Floats
    """(T, 4, 4) after it."""
    intrinsics: Floats
    """(V, 4): fx, fy, cx, cy over the side of the render."""
    segments: tuple[tuple[str, int], ...]

    @property
    def judged(self) -> list[int]:
        return judged_views(len(self.focal))


def judged_views(views: int) -> list[int]:
    """Numbers of the views a judge sees: eight from first to last; all where there are no more.

    >>> judged_views(328)
    [0, 47, 93, 140, 187, 234, 280, 327]
    """
    return spread(views, SHOWN)


@dataclass(frozen=True)
class Counts:
    """How long the parts of a path are."""

    path: int
    middle: int
    inserted: int
    """Views of the dolly zoom; the wander has two more."""

    @property
    def views(self) -> int:
        return self.path + 2 * self.inserted + 2


def view_counts(poses: int) -> Counts:
    """
    >>> view_counts(32).views
    328
    """
    samples = samples_per_interval(poses)
    path = poses if samples <= 2 else samples + (poses - 2) * (samples - 1)
    middle = path // 2
    return Counts(path, middle, max(36, min(60, middle // 2)))


def unscaled(extrinsics: Floats, is_metric: bool, factor: float | None) -> Floats:
    """World-to-camera poses (N, 4, 4) in the units of the Gaussians: translations divided by the factor, if any.

    Nothing guards against a factor of 0, as released: such cameras are not finite.
    """
    poses = as_square(extrinsics)
    if is_metric and factor is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            poses[:, :3, 3] /= factor
    return poses


def splat_views(extrinsics: Floats, intrinsics: Floats, is_metric: bool, factor: float | None) -> Views:
    """The whole path from world-to-camera poses (N, 3 or 4, 4) and intrinsics in pixels (N, 3, 3)."""
    given = unscaled(extrinsics, is_metric, factor)
    if not np.isfinite(given).all():
        # The original renders nothing but black from such cameras, or stops; either way the case gets zeros.
        raise Unscored("a recovered camera is not finite", code=NO_VIEW_PATH)
    # By transposition, as released: of an estimate that is stretched it is another camera.
    poses = transposed_inverse(given)
    own = _normalised(intrinsics)
    between, lens = _path(poses, own)
    smooth = smoothed(between)
    counts = view_counts(len(poses))
    middle, n = counts.middle, counts.inserted
    loop = wander(smooth[middle], float(lens[middle, 0] * SIDE), n)
    zoom, factors = dolly(smooth[middle], n)
    zoomed = np.tile(lens[middle], (n, 1))
    zoomed[:, :2] *= factors[:, None]
    cameras = np.concatenate([smooth[:middle], loop, zoom, smooth[middle:]])
    lenses = np.concatenate([lens[:middle], np.tile(lens[middle], (n + 2, 1)), zoomed, lens[middle:]])
    after = counts.path - middle
    return Views(
        transposed_inverse(cameras),
        focal_lengths(lenses),
        between,
        smooth,
        lenses,
        (("path_before", middle), ("wander", n + 2), ("dolly", n), ("path_after", after)),
    )


def _path(poses: Floats, lens: Floats) -> tuple[Floats, Floats]:
    samples = samples_per_interval(len(poses))
    if samples <= 2:
        return poses, lens
    weights = eased(samples)
    pieces, lenses = [], []
    for index in range(len(poses) - 1):
        # The last sample of the interval before stands for its first.
        first = 0 if index == 0 else 1
        pieces.append(interpolated(poses[index], poses[index + 1], weights)[first:])
        lenses.append((lens[index] + weights[:, None] * (lens[index + 1] - lens[index]))[first:])
    return np.concatenate(pieces), np.concatenate(lenses)


def meta_view(extrinsics: Floats, is_metric: bool, factor: float | None) -> tuple[int, Floats]:
    """The camera farthest from the origin, the first of equals, and its pose (4, 4). One that is not finite wins."""
    poses = unscaled(extrinsics, is_metric, factor)
    with np.errstate(invalid="ignore"):
        centres = np.einsum("nij,ni->nj", poses[:, :3, :3], poses[:, :3, 3])
        distances = np.linalg.norm(centres, axis=1)
    strange = np.flatnonzero(np.isnan(distances))
    index = int(strange[0]) if len(strange) else int(np.argmax(distances))
    return index, poses[index]


def focal_lengths(lenses: Floats, size: tuple[int, int] = (SIDE, SIDE)) -> Floats:
    """(V, 2) focal lengths handed to the rasteriser: from the angle between the rays through the middles of opposite
    borders, so they are longer where the principal point is not in the middle. `lenses` are normalised (V, 4)."""
    fx, fy, cx, cy = lenses.T
    horizontal = _angle_between(-cx / fx, (1 - cx) / fx, (0.5 - cy) / fy)
    vertical = _angle_between(-cy / fy, (1 - cy) / fy, (0.5 - cx) / fx)
    return np.asarray(np.stack([size[0] / 2 / np.tan(horizontal / 2), size[1] / 2 / np.tan(vertical / 2)], axis=1))


def _angle_between(a: Floats, b: Floats, c: Floats) -> Floats:
    cosine = (a * b + c**2 + 1) / np.sqrt((a**2 + c**2 + 1) * (b**2 + c**2 + 1))
    return np.asarray(np.arccos(np.clip(cosine, -1, 1)))


def _normalised(intrinsics: Floats, size: tuple[int, int] = (SIDE, SIDE)) -> Floats:
    """fx, fy, cx, cy over the sides of the render, though they are in pixels of another picture, as released."""
    given = np.asarray(intrinsics, np.float64)
    lenses = np.stack([given[:, 0, 0], given[:, 1, 1], given[:, 0, 2], given[:, 1, 2]], axis=1)
    return np.asarray(lenses / np.array([*size, *size]))


def render_lens(intrinsics: Floats, size: tuple[int, int] = (SIDE, SIDE)) -> tuple[Floats, Floats]:
    """Normalised intrinsics (N, 3, 3) and the focal lengths (N, 2) a rasteriser gets, of cameras in pixels, for a
    render of that width and height."""
    own = _normalised(intrinsics, size)
    matrices = np.tile(np.eye(3), (len(own), 1, 1))
    matrices[:, 0, 0], matrices[:, 1, 1], matrices[:, 0, 2], matrices[:, 1, 2] = own.T
    return matrices, focal_lengths(own, size)


def transposed_inverse(poses: Floats) -> Floats:
    """Inverse of (N, 4, 4) poses as if they were rotations, which after smoothing they are only nearly."""
    inverse = np.tile(np.eye(4), (len(poses), 1, 1))
    inverse[:, :3, :3] = np.swapaxes(poses[:, :3, :3], 1, 2)
    inverse[:, :3, 3] = -np.einsum("nij,nj->ni", inverse[:, :3, :3], poses[:, :3, 3])
    return inverse


def as_square(poses: Floats | Sequence[Floats]) -> Floats:
    """(N, 3 or 4, 4) to a copy (N, 4, 4)."""
    given = np.asarray(poses, np.float64)
    square = np.tile(np.eye(4), (len(given), 1, 1))
    square[:, : given.shape[1]] = given
    return square


def shown_pixels(values: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Colours 0 to 1 as bytes: cut, not rounded.

    >>> shown_pixels(np.array([0.999, 2.0])).tolist()
    [254, 255]
    """
    shown: NDArray[np.uint8] = (np.clip(values, 0.0, 1.0) * 255).astype(np.uint8)
    return shown
