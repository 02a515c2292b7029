"""Which worlds the metrics are calibrated on, and that what is declared blind is blind."""

from __future__ import annotations

import helpers
from worldgauge.calibration.gauges import choose_gauges


def test_memory_is_calibrated_on_returns() -> None:
    returns, layouts = ({gauge.id for gauge in choose_gauges(kind)} for kind in ("returns", "layouts"))
    assert "memobench/pocket_reappearance" in returns - layouts


def test_blind_spots_are_real() -> None:
    assert helpers.blind_spots_not_seen("memobench") == set()
