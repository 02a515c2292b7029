"""`CameraPath`: OpenCV camera-to-world poses and intrinsics, the only convention used inside the package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import by_ending

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CameraPath:
    """A camera per frame: x right, y down, z forward; a pose maps camera coordinates to world coordinates."""

    poses: Floats
    """(N, 4, 4) camera-to-world."""
    intrinsics: Floats | None = None
    """(N, 3, 3), in pixels of `size`; pixel centres at +0.5."""
    size: tuple[int, int] | None = None
    """Width and height the intrinsics are for."""

    def __post_init__(self) -> None:
        poses = np.asarray(self.poses, dtype=np.float64)
        if poses.ndim != 3 or poses.shape[1:] != (4, 4) or len(poses) == 0:
            raise WorldGaugeError(f"camera poses must have shape (N, 4, 4), got {poses.shape}")
        if not np.isfinite(poses).all():
            frame = int(np.argmin(np.isfinite(poses).all(axis=(1, 2))))
            raise WorldGaugeError(f"camera poses are not finite (frame {frame})", "mend or leave out the camera file")
        object.__setattr__(self, "poses", poses)
        if self.intrinsics is not None:
            intrinsics = np.asarray(self.intrinsics, dtype=np.float64)
            if intrinsics.shape == (3, 3):
                intrinsics = np.broadcast_to(intrinsics, (len(poses), 3, 3)).copy()
            if intrinsics.shape != (len(poses), 3, 3):
                raise WorldGaugeError(f"intrinsics must be (3, 3) or (N, 3, 3), got {intrinsics.shape}")
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
                found: CameraPath = read(path)
                return found
            except WorldGaugeError as error:
                # Two benchmarks may claim the same ending; the first that can read it is right.
                problem = problem or error
        if problem is not None:
            raise problem
        return cls._load_own(path)

    @classmethod
    def _load_own(cls, path: Path) -> CameraPath:
        try:
            data = np.load(path, allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            raise WorldGaugeError(f"{path} is not a readable npz or npy file ({error})") from error
        if isinstance(data, np.ndarray):
            return cls(data)
        if "poses" not in data:
            raise WorldGaugeError(f"{path} has no array named 'poses' (it has {', '.join(data.files)})")
        size = tuple(int(v) for v in data["size"]) if "size" in data else None
        return cls(data["poses"], data.get("intrinsics"), size)  # type: ignore[arg-type]
