"""Camera files of the released data set, as `CameraPath`: pose arrays, MapAnything archives, Unreal Engine tracks."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError

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
    poses = np.load(path, allow_pickle=False)
    beside = path.with_name("intrinsics.npy")
    if not beside.is_file():
        return CameraPath(poses)
    return CameraPath(poses, intrinsic_matrices(np.load(beside, allow_pickle=False), len(poses)))


def read_mapanything(path: Path) -> CameraPath:
    """`NNN_mapanything.npz`: `cam_c2w` (M, 4, 4) and `intrinsic`."""
    with np.load(path, allow_pickle=False) as data:
        if "cam_c2w" not in data:
            raise WorldGaugeError(f"{path} has no array named 'cam_c2w' (it has {', '.join(data.files)})")
        poses = data["cam_c2w"]
        intrinsics = intrinsic_matrices(data["intrinsic"], len(poses)) if "intrinsic" in data else None
    return CameraPath(poses, intrinsics)


def read_engine_track(path: Path) -> CameraPath:
    """`camera_full{n}.csv`: one row per frame with `rot_*` in radians, `loc_*`, and the first row's fx, fy, cx, cy."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    try:
        poses = np.stack(
            [engine_pose([r[f"rot_{a}"] for a in "xyz"], [float(r[f"loc_{a}"]) for a in "xyz"]) for r in rows]
        )
        intrinsics = intrinsic_matrices([float(rows[0][k]) for k in ("fx", "fy", "cx", "cy")], len(rows))
    except (KeyError, ValueError, IndexError) as error:
        raise WorldGaugeError(f"{path} is not an engine camera track ({error})") from error
    return CameraPath(poses, intrinsics)
