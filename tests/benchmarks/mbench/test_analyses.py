"""Tables by subset, the confidence cut, sweeps from stored signals, people's votes."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from benchmarks.mbench import scripted_judge as judge
from benchmarks.mbench.made_run import SCRIPT, made_world, run_of
from benchmarks.mbench.released_tree import add_sample, write_rows
from worldgauge.api.building import build_job
from worldgauge.benchmarks.mbench.analyses.confidence import confidence_curve
from worldgauge.benchmarks.mbench.analyses.study import study
from worldgauge.benchmarks.mbench.analyses.subsets import subset_table
from worldgauge.benchmarks.mbench.analyses.sweeps import flips_between, sweep
from worldgauge.benchmarks.mbench.analyses.votes import agreement, count_votes
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video


def test_by_subset(text_run):
    lines = {(line.tag, line.value, line.score): line for line in subset_table(text_run)}
    state = lines["subset", "causal", "t_state"]
    assert lines["hiding", "camera", "t_state"].m_score == state.m_score
    known = [k for k in range(8) if k != judge.UNREADABLE]
    scored = [k for k in known if judge.triggered(k)]
    assert (state.scored, state.triggered, state.cases) == (len(scored), len(scored), len(known))
    assert state.trigger_rate == pytest.approx(100 * len(scored) / len(known))


def test_a_score_is_told_of_the_clips_it_is_about(tmp_path):
    """A subset's rate serves the scores of that subset, and a score of places says nothing of causal clips."""
    run = run_of(tmp_path, *made_world(tmp_path, "A", worlds=2), "a_trigger_causal,a_state,a_style")
    lines = subset_table(run)
    assert {line.score for line in lines} == {"a_state"}
    assert {(line.tag, line.value): line.cases for line in lines} == {
        ("subset", "causal"): 2, ("hiding", "camera"): 2, ("direction", "left"): 1, ("direction", "right"): 1,
    }  # fmt: skip


def test_the_confidence_cut(text_run):
    """The judge's confidence is ten times the number of the world."""
    rows = {row["cut"]: row for row in confidence_curve(text_run, (0.0, 0.35, 1.0)) if row["score"] == "t_state"}
    known = [k for k in range(8) if k != judge.UNREADABLE]
    kept = [k for k in known if judge.triggered(k) and k >= 3.5]
    assert rows[0.35]["triggered"] == len(kept)
    assert rows[0.35]["reliability"] == pytest.approx(100 * np.mean([(judge.state(k) - 1) / 4 for k in kept]))
    assert (rows[1.0]["triggered"], rows[1.0]["reliability"], rows[1.0]["m_score"]) == (0, None, 0.0)
    assert rows[0.0]["trigger_rate"] > rows[0.35]["trigger_rate"]


@pytest.fixture(scope="module")
def five_models(tmp_path_factory):
    """Environment clips of five models, each with its own steps in light and in colour on the way back."""
    folder = tmp_path_factory.mktemp("models")
    data = folder / "MBench-T"
    data.mkdir()
    (data / "dataset.yaml").write_text("dataset_id: mbencht\n")
    add_sample(data, "environment", "yard", metadata={"captions": [f"World 1, {k}." for k in range(5)]})
    write_rows(data / "mapping.jsonl", [{"item_id": "environment:yard:text"}])
    runs = []
    for number, (light, colour) in enumerate([(0, 0), (4, 0), (0, 12), (16, 4), (30, 30)]):
        frames = np.full((10, 32, 48, 3), 100, np.uint8)
        frames[5:] += np.uint8(light)
        frames[5:, ..., 0] += np.uint8(colour)
        place = folder / f"model{number}" / "outputs" / "environment" / "yard" / "text"
        place.mkdir(parents=True)
        write_video(place / "video.mp4", frames, fps=0.4)
        job = build_job(
            folder / f"model{number}", benchmark="mbench", data=data, metrics="t_trigger_environment,t_lighting",
            judge=f"scripted:{SCRIPT}:answer", store=folder / "store", out=folder / f"run{number}",
        )  # fmt: skip
        execute(job, make_plan(job))
        runs.append(Run(folder / f"run{number}"))
    return runs, folder / "store"


def test_tau_does_not_change_ranks_and_alpha_does(five_models):
    runs, store = five_models
    by_tau = sweep(runs, store, "lighting.tau")
    assert [one.tau for one in by_tau] == pytest.approx([1.0] * 5)
    (usual,) = [one for one in by_tau if one.default]
    recorded = {run.name: run.columns()["t_lighting"].values[0] for run in runs}
    assert usual.means == pytest.approx(recorded)
    by_alpha = {one.value: one for one in sweep(runs, store, "lighting.alpha")}
    assert by_alpha[0.5].flips == ()
    assert by_alpha[1.0].means["model2"] > by_alpha[1.0].means["model3"]
    assert by_alpha[0.0].flips or by_alpha[1.0].flips


def test_what_cannot_be_swept_is_told(five_models, tmp_path):
    runs, store = five_models
    with pytest.raises(WorldGaugeError, match="unknown sweep"):
        sweep(runs, store, "lighting.tua")
    with pytest.raises(WorldGaugeError, match="no run has a score"):
        sweep(runs, store, "order")
    with pytest.raises(WorldGaugeError, match="not in the store"):
        sweep(runs, tmp_path / "empty", "lighting.tau")


def test_flips_are_of_models_that_both_rankings_know():
    assert flips_between({"a": 1.0, "b": 2.0, "c": None}, {"a": 3.0, "b": 2.0, "c": 1.0}) == [("b", "a")]
    assert flips_between({"a": 1.0, "b": 1.0}, {"a": 3.0, "b": 2.0}) == []


def vote(task, first, second, choice, dimension="state", dataset="mbencht", sample="s"):
    return {
        "type": "pairwise", "task_id": task, "dataset_id": dataset, "subset": "causal", "sample_id": sample,
        "condition_id": "text", "model_a": first, "model_b": second, "dimensions": {dimension: choice},
    }  # fmt: skip


def test_majorities_and_splits():
    rows = [vote("1", "a", "b", choice) for choice in ("a", "a", "b")]
    rows += [vote("2", "b", "a", choice) for choice in ("a", "b", "tie")]
    rows += [vote("3", "a", "c", "tie")]
    counted = count_votes(rows, "file")
    assert (counted.records, counted.pairs, counted.split) == (7, 3, 1)
    assert [one.winner for one in counted.decisions] == ["a", "tie"]


@pytest.mark.parametrize(
    "row",
    [
        vote("1", "a", "a", "a"),
        vote("1", "a", "b", "c"),
        vote("", "a", "b", "a"),
        vote("0", "a", "c", "a"),
    ],
)
def test_bad_votes_are_one_line(row):
    with pytest.raises(WorldGaugeError, match="file record 2"):
        count_votes([vote("0", "a", "b", "a"), row], "file")


def test_agreement_of_scores_with_votes():
    """Scores in the order of the votes agree fully, in the opposite order not at all."""
    order = "abcd"
    pairs = [(i, j, k) for i in range(4) for j in range(i + 1, 4) for k in range(5)]
    rows = [vote(f"{i}{j}{k}", order[i], order[j], order[i], sample=f"s{k}") for i, j, k in pairs]
    decisions = count_votes(rows, "file").decisions
    scores = {(model, f"causal/s{k}/text"): 10.0 - n for n, model in enumerate(order) for k in range(5)}
    found = agreement(decisions, scores, replicates=50)
    assert (found.rho, found.tau, found.pairs) == (pytest.approx(1.0), pytest.approx(1.0), 30)
    assert found.rho_interval == pytest.approx((1.0, 1.0))
    assert found.by_people == {"a": 1.0, "b": pytest.approx(2 / 3), "c": pytest.approx(1 / 3), "d": 0.0}
    turned = agreement(decisions, {key: -value for key, value in scores.items()}, replicates=2)
    assert turned.rho == pytest.approx(-1.0)
    assert agreement(decisions, {}) is None


def test_a_study_with_runs(text_run, tmp_path):
    """Votes of two models with the same scores, and labels of the challenge against the judge's."""
    other = tmp_path / "other"
    shutil.copytree(text_run.folder, other)
    content = json.loads((other / "run.json").read_text())
    content["model"]["name"] = "twin"
    (other / "run.json").write_text(json.dumps(content))
    clips = [k for k in range(8) if k != judge.UNREADABLE]
    labels = [
        {"model": "model", "task_id": f"causal:causal_{k:04d}_camera:text", "memory_issue": "", "verdict": "yes"}
        for k in clips
    ]
    votes = [vote("1", "model", "twin", "model", sample="causal_0001_camera")]
    file = tmp_path / "votes.json"
    file.write_text(json.dumps([*votes, *labels]))
    found = study(file, [text_run, Run(other)])
    assert found["win_ratios"][0]["models"] == {"model": 1.0, "twin": 0.0}
    assert found["agreement"][0]["by_scores"] == {"model": 0.5, "twin": 0.5}
    yes = sum(judge.triggered(k) for k in clips)
    causal = found["triggers"][0]
    assert (causal["subset"], causal["clips"], causal["precision"]) == ("causal", len(clips), 1.0)
    assert causal["recall"] == pytest.approx(yes / len(clips))
    assert causal["f1"] == pytest.approx(2 * yes / (yes + len(clips)))
