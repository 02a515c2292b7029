"""Camera paths on disk in any convention: npz and npy arrays, JSON lists, `camera_data.json`, COLMAP's images.txt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import LINES_LIMIT, check_file, read_json, read_lines
from worldgauge.core.reading_arrays import read_arrays

Floats = NDArray[np.float64]

SUFFIXES = (".npz", ".npy", ".json", ".txt")
_JSON_KEYS = ("cameras_interp", "poses", "cameras", "matrices")


def read_matrices(file: Path) -> Floats:
    """Matrices (N, 4, 4) of a file, in whatever convention it holds; (N, 3, 4) gets its last row."""
    check_file(file, LINES_LIMIT)
    match file.suffix.lower():
        case ".npz" | ".npy":
            matrices = _from_arrays(file)
        case ".json":
            matrices = _from_json(file)
        case ".txt":
            matrices = _from_colmap(file)
        case _:
            raise WorldGaugeError(f"{file}: unknown format", "use npz, npy, json or COLMAP's images.txt")
    if matrices.ndim == 3 and matrices.shape[1:] == (3, 4):
        last = np.tile([[[0.0, 0.0, 0.0, 1.0]]], (len(matrices), 1, 1))
        matrices = np.concatenate([matrices, last], axis=1)
    if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
        raise WorldGaugeError(
            f"{file} holds an array of shape {matrices.shape}", "cameras must be (N, 4, 4) or (N, 3, 4)"
        )
    return matrices


def write_matrices(file: Path, matrices: Floats) -> None:
    """Write matrices (N, 4, 4) in the format the suffix names; images.txt only holds world-to-camera matrices."""
    match file.suffix.lower():
        case ".npz":
            np.savez(file, poses=matrices)
        case ".npy":
            np.save(file, matrices)
        case ".json":
            file.write_text(json.dumps({"poses": matrices.tolist()}, indent=1) + "\n", "utf-8")
        case ".txt":
            file.write_text(_colmap_text(matrices), "utf-8")
        case _:
            raise WorldGaugeError(f"{file}: unknown format", "use npz, npy, json or txt")


def _from_arrays(file: Path) -> Floats:
    data = read_arrays(file)
    if isinstance(data, np.ndarray):
        return np.asarray(data, np.float64)
    name = next((key for key in _JSON_KEYS if key in data), None)
    if name is None:
        raise WorldGaugeError(f"{file} has no array named {' or '.join(_JSON_KEYS)}")
    return np.asarray(data[name], np.float64)


def _from_json(file: Path) -> Floats:
    content: Any = read_json(file)
    if isinstance(content, dict):
        key = next((key for key in _JSON_KEYS if key in content), None)
        if key is None:
            raise WorldGaugeError(f"{file} has none of the fields {', '.join(_JSON_KEYS)}")
        content = content[key]
    try:
        return np.asarray(content, np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise WorldGaugeError(f"{file} holds no list of matrices ({error})") from error


def _from_colmap(file: Path) -> Floats:
    """images.txt: two lines per image, the first with `id qw qx qy qz tx ty tz camera name`; sorted by name."""
    from scipy.spatial.transform import Rotation

    # At most eleven fields are split off: a line of image points may hold thousands.
    lines = (line.split(maxsplit=10) for _, line in read_lines(file) if not line.startswith(b"#"))
    images = sorted((fields for fields in lines if len(fields) == 10 and not _is_points(fields)), key=lambda f: f[9])
    if not images:
        raise WorldGaugeError(f"{file} holds no image line of COLMAP's images.txt")
    try:
        numbers = np.array([[float(value) for value in fields[1:8]] for fields in images])
        rotations = Rotation.from_quat(numbers[:, [1, 2, 3, 0]]).as_matrix()
    except ValueError as error:
        raise WorldGaugeError(f"{file} holds an image line without a rotation ({error})", "mend the line") from error
    matrices = np.tile(np.eye(4), (len(images), 1, 1))
    matrices[:, :3, :3] = rotations
    matrices[:, :3, 3] = numbers[:, 4:]
    return matrices


def _is_points(fields: list[bytes]) -> bool:
    """A line of image points: numbers only, where an image line ends with a file name."""
    try:
        float(fields[-1])
    except ValueError:
        return False
    return True


def _colmap_text(matrices: Floats) -> str:
    from scipy.spatial.transform import Rotation

    quaternions = Rotation.from_matrix(matrices[:, :3, :3]).as_quat()[:, [3, 0, 1, 2]]
    lines = ["# IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME"]
    for index, (turn, shift) in enumerate(zip(quaternions, matrices[:, :3, 3], strict=True)):
        numbers = " ".join(f"{value:.17g}" for value in (*turn, *shift))
        lines += [f"{index + 1} {numbers} 1 {index:05d}.png", ""]
    return "\n".join(lines) + "\n"
