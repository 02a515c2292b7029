"""The board's ZIP by the board's rules, out and in."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import pytest

from benchmarks.mbench.made_run import made_world, run_of
from worldgauge.benchmarks.mbench.official.board import SUBMISSION, Board, read_board, write_board
from worldgauge.benchmarks.mbench.official.from_run import board_from, board_of
from worldgauge.benchmarks.mbench.official.metric_ids import SCORES, scores_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.report.summary import summarise

GOOD = {"model_name": "m", "model_link": "https://m", "model_type": "text-conditioned", "total_m_score": 50}


def judged(folder, setting, columns):
    """A judged run of four clips; scores that no network is here for are put in."""
    data, model = made_world(folder, setting.upper(), worlds=4)
    chosen = ",".join([*columns, *(f"{setting}_{one.score}" for one in scores_of(setting))])
    found = summarise(run_of(folder, data, model, chosen, "table2"))

    def filled(scores):
        return {
            name: replace(score, value=100.0 if "_trigger_" in name else 40.0 + len(name) / 7)
            if score.value is None and name.startswith(f"{setting}_")
            else score
            for name, score in scores.items()
        }

    return replace(found, metrics=filled(found.metrics), groups=filled(found.groups))


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    subsets = [f"a_trigger_{name}" for name in ("object", "human", "environment", "causal")]
    return judged(tmp_path_factory.mktemp("official"), "a", ["a_trigger", *subsets])


@pytest.fixture(scope="module")
def text_summary(tmp_path_factory):
    triggers = [f"t_trigger_{name}" for name in ("object", "human", "environment", "causal", "text")]
    return judged(tmp_path_factory.mktemp("official_text"), "t", triggers)


NUMBERS = (
    "total_m_score", "entity_score", "environment_score", "causal_score", "trigger_coverage", "memory_reliability",
    "object_geometry", "object_texture", "human_identity", "human_appearance", "spatial_epipolar",
    "spatial_reprojection", "rendering_lighting", "rendering_style", "state_progress", "physical_plausibility",
    "text_interaction", "action_interaction",
)  # fmt: skip


def by_the_boards_rules(file):
    """The board's check once more, by nothing of ours: the problems it would tell."""
    problems = []
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        for name in names:
            if name.startswith("/") or "\\" in name or ".." in name.split("/") or name[1:2] == ":":
                problems.append(f"unsafe {name}")
        if "leaderboard_submission.json" not in names:
            return [*problems, "no submission at the root"]
        told = {key.lower(): value for key, value in json.loads(archive.read("leaderboard_submission.json")).items()}
        for group in ("entity", "environment", "causal"):
            for part in ("summary.json", "items.jsonl", "units.jsonl"):
                if f"verification/{group}/{part}" not in names:
                    problems.append(f"no verification/{group}/{part}")
    problems += [
        f"no {key}" for key in ("model_name", "model_link", "model_type", "total_m_score") if not told.get(key)
    ]
    if told.get("model_type") not in ("text-conditioned", "action-conditioned"):
        problems.append("model_type")
    for key in NUMBERS:
        value = told.get(key)
        if value is not None and (type(value) not in (int, float) or not 0 <= value <= 100):
            problems.append(key)
    return problems + [f"unknown {key}" for key in told if key not in NUMBERS and not key.startswith("model_")]


@pytest.mark.parametrize("setting", ["action", "text"])
def test_the_zip_comes_back_unchanged(request, setting, tmp_path):
    board = board_from(
        request.getfixturevalue("summary" if setting == "action" else "text_summary"), "https://example.org/model"
    )
    assert board.submission["model_type"] == f"{setting}-conditioned"
    write_board(tmp_path / "submission.zip", board)
    assert by_the_boards_rules(tmp_path / "submission.zip") == []
    assert read_board(tmp_path / "submission.zip") == board
    first = (tmp_path / "submission.zip").read_bytes()
    write_board(tmp_path / "submission.zip", board)
    assert (tmp_path / "submission.zip").read_bytes() == first
    told = json.loads(zipfile.ZipFile(tmp_path / "submission.zip").read(SUBMISSION))
    packed(tmp_path / "bad.zip", {SUBMISSION: json.dumps(told | {"total_m_score": 101})})
    assert "total_m_score" in by_the_boards_rules(tmp_path / "bad.zip")


def test_what_the_board_is_told(summary):
    board = board_from(summary, "https://example.org/model")
    told = board.submission
    assert told["model_type"] == "action-conditioned"
    assert told["trigger_coverage"] == 100
    assert told["state_progress"] == pytest.approx(summary.scores["a_state_m"].value, abs=1e-4)
    assert "text_interaction" not in told
    assert len([one for one in SCORES if one.column in told]) == 11
    names = ("items.jsonl", "summary.json", "units.jsonl")
    assert sorted(board.files) == [f"{group}/{n}" for group in ("causal", "entity", "environment") for n in names]


def test_items_and_units(summary):
    files = board_from(summary, "x").files
    states = [row for row in files["causal/items.jsonl"] if row["metric_id"] == "mbencha.causal.state_progress"]
    assert len(states) == 4
    assert states[1] == {
        "item_id": "causal:causal_0001:right_then_left", "dataset_id": "mbencha", "model_id": "model",
        "metric_id": "mbencha.causal.state_progress", "status": "ok", "score": 0.25, "triggered": True,
        "reason": "state 2",
    }  # fmt: skip
    counts = files["causal/summary.json"][0]["metrics"]["mbencha.causal.progress_correctness"]["counts"]
    assert counts["ok"] == 4
    # Lighting and style are of the environment, so no clip here has units of them; actions have one for each step.
    actions = [row for row in files["causal/units.jsonl"] if row["metric_id"].endswith("camera_interaction")]
    assert {row["item_id"] for row in actions} <= {row["item_id"] for row in files["causal/items.jsonl"]}


def test_a_run_without_a_total_is_refused(summary):
    with pytest.raises(WorldGaugeError, match="has no total"):
        board_of(summary.run, "https://m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_name": ""}, "has no model_name"),
        ({"total_m_score": None}, "has no total_m_score"),
        ({"total_m_score": 101}, "total_m_score is 101"),
        ({"total_m_score": True}, "total_m_score is True"),
        ({"entity_score": "high"}, "entity_score is 'high'"),
        ({"object_geometry": -1}, "object_geometry is -1"),
        ({"model_type": "both"}, "model_type 'both'"),
    ],
)
def test_the_rules_of_the_board(tmp_path, change, message):
    with pytest.raises(WorldGaugeError, match=message):
        write_board(tmp_path / "s.zip", Board({**GOOD, **change}))


def packed(file, members):
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file


def test_keys_may_be_large_and_verification_may_be_absent(tmp_path):
    content = json.dumps({key.upper(): value for key, value in GOOD.items()})
    assert read_board(packed(tmp_path / "s.zip", {SUBMISSION: content})) == Board(GOOD)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({f"folder/{SUBMISSION}": json.dumps(GOOD)}, "at its root"),
        ({SUBMISSION: json.dumps(GOOD), "../evil.json": "{}"}, "unsafe path"),
        ({SUBMISSION: json.dumps(GOOD), "/abs.json": "{}"}, "unsafe path"),
        ({SUBMISSION: "{"}, "not valid JSON"),
        ({SUBMISSION: "[]"}, "is not an object"),
        ({SUBMISSION: json.dumps(GOOD), "verification/causal/items.jsonl": "1\n"}, "not an object"),
    ],
)
def test_bad_zips_are_one_line(tmp_path, members, message):
    with pytest.raises(WorldGaugeError, match=message):
        read_board(packed(tmp_path / "s.zip", members))
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(WorldGaugeError):
        read_board(tmp_path / "no.zip")
