"""The commands as a user types them, in one process."""

from __future__ import annotations

import json

import helpers
from benchmarks.mbench.released_tree import action_tree, write_rows
from benchmarks.mbench.test_analyses import vote
from benchmarks.mbench.test_data import SMALL
from benchmarks.mbench.test_segments import run_with_curves


def test_commands(text_run, tmp_path):
    clips = run_with_curves(tmp_path / "curves")
    folder, votes = action_tree(tmp_path / "a", SMALL, picture=True), tmp_path / "votes.jsonl"
    write_rows(votes, [vote("1", "a", "b", "a")])
    write_rows(
        tmp_path / "mine.jsonl", [{"sample": "object/object_0001", "center_x": 30, "center_y": 30, "source": "me"}]
    )
    run, checked = text_run.folder, ["mbench", "check", folder, "--no-composition"]
    boxed = ["mbench", "script", "left_then_right_10s", "--box", "900,200,1100,500", "-o", tmp_path / "s"]
    asked = {
        ("mbench", "anchors", folder, "--file", tmp_path / "mine.jsonl"): "1 of 2 object samples have none",
        tuple(checked): "6 clips, 0 faults",
        ("mbench", "subsets", run): "t_state",
        ("mbench", "triggers", run): "t_state",
        ("mbench", "segments", clips.folder): "a_action   1 left   83.33",
        ("mbench", "consistency"): "14 of 14 totals follow from the columns",
        ("mbench", "votes", votes): "votes 1, pairs 1, without a majority 0",
        ("mbench", "published"): "HY-WorldPlay",
        ("show", "mbench"): "given",
        tuple(boxed): "161 frames",
        ("inputs", "mbench", "--data", folder, "-o", tmp_path / "out"): "6 cases, 0 refused",
        (*checked, "--json"): "",
    }
    told = helpers.worldgauge_many(*asked)
    for (command, expected), printed in zip(asked.items(), told, strict=True):
        assert expected in printed, command
    assert json.loads(told[-1])["cases"] == 6
