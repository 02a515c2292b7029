"""A curve says which frames its values belong to."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.metric import METRICS
from worldgauge.engine.curve_frames import curve_frames


def test_trust_22_pairs_of_two_phases_state_where_they_looked() -> None:
    pairs = np.array([(0, 4), (4, 8), (16, 20), (20, 24)])
    arrays = {"keyframes": np.array([10, 16]), "lengths": np.array([26, 26]), "pairs": pairs, "error": np.zeros(4)}
    metric = METRICS.get("memobench/smoothness")
    made = metric.function(Case(id="a"), arrays, protocol="paper")
    assert curve_frames(made, metric.needs, 26, None) == [0, 4, 16, 20]
