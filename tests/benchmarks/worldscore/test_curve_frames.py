"""A curve says which frames its values belong to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worldgauge.core.case import Case
from worldgauge.core.metric import METRICS
from worldgauge.engine.curve_frames import curve_frames


@pytest.mark.parametrize(
    ("name", "count", "signal", "parameters", "frames"),
    [
        ("smoothness_mse", 7, {"mse": np.ones(3)}, {"wrap": False}, [1, 3, 5]),
        ("image_quality", 9, {"score": np.ones(2)}, {}, [0, 8]),
    ],
)
def test_trust_22_predicted_frames_and_ends_of_layouts_state_where_they_looked(
    name: str, count: int, signal: dict[str, Any], parameters: dict[str, Any], frames: list[int]
) -> None:
    metric = METRICS.get(f"worldscore/{name}")
    made = metric.function(Case(id="a"), signal, **parameters)
    assert curve_frames(made, metric.needs, count, None) == frames
