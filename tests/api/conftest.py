"""Fixtures of the API's tests."""

from __future__ import annotations

import pytest

import helpers
from worldgauge.core.manifest import include


@pytest.fixture(autouse=True)
def _network_metrics() -> None:
    """Metrics whose networks are not here."""
    include(helpers.NETWORK_METRICS)
