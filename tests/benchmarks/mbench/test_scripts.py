"""Action scripts: what they promise, on constructed views and on gauge blocks."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.mbench.released_tree import action_tree, add_sample, text_tree, write_rows
from worldgauge.benchmarks.mbench.data.cases import read_dataset
from worldgauge.benchmarks.mbench.formulas.action import action_scores, ideal_twists, twists
from worldgauge.benchmarks.mbench.formulas.conditions import FRAMES, read_condition
from worldgauge.benchmarks.mbench.inputs import app as inputs
from worldgauge.benchmarks.mbench.inputs import write_inputs
from worldgauge.benchmarks.mbench.scripts.checker import box_areas, check_clip, check_script, waiting_frames
from worldgauge.benchmarks.mbench.scripts.files import write_script
from worldgauge.benchmarks.mbench.scripts.script import Limits, View, build_script
from worldgauge.blocks import Block
from worldgauge.blocks.paths import CameraPath
from worldgauge.blocks.render import painter
from worldgauge.blocks.scene import FOVY
from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.masks import box_of
from worldgauge.functional.pose import geodesic_deg

VIEW = View((1280, 720), 60.0, (900, 200, 1100, 500))
RELEASED = ["left_then_right", "right_then_left", "forward_then_backward", "static"]
RELEASED += [f"{side}_{turns}" for side in ("left", "right") for turns in (360, 720, 1080)]
FAST = Limits(turn=120.0)


@pytest.mark.parametrize("length", ["", "_10s", "_25s"])
@pytest.mark.parametrize("condition", RELEASED)
def test_every_released_condition(condition, length):
    made = build_script(f"{condition}{length}", VIEW, limits=FAST)
    assert len(made.poses) == FRAMES[length.removeprefix("_") or "25s"]
    assert sum(steps for _, steps in made.legs) == len(made.poses) - 1
    assert check_script(made, VIEW, FAST).holds
    asked = read_condition(condition)
    if condition != "static":
        ideal = ideal_twists(asked.legs, len(made.poses) - 1)
        assert np.nanmean(action_scores(twists(made.poses), ideal)) == pytest.approx(1.0)


@pytest.mark.parametrize("wait", [0.0, 3.0])
@pytest.mark.parametrize("condition", ["left_then_right_10s", "right_then_left_10s", "forward_then_backward_10s"])
def test_the_way_back_is_the_way_out(condition, wait):
    made = build_script(condition, VIEW, wait=wait)
    assert np.array_equal(made.poses, made.poses[::-1])
    assert len(waiting_frames(made)) == round(16 * wait) + 1
    areas = box_areas(made.poses, VIEW)
    assert areas[list(waiting_frames(made))].max() == 0
    assert areas[0] == areas[-1] == 1.0


def test_it_is_the_least_turn():
    """A degree less than the margin allows, and a corner of the box is in view."""
    made = build_script("right_then_left", VIEW, limits=Limits(margin=0.5))
    nearly = View(VIEW.size, VIEW.degrees, VIEW.box)
    focal = nearly.focal
    assert made.amount == pytest.approx(30 + math.degrees(math.atan((1100 - 640) / focal)) + 0.5)
    shorter = build_script("right_then_left", VIEW, limits=Limits(margin=-1.0))
    assert not check_script(shorter, VIEW).holds
    assert build_script("left_then_right", VIEW).amount < made.amount, "the box is on the right"


@pytest.mark.parametrize(
    ("condition", "view", "wait", "message"),
    [
        ("forward_then_backward", View((1280, 720), 60.0, (600, 300, 700, 400)), 0.0, "stands in the way"),
        ("forward_then_backward", View((1280, 720), 60.0), 0.0, "without a box"),
        ("left_then_right_10s", VIEW, 9.5, "per second, the limit is 30"),
        ("left_1080_10s", VIEW, 0.0, "per second, the limit is 30"),
        ("left_then_right", VIEW, 25.0, "leaves no time to move"),
        ("left_then_right", View((1280, 720), 60.0, (1300, 0, 1400, 10)), 0.0, "does not lie in a frame"),
        ("left_then_right", View((1280, 720), 200.0), 0.0, "field of view"),
        ("left_360", VIEW, 1.0, "has no wait"),
        ("sideways", VIEW, 0.0, "is not known"),
    ],
)
def test_the_impossible_is_refused_with_the_reason(condition, view, wait, message):
    with pytest.raises(WorldGaugeError, match=message):
        build_script(condition, view, wait=wait)


def test_the_checker_sees_what_is_wrong():
    made = build_script("left_then_right_10s", VIEW, wait=2.0)
    assert check_script(made, VIEW).holds
    assert "too fast" in check_script(made, VIEW, Limits(turn=1.0)).faults[0]
    away = replace(made, poses=np.concatenate([made.poses[:-20], np.repeat(made.poses[-21:-20], 20, axis=0)]))
    assert "from where it began" in check_script(away, VIEW).faults[0]
    areas = box_areas(made.poses, VIEW)
    assert check_clip(areas[::2], made, made.poses[::2]).holds
    assert "not back" in check_clip(np.where(np.arange(161) > 80, 0, areas), made).faults[0]
    assert "waiting frames" in check_clip(np.full(81, 0.2), made).faults[0]
    assert check_clip(np.zeros(5), made).faults == ("the target is not in the first frame",)


def seen_from(block, world, cameras):
    """The block's first moment seen from other cameras: depth, shapes and the target alone, for each."""
    line, count = world.timeline, len(cameras)

    def held(rows):
        return np.repeat(rows[:1], count, axis=0)

    camera = CameraPath(line.camera.poses[0] @ cameras, line.camera.intrinsics[0], block.size)
    timeline = replace(
        line, time=np.arange(count) / 16, position=held(line.position), linear=held(line.linear),
        rgba=held(line.rgba), material=held(line.material), camera=camera,
    )  # fmt: skip
    with painter(world.scene, block.size) as draw:
        return [draw.shapes(timeline, k) for k in range(count)]


def scripted_blocks(count, sizes=(160, 90)):
    """Seeds until `count` blocks have their target in the first frame; each with both directions and waits."""
    fov = math.degrees(2 * math.atan(math.tan(math.radians(FOVY / 2)) * sizes[0] / sizes[1]))
    families, done, seed = ("room", "street", "yard", "hall"), 0, 0
    while done < count:
        block = Block(seed, families[seed % 4], "away_left", "rolling", sizes, 2, attempt=0)
        world = block.world()
        seed += 1
        ((_, _, target),) = seen_from(block, world, np.eye(4)[None])
        box = box_of(target)
        if box is None or target.sum() < 20:
            continue
        done += 1
        view = View(sizes, fov, box)
        conditions = ("left_then_right_10s", "right_then_left_10s")
        scripts = [build_script(condition, view, wait=wait) for condition in conditions for wait in (0.0, 3.0)]
        cameras = []
        for made in scripts:
            waits = waiting_frames(made)
            cameras.append(made.poses[[0, waits[0], waits[len(waits) // 2], waits[-1], len(made.poses) - 1]])
        shapes = seen_from(block, world, np.concatenate(cameras))
        for number, made in enumerate(scripts):
            yield block, view, made, shapes[5 * number : 5 * number + 5]


def check_blocks(count):
    found = 0
    for block, view, made, seen in scripted_blocks(count):
        found += 1
        told = block.seed, made.condition
        assert check_script(made, view).holds, told
        assert [bool(target.any()) for _, _, target in seen] == [True, False, False, False, True], told
        first, last = seen[0], seen[-1]
        assert np.array_equal(first[2], last[2]), told
        median = np.median(first[0][np.isfinite(first[0])])
        assert np.abs(np.median(last[0][np.isfinite(last[0])]) / median - 1) <= 0.01, told
        moved = np.degrees(np.linalg.norm(twists(made.poses)[:, 3:], axis=1)).max() * 16
        assert moved <= 30.0 + 1e-6, told
    assert found == 4 * count


def test_scripts_on_a_block():
    check_blocks(1)


@pytest.mark.nightly
def test_scripts_on_a_hundred_blocks():
    """Hidden in the wait, back where it began within 1 degree and 1 percent, within the limits."""
    check_blocks(100)


def test_files_and_inputs(tmp_path):
    made = build_script("left_then_right_10s", VIEW, wait=3.0)
    told = write_script(tmp_path / "s", made, VIEW)
    assert [leg["verb"] for leg in told["actions"]] == ["left", "wait", "right"]
    assert told["actions"][-1]["end"] == 10.0
    assert np.array_equal(CameraPath.load(tmp_path / "s" / "camera.npz").poses, made.poses)
    assert json.loads((tmp_path / "s" / "actions.json").read_text())["frames"] == 161
    action = action_tree(tmp_path / "A", {"human": 1, "object": 1}, picture=True)
    entries, refused = write_inputs(action, tmp_path / "out")
    assert len(entries) == 2 and not refused
    folder = tmp_path / "out" / entries[0]["folder"]
    assert {file.name for file in folder.iterdir()} == {"first.png", "camera.npz", "actions.json"}
    assert entries[0]["output"] == "outputs/human/human_0000/right_then_left/video.mp4"
    text = text_tree(tmp_path / "T", {"human": 1}, {})
    (entry,), _ = write_inputs(text, tmp_path / "words")
    assert len((tmp_path / "words" / entry["folder"] / "captions.txt").read_text().splitlines()) == 5


def test_without_an_anchor_a_script_turns_by_the_whole_view(tmp_path):
    """So a person at the edge leaves too; the case has a note."""
    anchor = {"center_x": 100, "center_y": 36, "width": 20, "height": 30}
    data = action_tree(tmp_path / "a", {}, picture=True)
    samples = {"plain": {}, "boxed": {"object_anchor": anchor}}
    for name, metadata in samples.items():
        add_sample(data, "object", name, metadata=metadata, picture=True)
    write_rows(data / "mapping.jsonl", [{"item_id": f"object:{name}:left_then_right"} for name in samples])
    done = CliRunner().invoke(inputs, ["--data", str(data), "-o", str(tmp_path / "out")])
    lines = (tmp_path / "out" / "inputs.jsonl").read_text().splitlines()
    entries = {entry["item_id"].split(":")[1]: entry for entry in map(json.loads, lines)}
    turns = {}
    for name, entry in entries.items():
        path = CameraPath.load(tmp_path / "out" / entry["camera"]).poses
        turns[name] = float(geodesic_deg(path[0, :3, :3], path[:, :3, :3]).max())
    # The picture is 128 px wide and shows 60 degrees; the box begins at 90 px.
    focal = 64 / math.tan(math.radians(30))
    assert turns == pytest.approx({"plain": 62.0, "boxed": 32.0 + math.degrees(math.atan2(64 - 90, focal))}, abs=1e-3)
    note = "there is no anchor, so the camera turns by the whole first view and a margin, 62.0 degrees"
    assert (entries["plain"]["note"], entries["boxed"].get("note")) == (note, None)
    assert f"1 of 2 cases (object/plain/left_then_right): {note}" in done.output


def test_text_clips_of_ten_seconds_have_a_note(tmp_path):
    text = text_tree(tmp_path / "t", {"object": 1}, {})
    (entry,), _ = write_inputs(text, tmp_path / "short", length="10s")
    assert entry["note"] == "10 s are written, 25 s are required: the clip would not trigger"
    (entry,), _ = write_inputs(text, tmp_path / "whole")
    assert "note" not in entry


def test_cases_without_a_first_frame_are_refused(tmp_path):
    with pytest.raises(WorldGaugeError, match="no first frame on disk"):
        write_inputs(action_tree(tmp_path / "A", {"human": 1}), tmp_path / "out")


def test_inputs_are_written_as_far_as_first_frames_are_on_disk(tmp_path):
    data = action_tree(tmp_path / "A", {"human": 2, "object": 1}, picture=True)
    (data / "samples" / "human" / "human_0001" / "first.png").unlink()
    flags = ("--data", str(data), "-o", str(tmp_path / "out"))
    done = CliRunner().invoke(inputs, [*flags, "--where", "subset=human"])
    assert done.exit_code == 0 and "1 cases, 1 refused" in done.output
    rest = json.loads((tmp_path / "out" / "left_out.jsonl").read_text())
    assert rest["case"].startswith("human/human_0001") and "no first frame on disk" in rest["reason"]
    chosen = json.loads((tmp_path / "out" / "inputs.jsonl").read_text())["case"]
    done = CliRunner().invoke(inputs, [*flags, "--case", chosen])
    assert done.exit_code == 0 and "1 cases, 0 refused" in done.output
    assert not (tmp_path / "out" / "left_out.jsonl").exists()
    absent, there = (next(c for c in read_dataset(data) if name in c.id) for name in ("human_0001", "human_0000"))
    assert absent.not_here == ("image",) and there.not_here == (), "the sample names a picture that is not here"
