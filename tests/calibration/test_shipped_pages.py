"""The calibration pages in docs/ show what is shipped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.ship_calibration import split_by_owner, with_the_others  # noqa: E402  the path is set above

from worldgauge.calibration import CalibrationFile, shipped  # noqa: E402
from worldgauge.calibration.heatmap import heat_map  # noqa: E402
from worldgauge.calibration.metric_page import write_metric_pages  # noqa: E402
from worldgauge.calibration.page import PAGES, page  # noqa: E402

DOCS = ROOT / "docs"


@pytest.mark.parametrize("joined", shipped(), ids=lambda joined: joined.kind)
def test_pages_are_current(joined: CalibrationFile) -> None:
    advice = "run 'python tools/ship_calibration.py'"
    assert (DOCS / f"{joined.stem}.md").read_text("utf-8") == page(joined), advice
    assert (DOCS / f"{joined.stem}.svg").read_text("utf-8") == heat_map(joined), advice


def test_pages_of_metrics_are_current(tmp_path: Path) -> None:
    write_metric_pages(shipped(), tmp_path)
    made = {file.name: file.read_text("utf-8") for file in tmp_path.iterdir()}
    there = {file.name: file.read_text("utf-8") for file in (DOCS / PAGES).iterdir()}
    assert made == there, "run 'python tools/ship_calibration.py'"


@pytest.mark.parametrize("joined", shipped(), ids=lambda joined: joined.kind)
def test_cutting_by_owner_undoes_joining(joined: CalibrationFile) -> None:
    parts = split_by_owner(joined)
    assert {file: part.gauges for file, part in parts.items()} == {
        file: CalibrationFile.read(file).gauges for file in parts
    }
    assert sorted(gauge.id for part in parts.values() for gauge in part.gauges) == sorted(g.id for g in joined.gauges)


def test_some_metrics_measured_again_leave_the_others_as_they_are(tmp_path: Path) -> None:
    before, file = shipped()[0], tmp_path / "calibration.json"
    before.write(file)
    again = before.gauges[1].model_copy(update={"oracle": 0.123})
    part = before.model_copy(update={"gauges": [again], "errors": [], "instruments": {"track": "another"}})
    whole = with_the_others(file, part)
    assert whole.gauges == [before.gauges[0], again, *before.gauges[2:]] and whole.errors == before.errors
    assert whole.instruments == before.instruments | {"track": "another"}
    with pytest.raises(SystemExit, match="of other clips: calibrate these too"):
        with_the_others(file, part.model_copy(update={"worlds": ["another"]}))
