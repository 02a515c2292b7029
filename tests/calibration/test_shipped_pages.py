"""The calibration pages in docs/ show what is shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.calibration import CalibrationFile, shipped
from worldgauge.calibration.heatmap import heat_map
from worldgauge.calibration.page import page
from worldgauge.calibration.result import split_by_owner

DOCS = Path(__file__).parents[2] / "docs"


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
