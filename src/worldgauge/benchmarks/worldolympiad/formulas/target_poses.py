"""The path of the reference in whatever form a file has it, brought to the length of the predicted one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import resampled

Floats = NDArray[np.float64]


def target_poses(content: Any, length: int) -> Floats | None:
    """(length, 4, 4) camera-to-world; None where the content is no path.

    Accepted are a list of 4x4 or 3x4 matrices or of points; an object frame to matrix or point, in the order of the
    numbers in its keys, or of the file where a key is none; an object frame to text of the columns; and JSON of these.
    Raises `ValueError` or `TypeError` where a frame is none of them, as the original does.
    """
    poses = _poses(content)
    return np.stack([poses[k] for k in resampled(len(poses), length)]) if poses and length > 0 else None


def _poses(content: Any) -> list[Floats]:
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except ValueError:
            return []
    if isinstance(content, Mapping):
        frames = (content[key] for key in _in_order(list(content)))
        return [_matrix(_columns(frame) if isinstance(frame, str) else frame) for frame in frames]
    if not isinstance(content, list):
        return []
    numbers = np.asarray(content, np.float64)
    if numbers.ndim == 3:
        return [_matrix(one) for one in numbers]
    # Of a longer row the first three count.
    return [_matrix(one[:3]) for one in numbers] if numbers.ndim == 2 and numbers.shape[1] >= 3 else []


def _matrix(frame: Any) -> Floats:
    """One camera (4, 4) out of a matrix or a point."""
    numbers, pose = np.asarray(frame, np.float64), np.eye(4)
    match numbers.shape:
        case (4, 4):
            return numbers
        case (3, 4):
            pose[:3] = numbers
        case (3,):
            pose[:3, 3] = numbers
        case _:
            raise ValueError(f"a frame of a path is 4x4, 3x4 or a point, not {numbers.shape}")
    return pose


def _in_order(keys: list[str]) -> list[str]:
    """By their numbers, as `frame12` or `12`; as they stand where one is none."""
    try:
        return sorted(keys, key=lambda key: int(key.replace("frame", "")))
    except ValueError:
        return keys


def _columns(text: str) -> Floats:
    """A matrix whose columns follow one another in a text, `[a b c d] [e f g h] ...`."""
    parts = (part.replace("[", "").replace("]", "").split() for part in text.strip().split("] ["))
    return np.array([[float(number) for number in part] for part in parts if part], np.float64).T
