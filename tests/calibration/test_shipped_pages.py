"""The calibration pages in docs/ show what is shipped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.ship_calibration import split_by_owner  # noqa: E402  the path is set above

from worldgauge.calibration import CalibrationFile, shipped  # noqa: E402
from worldgauge.calibration.heatmap import heat_map  # noqa: E402
from worldgauge.calibration.page import page  # noqa: E402

DOCS = ROOT / "docs"


@pytest.mark.parametrize("joined", shipped(), ids=lambda joined: joined.kind)
def test_pages_are_current(joined: CalibrationFile) -> None:
    advice = "run 'python tools/ship_calibration.py'"
    assert (DOCS / f"{joined.stem}.md").read_text("utf-8") == page(joined), advice
    assert (DOCS / f"{joined.stem}.svg").read_text("utf-8") == heat_map(joined), advice


@pytest.mark.parametrize("joined", shipped(), ids=lambda joined: joined.kind)
def test_cutting_by_owner_undoes_joining(joined: CalibrationFile) -> None:
    parts = split_by_owner(joined)
    assert {file: part.gauges for file, part in parts.items()} == {
        file: CalibrationFile.read(file).gauges for file in parts
    }
    assert sorted(gauge.id for part in parts.values() for gauge in part.gauges) == sorted(g.id for g in joined.gauges)
