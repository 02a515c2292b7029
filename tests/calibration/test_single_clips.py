"""What single clips tell, what changed against the shipped result, and the page of each metric."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from worldgauge.blocks.faults import Quality
from worldgauge.calibration.changes import changes
from worldgauge.calibration.metric_page import write_metric_pages
from worldgauge.calibration.responses import Scores, respond
from worldgauge.calibration.result import CalibrationFile, GaugeResult
from worldgauge.calibration.single_clips import with_single_clips
from worldgauge.calibration.verdicts import judge, reach_of
from worldgauge.core.gauge import CalibrationGauge

SEVERITIES = (0.25, 0.5, 1.0)
WORLDS = 20
ORACLE = np.linspace(10, 90, WORLDS)
GAUGE = CalibrationGauge("sharpness", Quality.PICTURE)


def measured(answers: dict[str, np.ndarray], gauge: CalibrationGauge = GAUGE) -> GaugeResult:
    """A metric whose score falls by `answers`, (S, W) for each fault."""
    shown = np.ones((len(SEVERITIES), WORLDS))
    scores = {fault: Scores(ORACLE, ORACLE - fall, shown, SEVERITIES) for fault, fall in answers.items()}
    responses = [respond(fault, of, higher_is_better=True) for fault, of in scores.items()]
    result = GaugeResult(
        id=gauge.id, metric="sharpness", fingerprint="abc", quality=gauge.quality, unit="", higher_is_better=True,
        oracle=50.0, responses=judge(gauge, responses),
    )  # fmt: skip
    gains = {fault: of.gains(True) for fault, of in scores.items()}
    return with_single_clips(result, gains, reach_of(gauge, responses))


def falls(*doses: float) -> np.ndarray:
    return np.tile(np.array(doses, float)[:, None], (1, WORLDS))


def vanishing() -> np.ndarray:
    """One clip in twenty moves by 2, the others by 0.5."""
    return np.where(np.arange(WORLDS) == 3, 2.0, 0.5) * np.ones((3, 1))


def test_noise_is_what_nineteen_clips_in_twenty_stay_below_and_specificity_counts_the_rest() -> None:
    found = measured({"blur": falls(1, 3, 10), "vanish": vanishing()})
    assert found.noise == pytest.approx(np.percentile(vanishing(), 95), rel=1e-5)
    assert (found.specificity, found.ignored_clips) == (0.95, 60)  # 0.5 is within 15 % of the reach of 10, 2 is not


def test_a_fault_is_clear_from_the_dose_at_which_nearly_every_clip_tells() -> None:
    blur = falls(1, 3, 10)
    blur[1, :2] = 0.0  # two clips in twenty do not tell at the middle dose
    response = measured({"blur": blur, "vanish": vanishing()}).response("blur")
    assert response is not None
    assert [dose.seen for dose in response.doses] == [1.0, 0.9, 1.0]
    assert (response.detects, response.clear_from) == (0.25, 1.0)


def test_a_clip_without_a_score_tells_nothing() -> None:
    blur = falls(1, 3, 10)
    blur[2, :5] = np.nan
    response = measured({"blur": blur, "vanish": vanishing()}).response("blur")
    assert response is not None and response.doses[-1].seen == 0.75 and response.clear_from is None


def test_where_nothing_must_be_ignored_no_clip_can_tell() -> None:
    found = measured({"blur": falls(1, 3, 10)})
    assert (found.noise, found.specificity) == (None, None)
    assert found.responses[0].doses[-1].seen is None


def test_a_blind_spot_is_no_measure_of_noise() -> None:
    blind = CalibrationGauge("sharpness", Quality.PICTURE, blind={"vanish": "known"})
    assert measured({"blur": falls(1, 3, 10), "vanish": vanishing()}, blind).noise is None


def test_few_worlds_leave_a_change_the_right_way_undecided_and_a_wrong_one_failed() -> None:
    few = np.full((3, WORLDS), np.nan)
    few[:, :6] = np.array([9.0, 9.0, 9.0, 9.0, 9.0, -1.0])
    assert [r.verdict.holds for r in measured({"blur": few}).responses if r.verdict] == [None]
    assert [r.verdict.holds for r in measured({"blur": -few}).responses if r.verdict] == [False]


def calibration(gauge: GaugeResult, **other: object) -> CalibrationFile:
    values: dict[str, object] = {
        "preset": "small", "worlds": ["a", "b"], "size": (8, 8), "frames": 3, "severities": list(SEVERITIES),
        "instruments": {}, "environment": {}, "faults": {"blur": "px", "vanish": "frames"}, "gauges": [gauge],
    }  # fmt: skip
    return CalibrationFile.model_validate(values | other)


def test_changes_are_told_line_by_line() -> None:
    seen, unseen = measured({"blur": falls(1, 3, 10)}), measured({"blur": falls(0, 0, 0)})
    before = calibration(seen)
    assert changes(before, before) == []
    assert changes(before, None) == ["no calibration on 2 worlds whose target comes back is shipped"]
    lines = changes(calibration(unseen.model_copy(update={"oracle": 40.0, "fingerprint": "def"})), before)
    assert lines[0] == "sharpness: definition def, shipped is one of abc"
    assert lines[1] == "sharpness: the oracle has 40, shipped 50"
    assert lines[2].startswith("sharpness x blur: fails, shipped holds; rho +0.00")
    assert lines[3] == "sharpness x blur: not seen, shipped seen from severity 0.25"
    other_worlds = changes(calibration(unseen, worlds=["c"]), before)
    assert len(other_worlds) == 1 and "fails, shipped holds" in other_worlds[0]


def test_each_metric_has_a_page_with_its_curves(tmp_path: Path) -> None:
    gauge = measured({"blur": falls(1, 3, 10), "vanish": vanishing()}).model_copy(update={"id": "lab/sharpness"})
    assert write_metric_pages([calibration(gauge, held_out=True)], tmp_path) == 1
    text = (tmp_path / "lab_sharpness.md").read_text("utf-8")
    assert "nothing was tuned on them" in text
    assert "Specificity: 95.0% of 60 clips" in text
    assert "| blur |" in text and "100%, 100%, 100%" in text
    figure = ElementTree.parse(tmp_path / "lab_sharpness.svg").getroot()
    curves = figure.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(curves) == 2 and all(len((curve.get("points") or "").split()) == 4 for curve in curves)
