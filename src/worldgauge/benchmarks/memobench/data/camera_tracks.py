"""Camera files of the released data set, as `CameraPath`: pose arrays, MapAnything archives, Unreal Engine tracks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table
from worldgauge.core.reading_arrays import Archive, read_arrays

Floats = NDArray[np.float64]
ENGINE_TO_CAMERA = np.diag([1.0, -1.0, -1.0, 1.0])
"""Right factor the released code applies to engine poses."""


def engine_pose(angles: ArrayLike, location: ArrayLike) -> Floats:
    """Camera-to-world (4, 4) of one row of an engine track; `angles` about x, y, z in radians, left-handed.

    >>> engine_pose([0.0, 0.0, 0.0], [1.0, 2.0, 3.0])[:3, 3].tolist()
    [1.0, 2.0, 3.0]
    """
    (sx, sy, sz), (cx, cy, cz) = np.sin(np.asarray(angles, np.float64)), np.cos(np.asarray(angles, np.float64))
    about_x = np.array([[1, 0, 0], [0, cx, sx], [0, -sx, cx]])
    about_y = np.array([[cy, 0, -sy], [0, 1, 0], [sy, 0, cy]])
    about_z = np.array([[cz, sz, 0], [-sz, cz, 0], [0, 0, 1]])
    pose = np.eye(4)
    pose[:3, :3] = about_z @ about_y @ about_x
    pose[:3, 3] = location
    return np.asarray(pose @ ENGINE_TO_CAMERA)


def intrinsic_matrices(values: ArrayLike, frames: int) -> Floats:
    """(frames, 3, 3) from any shape the data set uses: (3, 3), (N, 3, 3), or rows fx, fy, cx, cy as (4,) or (N, 4)."""
    values = np.asarray(values, np.float64)
    if values.shape not in ((4,), (len(values) if values.ndim else 0, 4)) and values.shape[-2:] != (3, 3):
        raise WorldGaugeError(f"intrinsics of shape {values.shape} are neither matrices nor rows of fx, fy, cx, cy")
    if values.shape[-1] == 4:
        rows = np.atleast_2d(values)
        matrices = np.zeros((len(rows), 3, 3))
        matrices[:, 0, 0], matrices[:, 1, 1] = rows[:, 0], rows[:, 1]
        matrices[:, 0, 2], matrices[:, 1, 2] = rows[:, 2], rows[:, 3]
        matrices[:, 2, 2] = 1.0
    else:
        matrices = values.reshape(-1, 3, 3)
    if len(matrices) == 1:
        matrices = np.repeat(matrices, frames, axis=0)
    if len(matrices) != frames:
        raise WorldGaugeError(f"{len(matrices)} intrinsics for {frames} poses")
    return matrices


def read_pose_array(path: Path) -> CameraPath:
    """`poses.npy` (M, 4, 4), with `intrinsics.npy` (M, 4) beside it where there is one."""
    poses = _array(path)
    beside = path.with_name("intrinsics.npy")
    if not beside.is_file():
        return CameraPath(poses)
    return CameraPath(poses, intrinsic_matrices(_array(beside), len(poses)))


def read_mapanything(path: Path) -> CameraPath:
    """`NNN_mapanything.npz`: `cam_c2w` (M, 4, 4) and `intrinsic`."""
    data = Archive(path)
    if "cam_c2w" not in data:
        raise WorldGaugeError(f"{path} has no array named 'cam_c2w' (it has {', '.join(data)[:200]})")
    poses = np.atleast_1d(data["cam_c2w"])
    intrinsics = intrinsic_matrices(data["intrinsic"], len(poses)) if "intrinsic" in data else None
    return CameraPath(poses, intrinsics)


def read_engine_track(path: Path) -> CameraPath:
    """`camera_full{n}.csv`: one row per frame with `rot_*` in radians, `loc_*`, and the first row's fx, fy, cx, cy."""
    lens = ("fx", "fy", "cx", "cy")
    rows = read_table(path, [*(f"{part}_{axis}" for part in ("rot", "loc") for axis in "xyz"), *lens])
    try:
        turns, places = (np.array([[float(r[f"{part}_{a}"]) for a in "xyz"] for r in rows]) for part in ("rot", "loc"))
        focal = [float(rows[0][name]) for name in lens]
    except (ValueError, IndexError) as error:
        raise WorldGaugeError(f"{path} is not an engine camera track ({error})") from error
    # Infinite angles have no sine; the pose is refused as not finite.
    turns[~np.isfinite(turns)] = np.nan
    poses = np.stack([engine_pose(turn, place) for turn, place in zip(turns, places, strict=True)])
    return CameraPath(poses, intrinsic_matrices(focal, len(rows)))


def _array(path: Path) -> NDArray[Any]:
    found = read_arrays(path)
    if not isinstance(found, np.ndarray) or found.ndim == 0:
        raise WorldGaugeError(f"{path} is not an array of poses or intrinsics")
    return found
