"""Poses and depth that somebody computed before: `artifacts/<subset>/<sample>/<condition>/da3/results.npz`.

The files do not say which way their matrices go, and adapters differ: the convention is declared, never guessed.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.canonical import digest_of, short
from worldgauge.core.clip import Frames
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.instrument import Instrument
from worldgauge.core.reading_arrays import read_arrays
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import align_first_frame, invert
from worldgauge.instruments.pocket.poses import Trajectory

Floats = NDArray[np.float64]
CONVENTIONS = ("camera_to_world", "world_to_camera")
RESULTS = "da3/results.npz"
STILL = 0.01
"""Scene depths; a camera that never goes farther from its first place only turns."""


@dataclass(frozen=True)
class Stored:
    """What one file says."""

    poses: Floats
    """(N, 4, 4) camera-to-world, the first identity, in units of the first frame's median depth."""
    lens: Lens
    depth: NDArray[np.float32] | None
    """(N, H, W) in the same unit."""


@functools.lru_cache(maxsize=2)
def read_results(file: Path, convention: str) -> Stored:
    """A results file in our convention."""
    if convention not in CONVENTIONS:
        raise WorldGaugeError(
            f"convention '{convention}' of stored poses", f"declare one of {' or '.join(CONVENTIONS)}"
        )
    arrays = read_arrays(file, limit=2 * 2**30)
    if isinstance(arrays, np.ndarray) or not {"extrinsics", "intrinsics"} <= set(arrays):
        raise WorldGaugeError(f"{file} holds no extrinsics and intrinsics")
    given, lenses = np.asarray(arrays["extrinsics"], np.float64), np.asarray(arrays["intrinsics"], np.float64)
    if given.ndim != 3 or given.shape[1:] not in ((3, 4), (4, 4)) or lenses.shape[-2:] != (3, 3):
        raise WorldGaugeError(
            f"{file}: extrinsics {given.shape}, intrinsics {lenses.shape}", "expected (N, 3|4, 4), (N, 3, 3)"
        )
    matrices = np.tile(np.eye(4), (len(given), 1, 1))
    matrices[:, :3] = given[:, :3]
    if not np.isfinite(matrices).all():
        raise WorldGaugeError(f"{file}: extrinsics hold numbers that are not finite")
    poses = align_first_frame(matrices if convention == "camera_to_world" else invert(matrices))
    depth = np.asarray(arrays["depth"], np.float32) if "depth" in set(arrays) else None
    unit = 1.0
    if depth is not None and depth.ndim == 3 and (known := depth[0][depth[0] > 0]).size:
        unit = float(np.median(known))
        depth = depth / np.float32(unit)
    poses[:, :3, 3] /= unit
    lens = lenses.reshape(-1, 3, 3)[0]
    size = (depth.shape[2], depth.shape[1]) if depth is not None else (round(2 * lens[0, 2]), round(2 * lens[1, 2]))
    return Stored(poses, Lens(float(lens[0, 0]), (float(lens[0, 2]), float(lens[1, 2])), size), depth)


@dataclass(frozen=True)
class _Files(Instrument):
    """Where the files are and which way their matrices go."""

    folder: str = ""
    """The `artifacts` folder."""
    convention: str = ""
    """camera_to_world or world_to_camera."""
    whole_frames: ClassVar[bool] = True

    def identity(self) -> dict[str, Any]:
        """The files stand for the weights: what lies there now is part of the key."""
        found = super().identity()
        parameters = dict(found["parameters"]) | {"folder": ""}
        listed = sorted(Path(self.folder).glob(f"*/*/*/{RESULTS}")) if self.folder else []
        sizes = [
            (file.relative_to(self.folder).as_posix(), file.stat().st_size, file.stat().st_mtime_ns) for file in listed
        ]
        return found | {"parameters": parameters, "files": short(digest_of(sizes))}

    def unavailable(self) -> str | None:
        if not self.folder or not Path(self.folder).is_dir():
            return "nobody has said where the stored poses are; add :folder=artifacts,convention=... behind its name"
        if self.convention not in CONVENTIONS:
            return f"nobody has declared the convention of the stored poses: {' or '.join(CONVENTIONS)}"
        return None

    def stored_for(self, frames: Sequence[NDArray[np.uint8]]) -> Stored:
        """The file of the clip that the frames come from, by the place of its video."""
        path = frames.video.on_disk if isinstance(frames, Frames) else None
        if path is None:
            raise Unscored("the clip is not a file, so nobody knows its stored poses", code=OF_THE_CASE)
        file = Path(self.folder, *path.parts[-4:-1], RESULTS)
        if not file.is_file():
            raise Unscored(f"there are no stored poses for {'/'.join(path.parts[-4:-1])}", code=OF_THE_CASE)
        found = read_results(file, self.convention)
        if len(found.poses) != len(frames):
            raise Unscored(
                f"stored poses are of {len(found.poses)} frames, the clip has {len(frames)}", code=OF_THE_CASE
            )
        return found


@dataclass(frozen=True)
class StoredPoses(_Files):
    """Camera paths from released result files."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "mbench_stored_poses"

    def trajectory(self, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Trajectory:
        """What the file of the clip says."""
        found = self.stored_for(frames)
        count = len(found.poses)
        width, height = frames[0].shape[1], frames[0].shape[0]
        used = lens or found.lens.scaled(width / found.lens.size[0], (width, height))
        moves = bool(np.linalg.norm(found.poses[:, :3, 3], axis=1).max() > STILL)
        nothing = np.zeros(count)
        return Trajectory(
            found.poses, used, "given", np.ones(count), nothing, nothing[1:], nothing[1:], moves, np.ones(count, bool)
        )


@dataclass(frozen=True)
class StoredDepth(_Files):
    """Depth from released result files."""

    seat: ClassVar[str] = "depth"
    name: ClassVar[str] = "mbench_stored_depth"
    whole_frames: ClassVar[bool] = False

    def maps(
        self, frames: Sequence[NDArray[np.uint8]], poses: Floats, lens: object, chosen: Sequence[int]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Depth (F, H, W) of the chosen frames at the frames' own size, and where it is known."""
        import cv2

        found = self.stored_for(frames)
        if found.depth is None:
            raise Unscored("the stored poses come without depth", code=OF_THE_CASE)
        size = frames[0].shape[1], frames[0].shape[0]
        maps = np.stack([cv2.resize(found.depth[k], size, interpolation=cv2.INTER_NEAREST) for k in chosen])
        return maps, maps > 0
