"""Trigger-conditioned scores of a run against a hand computation."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from benchmarks.mbench import scripted_judge as judge
from benchmarks.mbench.made_run import lines, made_world, run_of
from worldgauge.benchmarks.mbench.signals.answers import DIRECTION, EVOLUTION, TRIGGERS
from worldgauge.core.aggregate import Tree
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.prompts import read_prompt
from worldgauge.core.run_file import DefinitionFile
from worldgauge.judge.rendering import fenced, render
from worldgauge.report.summary import summarise
from worldgauge.stats.bootstrap import cluster_replicates

WORLDS = range(8)
KNOWN = [k for k in WORLDS if k != judge.UNREADABLE]
SCORED = [k for k in KNOWN if judge.triggered(k)]


def mean(values):
    values = list(values)
    return 100 * sum(values) / len(values)


def harmonic(a, b):
    return 2 * a * b / (a + b)


def test_rate_reliability_and_m_score(text_run):
    scores = summarise(text_run).scores
    rate = mean(judge.triggered(k) for k in KNOWN)
    state = mean((judge.state(k) - 1) / 4 for k in SCORED)
    gated = mean((judge.state(k) - 1) / 4 * (judge.plausibility(k) - 1) / 4 for k in SCORED)
    forward = mean((judge.state(k) - 1) / 4 * (k % 2 == 0) for k in SCORED)
    assert scores["t_trigger_causal"].value == pytest.approx(rate)
    assert scores["t_state"].value == pytest.approx(state)
    assert scores["t_correctness"].value == pytest.approx(gated)
    assert scores["t_state_forward"].value == pytest.approx(forward)
    assert scores["t_state_m"].value == pytest.approx(harmonic(state, rate))
    assert scores["t_correctness_m"].value == pytest.approx(harmonic(gated, rate))
    assert scores["t_state"].statuses == {"ok": len(SCORED), "skipped": len(KNOWN) - len(SCORED), "unscored": 1}
    assert scores["t_causal"].value is None, "text instruction was not run"


def test_an_unreadable_trigger_is_unscored_and_bounded(text_run):
    scores = summarise(text_run).scores
    (unread,) = [line for (metric, _), line in lines(text_run).items() if line["status"] == "unscored"]
    assert (unread["metric"], unread["code"]) == ("t_trigger_causal", "no-answer")
    low, high = scores["t_trigger_causal"].bounds
    yes = sum(judge.triggered(k) for k in KNOWN)
    assert (low, high) == pytest.approx((100 * yes / 8, 100 * (yes + 1) / 8))
    total, count = sum((judge.state(k) - 1) / 4 for k in SCORED), len(SCORED)
    ends = 100 * total / (count + 1), 100 * (total + 1) / (count + 1)
    assert scores["t_state"].bounds == pytest.approx(ends)
    assert scores["t_state_m"].bounds == pytest.approx((harmonic(ends[0], low), harmonic(ends[1], high)))


def test_confidence_is_kept(text_run):
    found = {int(case[14:18]): line for (metric, case), line in lines(text_run).items() if metric == "t_trigger_causal"}
    assert found[4]["curve"] == [0.4]
    assert found[4]["reason"] == "yes, confidence 40"


def test_action_clips_need_no_judge_for_their_trigger(tmp_path):
    """Eq. 3 with a rate of 1 under `paper`; the plain mean, and plain fifths of plausibility, under `table2`."""
    data, model = made_world(tmp_path, "A", worlds=4)
    columns = "a_trigger_causal,a_state,a_correctness"
    printed = summarise(run_of(tmp_path, data, model, columns)).scores
    table = summarise(run_of(tmp_path, data, model, columns, "table2")).scores
    state = mean((judge.state(k) - 1) / 4 for k in range(4))
    fifths = mean(judge.plausibility(k) / 5 for k in range(4))
    assert printed["a_trigger_causal"].value == 100
    assert printed["a_state_m"].value == pytest.approx(harmonic(state, 100))
    assert table["a_state_m"].value == pytest.approx(state)
    assert table["a_correctness_m"].value == pytest.approx(fifths)
    assert printed["a_correctness"].value < fifths


def test_half_a_submission_is_half_triggered(tmp_path):
    """Eq. 3 over every selected case: before, absent clips left the rate, so that half a submission lost nothing."""
    data, model = made_world(tmp_path, "A", worlds=4)
    columns = "a_trigger_causal,a_state"
    whole = summarise(run_of(tmp_path, data, model, columns)).scores
    for number in (1, 3):
        shutil.rmtree(model / "outputs" / "causal" / f"causal_{number:04d}")
    half = summarise(run_of(tmp_path / "half", data, model, columns)).scores
    assert half["a_trigger_causal"].value == 50
    # A clip that did not trigger has no part in the reliability, and nothing about it is unknown.
    state = mean((judge.state(k) - 1) / 4 for k in (0, 2))
    assert half["a_state"].value == pytest.approx(state) and half["a_state"].bounds is None
    assert half["a_state_m"].value == pytest.approx(harmonic(state, 50)) and half["a_state_m"].value <= 200 / 3
    assert whole["a_trigger_causal"].value == 100
    table = summarise(run_of(tmp_path, data, model, columns, "table2")).scores
    assert table["a_state"].value == pytest.approx(state / 2)


def test_one_triggered_clip_has_no_interval():
    """Before: the M-Score of one clip of many had the interval [0, 0], from the resamples without it."""
    benchmark = read_benchmark_file("mbench").under_protocol("paper")
    same = {"fingerprint": "f", "metric": "m", "version": 1, "unit": "", "higher_is_better": True, "bounds": (0, 100)}
    definitions = [DefinitionFile(id=name, **same) for name in ("t_state", "t_trigger_causal")]
    tree = Tree(benchmark, definitions)
    values = np.array([[50.0, *[np.nan] * 9], [100.0, *[0.0] * 9]])
    drawn = tree.combine_replicates(cluster_replicates(values, np.arange(10)))
    row = tree.ids.index("t_state_m")
    assert tree.combine(np.array([50.0, 10.0]))[row] == pytest.approx(harmonic(50, 10))
    assert not np.isfinite(drawn[row]).any() and np.isfinite(drawn[1]).all()
    # Two triggered clips: a resample without either is 0, by Eq. 3.
    values[:, 1] = 70.0, 100.0
    drawn = tree.combine_replicates(cluster_replicates(values, np.arange(10)))
    assert np.isfinite(drawn[row]).all() and (drawn[row] == 0).any() and (drawn[row] > 0).any()


def test_what_the_judge_is_asked_about_an_object():
    """Captions and the target's name stand in the prompt, fenced; every place is filled."""
    values = {"material": "8 frames", "captions": fenced("a yard"), "target": fenced("a red pot")}
    asked = {name: render(name, read_prompt(name), values) for name in (*TRIGGERS, EVOLUTION, DIRECTION)}
    assert "a red pot" in asked[TRIGGERS[0]]
    assert all("a yard" in text and "8 frames" in text and "{{" not in text for text in asked.values())
