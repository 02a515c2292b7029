"""Calibration: statistics with known answers, verdicts, and a metric that ignores its input is caught."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import helpers
from worldgauge.blocks.faults import Quality
from worldgauge.blocks.paths import LAYOUTS
from worldgauge.calibration import presets
from worldgauge.calibration.gauges import all_gauges, choose_gauges
from worldgauge.calibration.heatmap import heat_map
from worldgauge.calibration.page import page
from worldgauge.calibration.presets import PRESETS, Preset, choose_preset
from worldgauge.calibration.responses import Scores, respond
from worldgauge.calibration.result import CalibrationFile, GaugeResult, Response, must, shipped
from worldgauge.calibration.verdicts import judge
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.gauge import CalibrationGauge

SEVERITIES = (0.25, 0.5, 1.0)
WORLDS = 8


def _scores(answer: np.ndarray) -> Scores:
    """Scores that fall by `answer` (S,) on worlds of very different level."""
    oracle = np.linspace(10, 90, WORLDS)
    return Scores(oracle, oracle - answer[:, None], np.tile(np.array(SEVERITIES)[:, None], (1, WORLDS)), SEVERITIES)


def test_a_falling_score_has_rho_minus_one_and_is_told_from_the_smallest_dose() -> None:
    found = respond("blur", _scores(np.array([1.0, 2.0, 5.0])), higher_is_better=True)
    assert found.rho == -1.0
    assert found.detects == 0.25
    assert found.doses[-1].difference == pytest.approx(-5.0)
    assert found.doses[-1].p_value == pytest.approx(2 / 2**WORLDS, abs=1e-6)
    assert found.doses[-1].interval is not None
    low, high = found.doses[-1].interval
    assert low < found.doses[-1].mean < high  # type: ignore[operator]


def test_an_error_that_rises_counts_as_worse() -> None:
    found = respond("blur", _scores(np.array([-1.0, -2.0, -5.0])), higher_is_better=False)
    assert found.rho == -1.0
    assert found.doses[-1].difference == pytest.approx(-5.0)


def test_a_score_that_answers_late_is_told_late() -> None:
    scores = _scores(np.array([0.0, 0.0, 5.0]))
    scores.subject[:2] += np.where(np.arange(WORLDS) % 2, 0.1, -0.1)
    assert respond("blur", scores, higher_is_better=True).detects == 1.0


def test_a_constant_score_has_no_correlation_and_detects_nothing() -> None:
    found = respond("blur", _scores(np.zeros(3)), higher_is_better=True)
    assert found.rho == 0.0
    assert found.detects is None


def test_worlds_in_which_the_fault_shows_nothing_are_left_out() -> None:
    scores = _scores(np.array([1.0, 2.0, 5.0]))
    scores.quantity[:, :2] = 0
    assert respond("blur", scores, True).doses[-1].cases == WORLDS - 2


def test_unscored_worlds_are_left_out_and_counted() -> None:
    scores = _scores(np.array([1.0, 2.0, 5.0]))
    scores.subject[2, :3] = np.nan
    found = respond("blur", scores, True)
    assert [d.cases for d in found.doses] == [WORLDS, WORLDS, WORLDS - 3]
    scores.subject[2] = np.nan
    assert respond("blur", scores, True).doses[-1].mean is None


def _judged(quality: Quality, answers: dict[str, list[float]]) -> dict[str, Response]:
    responses = [respond(fault, _scores(np.array(a, float)), True) for fault, a in answers.items()]
    return {r.fault: r for r in judge(CalibrationGauge("m", quality), responses)}


def test_must_move_holds_for_a_metric_that_answers_and_fails_for_one_that_does_not() -> None:
    found = _judged(Quality.PICTURE, {"blur": [1, 2, 5], "noise": [0, 0, 0], "compression": [-1, -2, -5]})
    held = {fault: r.verdict.holds for fault, r in found.items() if r.verdict}
    assert held == {"blur": True, "noise": False, "compression": False}


def test_must_stay_is_measured_against_the_metrics_own_reach() -> None:
    found = _judged(Quality.PICTURE, {"blur": [1, 2, 10], "vanish": [0.1, 0.2, 1.0], "teleport": [1, 2, 3]})
    assert found["vanish"].verdict is not None and found["vanish"].verdict.holds is True
    assert found["teleport"].verdict is not None and found["teleport"].verdict.holds is False


def test_must_stay_is_asked_only_up_to_the_declared_severity() -> None:
    # Heavy blur may cost the camera its corners; up to one half it must not.
    found = _judged(Quality.CAMERA, {"camera_drift": [1, 2, 10], "blur": [0.1, 0.1, 9]})
    assert found["blur"].verdict is not None and found["blur"].verdict.holds is True
    assert must(found["blur"].verdict) == "stay still up to severity 0.5"


def test_a_metric_without_any_reach_cannot_be_called_still() -> None:
    found = _judged(Quality.CAMERA, {"camera_drift": [0, 0, 0], "vanish": [0, 0, 0]})
    assert found["vanish"].verdict is not None and found["vanish"].verdict.holds is None
    assert found["camera_drift"].verdict is not None and found["camera_drift"].verdict.holds is False


def test_an_undeclared_metric_gets_no_verdict() -> None:
    responses = [respond("blur", _scores(np.array([1.0, 2.0, 5.0])), True)]
    assert judge(CalibrationGauge("m"), responses)[0].verdict is None


def test_gauges_are_unique_and_name_what_is_registered() -> None:
    names = [gauge.id for gauge in all_gauges().values()]
    assert len(names) == len(set(names))
    assert choose_gauges(wanted=["psnr"])[0].quality == Quality.FIDELITY
    with pytest.raises(WorldGaugeError, match="did you mean psnr"):
        choose_gauges(wanted=["psnrr"])
    with pytest.raises(WorldGaugeError, match="unknown quality"):
        choose_gauges(declared={"psnr": "beauty"})


def test_presets_have_worlds_enough_for_the_test_and_refuse_wrong_faults() -> None:
    for preset in PRESETS.values():
        assert 2 / 2 ** len(preset.blocks()) <= 0.05
        assert len(preset.subjects()) == 1 + len(preset.faults) * len(preset.severities)
    assert choose_preset("quick", ["blur"]).faults == ("blur",)
    with pytest.raises(WorldGaugeError, match="did you mean flicker"):
        choose_preset("quick", ["flickr"])


def _file(responses: list[Response]) -> CalibrationFile:
    gauge = GaugeResult(
        id="m<1>", metric="m", fingerprint="f", quality=Quality.PICTURE, unit="", higher_is_better=True, oracle=50.0,
        responses=responses,
    )  # fmt: skip
    return CalibrationFile(
        preset="small", worlds=["a", "b"], size=(64, 36), frames=9, severities=list(SEVERITIES), instruments={},
        environment={}, faults={r.fault: "levels" for r in responses}, gauges=[gauge],
    )  # fmt: skip


def test_the_file_survives_a_round_trip_and_lists_failures(tmp_path: Path) -> None:
    judged = _judged(Quality.PICTURE, {"blur": [1, 2, 5], "noise": [0, 0, 0]})
    made = _file(list(judged.values()))
    made.write(tmp_path / "calibration.json")
    assert CalibrationFile.read(tmp_path / "calibration.json") == made
    assert [line.split(":")[0] for line in made.failures()] == ["m<1> x noise"]


def test_figure_is_well_formed_and_the_page_names_what_fails() -> None:
    made = _file(list(_judged(Quality.PICTURE, {"blur": [1, 2, 5], "noise": [0, 0, 0]}).values()))
    root = ElementTree.fromstring(heat_map(made))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "m<1>" in texts
    assert "0.25" in texts
    text = page(made)
    assert "- m<1> x noise: must get worse" in text
    assert "| 0.25: blur |" in text


def test_what_show_prints_names_what_is_seen_and_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from worldgauge.calibration import result
    from worldgauge.cli.show import app

    made = _file(list(_judged(Quality.PICTURE, {"blur": [1, 2, 5], "noise": [0, 0, 0]}).values()))
    renamed = made.gauges[0].model_copy(update={"metric": "picture_quality"})
    monkeypatch.setattr(result, "shipped", lambda: (made.model_copy(update={"gauges": [renamed]}),))
    shown = CliRunner().invoke(app, ["picture_quality"])
    assert shown.exit_code == 0, shown.output
    assert "blur: seen from severity 0.25, rho -1.00" in shown.stdout
    assert "noise: not seen, rho +0.00; DECLARATION FAILS, must get worse" in shown.stdout
    assert "not calibrated" in CliRunner().invoke(app, ["ssim"]).stdout


def test_a_known_blind_spot_is_shown_but_does_not_fail() -> None:
    deaf = respond("noise", _scores(np.zeros(3)), True)
    made = _file(judge(CalibrationGauge("m", Quality.PICTURE, blind={"noise": "it is deaf"}), [deaf]))
    assert made.failures() == []
    assert made.blind_spots()[0].endswith("it is deaf")
    assert judge(CalibrationGauge("m", Quality.PICTURE, unasked={"noise": "not meant"}), [deaf])[0].verdict is None


def test_shipped_results_hold_but_for_known_blind_spots_and_those_are_real() -> None:
    assert [line for file in shipped() for line in file.failures()] == []
    assert helpers.blind_spots_not_seen("") == set()


def test_a_fault_that_must_not_raise_a_metric_is_caught_when_it_does() -> None:
    never = CalibrationGauge("m", Quality.PICTURE, no_better=("frozen_camera",))
    for shift, holds in (([1.0, 2.0, 5.0], True), ([0.0, 0.0, 0.0], True), ([-1.0, -2.0, -5.0], False)):
        verdict = judge(never, [respond("frozen_camera", _scores(np.array(shift)), True)])[0].verdict
        assert verdict is not None and (verdict.expects, verdict.holds) == ("no better", holds)


def test_each_kind_of_worlds_has_its_own_metrics() -> None:
    returns, layouts = ({gauge.id for gauge in choose_gauges(kind)} for kind in ("returns", "layouts"))
    assert "return_psnr" in returns - layouts and "psnr" in returns & layouts
    assert {block.path for block in choose_preset("small", kind="layouts").blocks()} == set(LAYOUTS)
    assert not {"vanish", "teleport"} & set(choose_preset("small", kind="fixed").faults)
    with pytest.raises(WorldGaugeError, match="did you mean fixed"):
        choose_preset("small", kind="fixd")


BROKEN = '''
from worldgauge.core.metric import Measurement, metric
from worldgauge.signals.fidelity import pixel_errors

@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[pixel_errors()])
def deaf(case, errors):
    """Ignores what it is given."""
    return Measurement(0.5)
'''


def test_a_metric_that_ignores_its_input_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from worldgauge.cli.calibrate import app

    tiny = Preset("quick", (0.5, 1.0), (96, 54), 17, 5.0, worlds=6)
    monkeypatch.setitem(presets.PRESETS, "quick", tiny)
    (tmp_path / "deaf.py").write_text(BROKEN)
    arguments = ["--quick", "--fault", "blur", "--include", str(tmp_path / "deaf.py"), "--workers", "1"]
    arguments += ["--metrics", "ssim,deaf", "--declare", "deaf=fidelity", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1, done.output
    assert "FAILS  deaf x blur" in done.stderr
    assert "ssim x blur" not in done.stderr
    found = json.loads((tmp_path / "out" / "quick" / "calibration.json").read_text())
    verdicts = {g["id"]: g["responses"][0]["verdict"]["holds"] for g in found["gauges"]}
    assert verdicts == {"ssim": True, "deaf": False}
