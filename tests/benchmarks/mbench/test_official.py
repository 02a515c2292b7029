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


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    """A judged run of four action clips; scores that no network is here for are put in."""
    folder = tmp_path_factory.mktemp("official")
    data, model = made_world(folder, "A", worlds=4)
    columns = "a_trigger," + ",".join(f"a_{one.score}" for one in scores_of("a"))
    found = summarise(run_of(folder, data, model, columns, "table2"))

    def filled(scores):
        return {
            name: replace(score, value=40.0 + len(name) / 7 if score.value is None and name[0] == "a" else score.value)
            for name, score in scores.items()
        }

    return replace(found, metrics=filled(found.metrics), groups=filled(found.groups))


def test_the_zip_comes_back_unchanged(summary, tmp_path):
    board = board_from(summary, "https://example.org/model")
    write_board(tmp_path / "submission.zip", board)
    assert read_board(tmp_path / "submission.zip") == board
    first = (tmp_path / "submission.zip").read_bytes()
    write_board(tmp_path / "submission.zip", board)
    assert (tmp_path / "submission.zip").read_bytes() == first


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
