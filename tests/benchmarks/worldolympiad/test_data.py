"""The released tree read in place: what is a video, what is not, what is told about it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.worldolympiad.released_tree import CASES, FRAMES, numbered, write_case, write_tree
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.checks import contradictions, tree_remarks
from worldgauge.benchmarks.worldolympiad.data.importer import find_videos, submission_of
from worldgauge.benchmarks.worldolympiad.data.manifests import manifest_rows, submissions_of, write_manifests
from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.data.tree import cluster_of
from worldgauge.benchmarks.worldolympiad.official.manifest import released_rows
from worldgauge.benchmarks.worldolympiad.signals.chunks import NO_TIMES, timed_chunks
from worldgauge.core.case_file import read_cases, write_cases
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.submission import Submission
from worldgauge.core.video import Video, VideoInfo
from worldgauge.media.encoder import write_video


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("released"))


def test_cases_of_the_tree(tree: Path) -> None:
    for root in (tree, tree.parent):
        cases = {case.id: case for case in read_dataset(root)}
        assert set(cases) == {"c1", "c2_part1", "c3_episode_4"}
        robot = cases["c3_episode_4"]
        assert robot.tags["domain"] == "robotics" and len(robot.extras["chunks"]) == 7
        assert robot.cluster == "robotics/c3" and cases["c2_part1"].cluster == "gaming/c2"
        assert cases["c2_part1"].extras["chunks"][0]["seconds"] == [0.0, 10.0]
        assert robot.path(robot.reference.video or "").is_file()


def test_cases_survive_our_own_format(tree: Path, tmp_path: Path) -> None:
    cases = read_dataset(tree)
    write_cases(tmp_path / "cases.jsonl", cases)
    assert [case.to_json() for case in read_cases(tmp_path)] == [case.to_json() for case in cases]


def test_clusters_of_ids() -> None:
    assert cluster_of("abc_part12", "general") == "abc"
    assert cluster_of("abc_12", "general") == "abc_12", "only robots have episodes"
    assert cluster_of("arm_a_fold_0003", "robotics") == "arm_a_fold"


def test_a_description_is_raw_text_beside_the_reference(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 2})
    assert read_dataset(tree)[0].extras["description"].startswith("[{"), "the JSON as it is written"
    (tree / "general" / "c1" / "prompt.txt").write_text(" a street \n")
    assert read_dataset(tree)[0].extras["description"] == "a street"


def test_two_domains_may_have_a_case_of_the_same_name(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1, "gaming/c1": 2})
    assert {case.id for case in read_dataset(tree)} == {"general/c1", "gaming/c1"}
    assert set(submission_of(tree, "wow", read_dataset(tree)).videos) == {"general/c1", "gaming/c1"}


def test_nine_models_share_a_folder_and_sidecars_are_no_videos(tree: Path, tmp_path: Path) -> None:
    cases = read_dataset(tree)
    with pytest.raises(WorldGaugeError, match="2 models"):
        find_videos(tree, cases)
    assert len(submission_of(tree, "longlive", cases).videos) == len(CASES)
    alone = write_tree(tmp_path, {"general/c1": 1})
    video = alone / "general" / "c1" / "wow_gen_c1.mp4"
    video.rename(video.with_name("wow_gen_c1_bbox_h264.mp4"))
    with pytest.raises(WorldGaugeError, match="no video of 'wow'"):
        submission_of(alone, "wow", read_dataset(alone))
    assert find_videos(alone, read_dataset(alone)).model.name == "LongLive", "the sidecar is no second model"


def test_what_a_stopped_evaluation_left_is_no_video_and_a_case_may_be_about_a_mask(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/wear_a_mask": 1, "general/c2": 1})
    folder = tree / "general" / "c2"
    (folder / "wow_gen_c2.mp4").rename(folder / "wow_gen_c2_dynamic_binary_mask.mp4")
    cases = read_dataset(tree)
    assert set(submission_of(tree, "wow", cases).videos) == {"wear_a_mask"}
    assert set(submission_of(tree, "longlive", cases).videos) == {"wear_a_mask", "c2"}
    (alone,) = (remark for remark in tree_remarks(tree, look_into_videos=False) if remark.kind == "sidecar alone")
    assert alone.file == "wow_gen_c2_dynamic_binary_mask.mp4"


def test_a_check_names_what_the_released_driver_takes_otherwise(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1, "general/c2": 1})
    folder = tree / "general" / "c1"
    # Sorted before the video itself, and so taken for it.
    (folder / "wow_gen_c1_bbox.mp4").write_bytes((folder / "wow_gen_c1.mp4").read_bytes())
    (folder / "wow_gen_aside_c1.mp4").write_bytes((folder / "wow_gen_c1.mp4").read_bytes())
    for case, content in (("c1", "[[1, 2]]"), ("c2", "[[0, 0, 0], [0, 0, 1]]")):
        (tree / "general" / case / f"ref_{case}_da3_camera_trajectory.json").write_text(content)
    odd = {(one.case, one.kind): one.file for one in tree_remarks(tree, look_into_videos=False)}
    assert odd["c1", "other video"] == "wow_gen_aside_c1.mp4"
    assert odd["c1", "no trajectory"] == "ref_c1_da3_camera_trajectory.json"
    assert not any(case == "c2" for case, _ in odd)


def test_manifests_name_whole_cases_and_are_read_back(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1, "general/c2": 1, "embodied/c1": 2})
    (tree / "general" / "c2" / "longlive_gen_c2_chunk_timestamps.json").unlink()
    rows, remarks = manifest_rows(tree, "longlive")
    assert remarks == ["c2: no timestamp file"], "the original leaves it out without a word"
    files = write_manifests(rows, tmp_path / "batch_manifests")
    assert [file.name for file in files] == ["general_longlive_all.jsonl", "embodied_longlive_all.jsonl"]
    written = json.loads(files[0].read_text())
    assert written == released_rows(tree / "general", "longlive")[0], "as the released driver writes it"
    cases = read_dataset(tree)
    found, remarks = submissions_of(files, tree, cases)
    whole = submission_of(tree, "longlive", cases)
    assert remarks == [] and set(found["longlive"].videos) == {"general/c1", "robotics/c1"}
    assert all(video.digest == whole.videos[name].digest for name, video in found["longlive"].videos.items())
    side = tree / "general" / "c1" / "longlive_gen_c1_bbox_h264.mp4"
    side.write_bytes(b"x")
    odd = tmp_path / "odd.jsonl"
    lines = [{**written, "video": side.as_posix()}, {"id": "c1"}, {**written, "video": "outputs_batch/none.mp4"}]
    relative = {
        key: Path(value).relative_to(tmp_path).as_posix() if value.startswith("/") else value
        for key, value in written.items()
    }
    odd.write_text("".join(json.dumps(line) + "\n" for line in [*lines, relative]))
    found, remarks = submissions_of([odd], tree, cases)
    assert set(found["longlive"].videos) == {"general/c1"}, "also of paths from where the original was started"
    assert [remark.partition(": ")[2] for remark in remarks] == [
        "longlive_gen_c1_bbox_h264.mp4 was made by an evaluation, it is no video of a model",
        "no video, no gt_video, no prompt_json, no chunk_json, no output",
        "outputs_batch/none.mp4 is not there",
    ]


def test_times_are_part_of_what_a_video_is(tree: Path, tmp_path: Path) -> None:
    cases = read_dataset(tree)
    found = submission_of(tree, "longlive", cases)
    video = found.videos["c1"]
    assert video.beside is not None and video.beside.name == "longlive_gen_c1_chunk_timestamps.json"
    found.write(tmp_path / "submission.json")
    again = Submission.read(tmp_path).videos["c1"]
    assert again.beside is not None and again.digest == video.digest
    copy = tmp_path / "times.json"
    copy.write_text(video.beside.read_text().replace("2.0", "2.1"))
    assert type(video)(video.path, beside=copy).digest != video.digest
    assert type(video)(video.path).digest != video.digest


def test_a_bad_prompt_file_costs_its_own_chunks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1, "general/c2": 2})
    (tree / "general" / "c1" / "prompt.json").write_text("{")
    cases = {case.id: case for case in read_dataset(tree)}
    assert "chunks" not in cases["c1"].extras and len(cases["c2"].extras["chunks"]) == 2
    assert "no prompt file" in caplog.text
    write_case(tree / "gaming" / "many", 8, ())
    assert "chunks" not in {case.id: case for case in read_dataset(tree)}["many"].extras
    with pytest.raises(WorldGaugeError, match="not a WorldOlympiad data set"):
        read_dataset(tmp_path / "outputs_batch" / "general" / "c1")


def test_a_description_nobody_can_read_costs_its_own_case(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1, "general/c2": 1})
    (tree / "general" / "c1" / "prompt.txt").write_bytes(b"\xff\xfe street")
    cases = {case.id: case for case in read_dataset(tree)}
    assert "description" not in cases["c1"].extras and cases["c2"].extras["description"]
    assert "cannot be read" in caplog.text


@pytest.mark.parametrize(("action", "label"), [(["W", "A"], "W+A"), (None, ""), (5, "5"), (True, "True")])
def test_actions_of_any_kind_become_labels(tmp_path: Path, action: object, label: str) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1})
    (tree / "general" / "c1" / "prompt.json").write_text(json.dumps([{"caption": "a", "action": action}]))
    assert read_dataset(tree)[0].extras["chunks"][0]["action"] == label


@pytest.mark.parametrize("second", ["NaN", "Infinity", '"nan"'])
def test_times_that_are_no_numbers_are_no_times(tmp_path: Path, second: str) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1})
    folder = tree / "general" / "c1"
    times = tmp_path / "times.json"
    times.write_text(f'[{{"start": 0, "end": {second}}}]')
    clip = Clip(Video(folder / "longlive_gen_c1.mp4", beside=times))
    with pytest.raises(Unscored, match="no number") as told:
        timed_chunks(clip, read_dataset(tree)[0].extras["chunks"])
    assert told.value.code == NO_TIMES


def test_what_is_odd_is_told(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 2})
    assert list(tree_remarks(tree)) == []
    folder = tree / "general" / "c1"
    (folder / "longlive_judge_c1.json").touch()
    for name in ("longlive_gen_c1_bbox_h264.mp4", "other_gen_c1_mask_h264.mp4"):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (0, 0))
    trajectory = folder / "ref_c1_da3_camera_trajectory.json"
    trajectory.write_text("{}")
    os.utime(trajectory, (0, 0))
    write_video(folder / "wow_gen_c1.mp4", numbered(FRAMES // 4), fps=8.0)
    kinds = {(remark.kind, remark.file.partition("_")[0]) for remark in tree_remarks(tree)}
    assert kinds == {
        ("empty judge file", "longlive"),
        ("stale sidecar", "longlive"),
        ("sidecar alone", "other"),
        ("stale sidecar", "ref"),
        ("no trajectory", "ref"),
        ("frame count", "wow"),
        ("chunks past the end", "wow"),
    }


def test_times_that_stand_in_the_prompts_are_times(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 2})
    folder = tree / "general" / "c1"
    prompts, times = folder / "prompt.json", folder / "longlive_gen_c1_chunk_timestamps.json"
    seconds = FRAMES / 8.0
    asked = [
        {"caption": "one", "interval": f"[0, {seconds / 2}]"},
        {"caption": "two", "interval": f"[{seconds / 2}, {seconds}]"},
    ]
    prompts.write_text(json.dumps(asked))
    times.write_text(json.dumps([{"chunk_index": 0}, {"chunk_index": 1}]))
    kinds = [remark.kind for remark in tree_remarks(tree, look_into_videos=False) if remark.file == times.name]
    assert kinds == []
    prompts.write_text(json.dumps(["one", "two"]))
    assert [remark.kind for remark in tree_remarks(tree) if remark.file == times.name] == ["no timestamps"]


def test_latent_frames_in_a_timestamp_file_are_recognised() -> None:
    chunks = [{"generated_start_sec": 0.0, "generated_end_sec": 3.0}]
    info = VideoInfo(81, 64, 48, 16.0)
    found = dict(contradictions({"total_frames": 21, "fps": 16}, chunks, info))
    assert "latent" in found["frame count"] and set(found) == {"frame count", "chunks too short"}


def test_fourteen_rules_in_three_dimensions() -> None:
    dimensions = [rule.dimension for rule in rules()]
    assert (dimensions.count("mechanics"), dimensions.count("thermotics"), dimensions.count("material")) == (4, 6, 4)
    assert len({rule.id for rule in rules()}) == 14


def test_frozen_relevance_belongs_to_its_case(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1})
    (tree / "relevance.json").write_text(json.dumps({"cases": {"c1": {"gravity": True}}}))
    assert read_dataset(tree)[0].extras["relevance"] == {"gravity": True}
    (tree / "relevance.json").write_text(json.dumps({"cases": {"c1": ["gravity"]}}))
    with pytest.raises(WorldGaugeError, match="no table of rules"):
        read_dataset(tree)


def test_targets_are_read_with_the_data_and_a_broken_file_is_told(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"general/c1": 1})
    (tree / "targets.json").write_text('{"schema": 1, "cases": {"c1": {"name": "red ball", "box": [3, 3, 15, 12]}}}')
    target = read_dataset(tree)[0].reference.target
    assert target is not None and (target.name, target.box) == ("red ball", (3, 3, 15, 12))
    (tree / "targets.json").write_text('{"schema": 1, "cases": {"c1": {"box": [3, 3]}}}')
    with pytest.raises(WorldGaugeError, match=r"targets\.json"):
        read_dataset(tree)
