"""The path of the reference in whatever form a file has it, brought to the length of the predicted one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import resampled

Floats = NDArray[np.float64]
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def target_poses(content: Any, length: int) -> Floats | None:
    """(length, 4, 4) camera-to-world; None where the content is no path.

    Accepted are a list of 4x4 or 3x4 matrices or of points; an object frame to matrix, in the order of the numbers in
    its keys, or of the file where a key has none; an object frame to text of the four columns; and JSON of these.
    """
    poses = _poses(content)
    return None if poses is None or not len(poses) else poses[resampled(len(poses), length)]


def _poses(content: Any) -> Floats | None:
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except ValueError:
            return None
    if isinstance(content, Mapping):
        frames = [content[key] for key in _in_order(list(content))]
        content = [_columns(frame) if isinstance(frame, str) else frame for frame in frames]
    if not isinstance(content, list) or not content:
        return None
    try:
        numbers = np.asarray(content, np.float64)
    except (TypeError, ValueError):
        return None
    return _as_matrices(numbers)


def _as_matrices(numbers: Floats) -> Floats | None:
    poses = np.tile(np.eye(4), (len(numbers), 1, 1))
    match numbers.shape[1:]:
        case (4, 4):
            return numbers
        case (3, 4):
            poses[:, :3] = numbers
        case (n,) if n >= 3:
            poses[:, :3, 3] = numbers[:, :3]
        case _:
            return None
    return poses


def _in_order(keys: list[str]) -> list[str]:
    """By the first number in each; as they stand where one has none."""
    numbers = [int(found.group()) for key in keys if (found := re.search(r"\d+", key))]
    if len(numbers) < len(keys):
        return keys
    return [key for _, key in sorted(zip(numbers, keys, strict=True), key=lambda pair: pair[0])]


def _columns(text: str) -> list[list[float]]:
    """A matrix whose columns follow one another in a text."""
    numbers = [float(number) for number in _NUMBER.findall(text)]
    return [numbers[row::4] for row in range(4)]
