"""`CameraPath`: OpenCV camera-to-world poses and intrinsics, the only convention used inside the package."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import by_ending
from worldgauge.core.origin import call_preserving
from worldgauge.core.reading_arrays import read_arrays

Floats = NDArray[np.float64]

STILL = 1e-9
"""Poses closer than this in every number are the same."""
ROTATION_TOLERANCE = 1e-2
"""How far R^T R may be from the identity: float16 and three printed decimals pass, a scale of one percent does not."""


@dataclass(frozen=True, eq=False)
class CameraPath:
    """A camera per frame: x right, y down, z forward; a pose maps camera coordinates to world coordinates."""

    poses: Floats
    """(N, 4, 4) camera-to-world."""
    intrinsics: Floats | None = None
    """(N, 3, 3), in pixels of `size`; pixel centres at +0.5."""
    size: tuple[int, int] | None = None
    """Width and height the intrinsics are for."""
    source: str = ""
    """The file it was read from."""

    def __post_init__(self) -> None:
        poses = np.asarray(self.poses, dtype=np.float64)
        if poses.ndim != 3 or poses.shape[1:] != (4, 4) or len(poses) == 0:
            raise WorldGaugeError(f"camera poses must have shape (N, 4, 4), got {poses.shape}")
        defect = first_defect(poses)
        if defect:
            raise WorldGaugeError(defect, "mend or leave out the camera file")
        object.__setattr__(self, "poses", poses)
        if self.intrinsics is not None:
            intrinsics = np.asarray(self.intrinsics, dtype=np.float64)
            if intrinsics.shape == (3, 3):
                intrinsics = np.broadcast_to(intrinsics, (len(poses), 3, 3)).copy()
            if intrinsics.shape != (len(poses), 3, 3):
                raise WorldGaugeError(f"intrinsics must be (3, 3) or (N, 3, 3), got {intrinsics.shape}")
            if not np.isfinite(intrinsics).all() or (intrinsics[:, [0, 1], [0, 1]] <= 0).any():
                raise WorldGaugeError("intrinsics need finite numbers and positive focal lengths", "mend them")
            object.__setattr__(self, "intrinsics", intrinsics)

    def __len__(self) -> int:
        return len(self.poses)

    @property
    def rotation(self) -> Floats:
        """(N, 3, 3)"""
        return self.poses[:, :3, :3]

    @property
    def translation(self) -> Floats:
        """(N, 3), world units."""
        return self.poses[:, :3, 3]

    def save(self, path: Path) -> None:
        arrays: dict[str, np.ndarray] = {"poses": self.poses}
        if self.intrinsics is not None:
            arrays["intrinsics"] = self.intrinsics
        if self.size is not None:
            arrays["size"] = np.asarray(self.size)
        np.savez(path, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> CameraPath:
        """Read a camera file of a released data set, by a reader some manifest declares, or one as `save` writes it."""
        problem: WorldGaugeError | None = None
        for read in by_ending("camera_files", path.name):
            try:
                found: CameraPath = call_preserving(read, path)
                return replace(found, source=str(path))
            except WorldGaugeError as error:
                error = named(error, path)
                # Two benchmarks may claim the same ending; the first that can read it is right.
                problem = problem or error
        if problem is not None:
            raise problem
        try:
            return replace(cls._load_own(path), source=str(path))
        except WorldGaugeError as error:
            raise named(error, path) from error

    def checked(self, *, frames: int = 2, moving: bool = False) -> CameraPath:
        """The path itself, if it has a pose for each of `frames` frames and, where it must, does not stand still."""
        where = f"camera file {self.source}" if self.source else "the camera path"
        if len(self) < frames:
            raise WorldGaugeError(f"{where} has {len(self)} poses for {frames} frames", "give one pose per frame")
        if moving and not (np.abs(self.poses - self.poses[0]) > STILL).any():
            raise WorldGaugeError(f"{where} stands still: all of its poses are equal", "mend or leave out the file")
        return self

    @classmethod
    def _load_own(cls, path: Path) -> CameraPath:
        data = read_arrays(path)
        if isinstance(data, np.ndarray):
            return cls(data)
        if "poses" not in data:
            raise WorldGaugeError(f"{path} has no array named 'poses' (it has {', '.join(data)[:200]})")
        size = data.get("size")
        if size is None:
            return cls(data["poses"], data.get("intrinsics"))
        if size.shape != (2,) or not (np.isfinite(size) & (size > 0)).all():
            raise WorldGaugeError(f"{path}: 'size' is not a width and a height")
        return cls(data["poses"], data.get("intrinsics"), (int(size[0]), int(size[1])))


def first_defect(poses: Floats) -> str:
    """What is wrong with the first pose (of (N, 4, 4)) that is not a camera's; empty where all are.

    >>> first_defect(np.zeros((3, 4, 4)))
    'camera pose 0 is all zero'
    """
    with np.errstate(all="ignore"):
        rotation = poses[:, :3, :3]
        # Far from a rotation the products overflow; such a pose is caught by the comparison itself.
        product = np.swapaxes(rotation, 1, 2) @ rotation
        scale = np.sqrt(np.trace(product, axis1=1, axis2=2) / 3)
        off = np.abs(product - np.eye(3)).max(axis=(1, 2))
        skewed = np.abs(product / scale[:, None, None] ** 2 - np.eye(3)).max(axis=(1, 2))
        mirrored = np.linalg.det(np.where(np.isfinite(rotation), rotation, 0.0)) < 0
    checks: tuple[tuple[str, Any], ...] = (
        ("is not finite", ~np.isfinite(poses).all(axis=(1, 2))),
        ("is all zero", ~poses.any(axis=(1, 2))),
        ("has a last row other than 0 0 0 1", (np.abs(poses[:, 3] - (0, 0, 0, 1)) > ROTATION_TOLERANCE).any(axis=1)),
        ("is not a rotation", ~(skewed <= ROTATION_TOLERANCE)),
        ("is scaled", ~(off <= ROTATION_TOLERANCE)),
        ("is mirrored (its determinant is negative)", mirrored),
    )
    bad = np.logical_or.reduce([found for _, found in checks])
    if not bad.any():
        return ""
    number = int(np.argmax(bad))
    what = next(words for words, found in checks if found[number])
    return f"camera pose {number} {what}" + (f" by {scale[number]:.4g}" if what == "is scaled" else "")


def named(error: WorldGaugeError, path: Path) -> WorldGaugeError:
    """The same problem, with the file it is in."""
    known = str(path) in error.message
    return error if known else type(error)(f"{path}: {error.message}", error.hint)
