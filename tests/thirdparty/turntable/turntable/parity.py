"""Recorded calls of the workshop's own script."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from worldgauge.parity import ParityFolder, Vector, expect_close

from .formulas import colour_gap, speed_errors


def vectors(folder: ParityFolder) -> Iterator[Vector]:
    for item in folder.index["items"]:
        yield Vector(item["kind"], item["id"], partial(_check, item))


def _check(item: dict[str, Any]) -> None:
    given = {key: np.array(value) if isinstance(value, list) else value for key, value in item["inputs"].items()}
    formula = {"colour": colour_gap, "speed": speed_errors}[item["kind"]]
    expect_close(item["kind"], formula(**given), item["output"], absolute=1e-9)
