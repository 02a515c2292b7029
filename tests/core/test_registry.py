"""Lazy names with suggestions."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include
from worldgauge.core.metric import METRICS, Measurement, metric
from worldgauge.core.registry import unknown_name
from worldgauge.core.signal import SIGNALS, signal


def test_did_you_mean() -> None:
    with pytest.raises(WorldGaugeError, match=r"unknown metric 'pnsr'; did you mean psnr"):
        METRICS.get("pnsr")


def test_nothing_near_lists_all() -> None:
    with pytest.raises(WorldGaugeError, match=r"unknown colour 'qqq'; known: blue, red"):
        raise unknown_name("colour", "qqq", ["red", "blue"])


def test_a_built_in_name_cannot_be_taken() -> None:
    with pytest.raises(WorldGaugeError, match="metric 'psnr' is defined twice"):

        @metric(unit="", higher_is_better=True, bounds=(0, 1), name="psnr")
        def mine(case: object) -> Measurement:
            return Measurement(0.5)


def test_parameters_are_checked() -> None:
    flow = SIGNALS.get("pixel_errors")
    with pytest.raises(WorldGaugeError, match="unknown parameter of signal 'pixel_errors' 'strid'"):
        flow(strid=2)
    with pytest.raises(WorldGaugeError, match="parameter 'stride' needs a default"):

        @signal(version=1, name="test_no_default")
        def bad(clip: object, *, stride: int) -> dict[str, object]:
            return {}


def test_unknown_input() -> None:
    with pytest.raises(WorldGaugeError, match="unknown part of a case 'vidoe'; did you mean video"):
        signal(version=1, reads=("vidoe",))


def test_include_reports_mistakes_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import nothing_of_that_name")
    with pytest.raises(WorldGaugeError, match=r"bad\.py: ModuleNotFoundError: No module named 'nothing_of_that_name'"):
        include(tmp_path / "bad.py")
    with pytest.raises(WorldGaugeError, match="no such file"):
        include(tmp_path / "none.py")
