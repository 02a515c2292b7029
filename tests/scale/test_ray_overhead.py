"""What the Ray executor adds to the local one over clips with half a second of work each."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.ray_overhead import WORKERS, overhead

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'worldgauge[ray]'"),
]


def test_ray_adds_little_and_loads_networks_once(tmp_path: Path) -> None:
    found = overhead(tmp_path)
    logging.getLogger(__name__).info("%s", found)
    assert found["ray_adds"] <= 0.15, found
    assert found["loads_ray"] == found["loads_local"] == WORKERS
    assert found["same_summary"]
