"""Odd inputs and what the released code makes of them. Every expected value was observed by calling it at bb2e240."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldgauge.benchmarks.worldolympiad.analyses.reaggregate import read_official
from worldgauge.benchmarks.worldolympiad.data.chunk_prompts import ChunkPrompt
from worldgauge.benchmarks.worldolympiad.data.chunk_times import interval_seconds, joined_chunks
from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.formulas.evidence import Span
from worldgauge.benchmarks.worldolympiad.formulas.judge_loop import judge_rules
from worldgauge.benchmarks.worldolympiad.formulas.object_names import object_names
from worldgauge.benchmarks.worldolympiad.formulas.score_text import unfenced
from worldgauge.benchmarks.worldolympiad.formulas.splat_views import splat_views
from worldgauge.benchmarks.worldolympiad.formulas.target_poses import target_poses
from worldgauge.benchmarks.worldolympiad.formulas.time_sampling import Film
from worldgauge.benchmarks.worldolympiad.official.done_rules import Line, progress
from worldgauge.benchmarks.worldolympiad.official.judge_files import physical_summary
from worldgauge.benchmarks.worldolympiad.official.manifest import released_rows
from worldgauge.benchmarks.worldolympiad.official.summary import summarise
from worldgauge.benchmarks.worldolympiad.parity.driver import scheduled
from worldgauge.benchmarks.worldolympiad.parity.files import all_positions
from worldgauge.benchmarks.worldolympiad.signals.view_judgements import SCORE
from worldgauge.core.errors import Unscored
from worldgauge.judge.forms import Unreadable, object_in


@pytest.mark.parametrize(
    "said",
    ["Score is 0.73 overall", '{"score": 7}', "3D view 2 looks like 0.73", '{"score": "0.7"}', "<Score>7</Score>", ""],
)
def test_a_number_somewhere_in_a_text_is_no_score(said: str) -> None:
    """The original takes the first number it meets for the score; a run requests a form and reads nothing else."""
    with pytest.raises(Unreadable):
        SCORE.read(object_in(said))


def test_a_score_in_its_form_is_read() -> None:
    for said in ('{"score": 0.73}', '<answer>{"score": 0.73, "reason": "r"}</answer>', '```json\n{"score": 0.73}\n```'):
        assert SCORE.read(object_in(said))["score"] == 0.73


def test_a_second_fence_is_taken_off_too() -> None:
    assert unfenced('```json```{"a": 1}```') == '{"a": 1}'


def _camera(x: float) -> list[list[float]]:
    pose = np.eye(4)
    pose[0, 3] = x
    return [[float(value) for value in row] for row in pose]


def _ahead(target: Any, length: int = 3) -> list[float]:
    poses = target_poses(target, length)
    assert poses is not None
    return [float(x) for x in poses[:, 0, 3]]


def test_frames_of_a_target_are_ordered_by_whole_numbers_or_not_at_all() -> None:
    cameras = {3: _camera(3), 1: _camera(1), 2: _camera(2)}
    assert _ahead({f"frame{k}": one for k, one in cameras.items()}) == [1, 2, 3]
    assert _ahead({f"frame-{k}": one for k, one in cameras.items()}) == [3, 2, 1]
    for name in ("cam{}", "{}.5", "{}a"):
        assert _ahead({name.format(k): one for k, one in cameras.items()}) == [3, 1, 2], name


def test_each_frame_of_a_target_may_have_its_own_form() -> None:
    columns = "[1 0 0 0] [0 1 0 0] [0 0 1 0] [5 2 3 1]"
    assert _ahead({"frame0": _camera(1), "frame1": _camera(2)[:3], "frame2": [7, 0, 0], "frame3": columns}, 4) == [
        1, 2, 7, 5,
    ]  # fmt: skip
    assert _ahead([[4, 0, 0, 9, 9]], 1) == [4], "of a longer row the first three numbers"
    assert target_poses([_camera(1)], 0) is None


@pytest.mark.parametrize(
    "frame", [[1, 2, 3, 4], [[1, 2], [3, 4]], "[1, 0, 0, 0] [0 1 0 0] [0 0 1 0] [5 2 3 1]", "abc", "", None]
)
def test_a_frame_that_is_no_camera_is_refused(frame: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        target_poses({"frame0": _camera(1), "frame1": frame}, 2)


def test_a_list_of_unlike_frames_is_refused() -> None:
    with pytest.raises((ValueError, TypeError)):
        target_poses([_camera(1), [1, 2, 3]], 2)


def test_only_brackets_at_the_very_ends_of_an_interval_are_left_out() -> None:
    assert interval_seconds("[(0, 5)]") == (0.0, 5.0)
    assert interval_seconds("[ (0, 5) ]") == (None, None)


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_source_interval_is_that_of_the_prompt(empty: Any) -> None:
    prompts = [ChunkPrompt(0, "a", None, "[00:00, 00:10)")]
    (chunk,) = joined_chunks([{"start": 0, "end": 1, "source_interval": empty}], prompts)
    assert chunk["source_interval"] == "[00:00, 00:10)"


@pytest.mark.parametrize("answer", [None, 5, True, [], [3, " "]])
def test_an_answer_that_names_nothing(answer: Any) -> None:
    assert object_names(answer) == ("object",)


@pytest.mark.parametrize("confidence", [None, "high"])
def test_a_confidence_that_is_no_number_ends_a_case_whatever_the_verdict(confidence: Any) -> None:
    broken = {"question_id": "gravity", "dimension": "mechanics", "compliant": False, "confidence": confidence}
    with pytest.raises((TypeError, ValueError)):
        physical_summary([{**broken, "related": True}])
    assert physical_summary([{**broken, "related": False}])["score"] == 0.5


def test_rates_of_existing_files_need_no_confidence(tmp_path: Path) -> None:
    file = tmp_path / "general" / "a" / "wow_judge_a.json"
    file.parent.mkdir(parents=True)
    file.write_text(
        '{"physical": {"results": [{"question_id": "gravity", "dimension": "mechanics", "related": true,'
        ' "compliant": true, "confidence": "high"}]}}'
    )
    assert read_official(tmp_path)[0].row()["physical_published"] == 1.0


class _Padded:
    """A judge that puts spaces around the names of rules."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def relevance(self, asked: Sequence[Any], batched: bool) -> Any:
        return self._all(asked, {"related": True, "confidence": 1.0})

    def compliance(self, asked: Sequence[Any], batched: bool) -> Any:
        return self._all(asked, {"compliant": True, "confidence": 1.0})

    def _all(self, asked: Sequence[Any], verdict: Mapping[str, Any]) -> Any:
        self.calls.append(len(asked))
        return {"results": [{"question_id": f" {rule.id} ", **verdict} for rule in asked]}


def test_spaces_around_the_name_of_a_rule_cost_no_second_question() -> None:
    judge = _Padded()
    found = judge_rules(rules(), "all", judge)
    assert judge.calls == [14, 14] and all(one["compliant"] for one in found)


def test_a_judge_file_keeps_the_name_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my case (1)"
    folder.mkdir()
    for name in ("prompt.json", "ref_a.mp4", "wow_gen_a.mp4", "wow_gen_a_chunk_timestamps.json"):
        (folder / name).write_text("x")
    assert Path(released_rows(tmp_path, "wow")[0]["output"]).name == "wow_judge_my case (1).json"


@pytest.mark.parametrize("name", [None, "", 0])
def test_a_row_without_a_name_is_called_by_its_line(tmp_path: Path, name: Any) -> None:
    row = {"id": name, "status": None, "output": ""}
    total, (case,) = summarise([row], tmp_path, "summary.jsonl")
    assert case.to_row()["id"] == 1 and total["status_counts"] == {"": 1}
    assert progress([Line(row, 4)])[0]["id"] == 4
    assert scheduled([row], score=lambda _: 0) == [{"id": "1", "status": "ok", "exit_code": 0}]


@pytest.mark.parametrize("text", ["null", "[]", "3"])
def test_a_summary_ends_at_json_that_is_no_object(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ValueError, match="no judge file"):
        summarise([{"id": "a", "status": "ok", "output": "a.json"}], tmp_path, "summary.jsonl")


def test_fewer_pictures_are_counted_where_a_clip_ends_early() -> None:
    """A chunk beyond the end of a clip shows its last frame alone."""
    read, pictures = all_positions(Film(10.0, 20), Film(10.0, 90), [Span(0.0, 2.0), Span(2.0, 4.0)])
    assert read[2] == ("gen", [19]) and pictures == [8, 5, 8, 16]
    assert all_positions(Film(10.0, 20), Film(10.0, 90), [Span(0.0, 2.0)], ("global",))[1] == [16]


def _stretched(degrees: float) -> Any:
    """Two world-to-camera poses whose rotations are a tenth too long."""
    turn = np.radians(degrees)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, :3, :3] = [[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]]
    poses[:, :3, :3] *= 1.1
    poses[:, :3, 3] = [[0, 0, 1], [0.2, 0, 1]]
    return poses


LENS = np.tile([[400.0, 0, 252], [0, 400, 140], [0, 0, 1]], (2, 1, 1))


def test_cameras_that_are_no_rotations_are_inverted_by_transposition() -> None:
    """By the true inverse the first centre would lie 0.91 behind the origin."""
    views = splat_views(_stretched(10.0), LENS, False, None)
    assert views.between[0, :3, 3] == pytest.approx([0.003037, 0.0, -1.099225], abs=2e-6)
    assert views.world_to_camera[0, :3, 3] == pytest.approx([0.009848, 0.0, 1.100386], abs=2e-6)


def test_parallel_cameras_that_are_no_rotations_have_no_path() -> None:
    with pytest.raises(Unscored, match="look the same way"):
        splat_views(_stretched(0.0), LENS, False, None)
