"""The arithmetic of the fault matrix on made scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldgauge.benchmarks.pocket.bench.columns import REAL, gauge_of, page_of, pocket_uses
from worldgauge.benchmarks.pocket.bench.fault_matrix import lines_of
from worldgauge.benchmarks.pocket.bench.seen import Scores, sights, stirred
from worldgauge.blocks.faults import FAULTS, Quality
from worldgauge.calibration.worthless import WHOLE
from worldgauge.core.gauge import CalibrationGauge

WORLDS = 16


def _scores(quality: Quality, worse: dict[str, np.ndarray], better: bool = True, **settings: object) -> Scores:
    oracle = np.linspace(10, 90, WORLDS)
    subjects = {fault: oracle - by if better else oracle + by for fault, by in worse.items()}
    return Scores(CalibrationGauge("m", quality, **settings), better, oracle, subjects)  # type: ignore[arg-type]


def _shows(*faults: str) -> dict[str, np.ndarray]:
    return {fault: np.ones(WORLDS, bool) for fault in faults}


@pytest.mark.parametrize("better", [True, False])
def test_seen_is_worse_than_nearly_all_that_must_be_ignored(better: bool) -> None:
    ignored = np.linspace(-1, 1, WORLDS)
    answer = np.full(WORLDS, 5.0)
    answer[0] = 0.5
    scores = _scores(Quality.PICTURE, {"camera_drift": ignored, "blur": answer}, better)
    assert scores.threshold(0.5) == pytest.approx(1.0, abs=0.05)
    (sight,) = sights([scores], _shows("blur"), 0.5)
    assert (sight.metric, sight.seen, sight.worlds, sight.enough) == ("m", 15, 16, True)


def test_getting_better_is_not_seeing_and_a_metric_with_nothing_to_ignore_sees_nothing() -> None:
    better = _scores(Quality.PICTURE, {"camera_drift": np.zeros(WORLDS), "blur": np.full(WORLDS, -5.0)})
    assert sights([better], _shows("blur"), 0.5)[0].seen == 0
    (sight,) = sights([_scores(Quality.FIDELITY, {"blur": np.full(WORLDS, 5.0)})], _shows("blur"), 0.5)
    assert (sight.metric, sight.enough) == ("", False)


def test_worlds_in_which_a_fault_shows_nothing_do_not_count() -> None:
    where = np.arange(WORLDS) < 4
    answer = np.where(where, 5.0, np.nan)
    scores = _scores(Quality.PICTURE, {"camera_drift": np.zeros(WORLDS), "blur": answer})
    (sight,) = sights([scores], {"blur": where, "noise": np.zeros(WORLDS, bool)}, 0.5)
    assert (sight.fault, sight.seen, sight.worlds) == ("blur", 4, 4)


def test_an_unscored_clip_is_not_seen() -> None:
    answer = np.full(WORLDS, 5.0)
    answer[:3] = np.nan
    scores = _scores(Quality.PICTURE, {"camera_drift": np.zeros(WORLDS), "blur": answer})
    assert not sights([scores], _shows("blur"), 0.5)[0].enough


def test_what_moves_though_it_must_stay_is_told_unless_it_is_a_known_blind_spot() -> None:
    worse = {"camera_drift": np.full(WORLDS, 2.0), "blur": np.full(WORLDS, 5.0)}
    assert stirred([_scores(Quality.PICTURE, worse)], 0.5) == ["m x camera_drift: +2 worse, 40% of its reach"]
    assert stirred([_scores(Quality.PICTURE, worse, blind={"camera_drift": "known"})], 0.5) == []


def test_every_column_is_about_something_and_every_fault_can_be_seen_by_one() -> None:
    qualities = {gauge_of(use).quality for use in pocket_uses()}
    assert None not in qualities
    for name, fault in FAULTS.items():
        assert {move.quality for move in fault.moves} & qualities - {Quality.FIDELITY}, name


def test_the_lines_name_misses_and_scores() -> None:
    columns = {use.id: 1.0 for use in pocket_uses()}
    scores = {"oracle": columns, REAL: columns, "blur": columns | {"sharpness": 0.5, "camera": None}}
    row = {"scores": scores, "quantities": {"blur": 3.0}}
    lines = list(lines_of([row] * 4, ["blur"]))
    assert lines[0].startswith("MISS blur")
    assert any(line.startswith("sharpness: oracle 1, real-like 1;") for line in lines)
    page = page_of({"fixed": ([row] * 4, ["blur"])})
    assert "Worlds with a fixed camera (4)" in page and "| blur | - |" in page


def test_worthless_clips_are_as_long_as_the_true_ones(tmp_path: Path) -> None:
    frames = np.random.default_rng(0).integers(0, 256, (5, 8, 8, 3)).astype(np.uint8)
    made = {name: make(frames) for name, make in WHOLE.items()}
    assert {clip.shape for clip in made.values()} == {frames.shape}
    assert not made["black"].any() and (made["repeated"] == frames[0]).all()
