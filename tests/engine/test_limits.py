"""Limits as they are asked for."""

from __future__ import annotations

import math

import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.limits import check_seconds


def test_any_time_is_a_limit() -> None:
    assert check_seconds(0.5) == 0.5
    for none in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(WorldGaugeError, match="not a time"):
            check_seconds(none)
