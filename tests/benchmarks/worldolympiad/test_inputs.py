"""What a model is given, and the timestamps of what it makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmarks.worldolympiad.released_tree import FPS, number_of, numbered, write_case
from worldgauge.benchmarks.worldolympiad.commands import app
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.timestamp_files import problems_of
from worldgauge.benchmarks.worldolympiad.inputs.actions import ACTIONS, read_action
from worldgauge.benchmarks.worldolympiad.inputs.command import app as inputs
from worldgauge.benchmarks.worldolympiad.inputs.controls import (
    PlannedChunk,
    Unsupported,
    camera_poses,
    controls,
    held_verbs,
)
from worldgauge.benchmarks.worldolympiad.inputs.families import families, family
from worldgauge.benchmarks.worldolympiad.inputs.lengths import FrameRule, frames_in_one_call, frames_per_call, shares
from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError
from worldgauge.media.encoder import write_video

ACTIONS_OF_CASE = ("W", "S", "None")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One case whose main interval begins after one second: 1 to 2, 2 to 4 and 4 to 5 s."""
    folder = tmp_path / "outputs_batch" / "gaming" / "c1"
    folder.mkdir(parents=True)
    ends = (1, 2, 4, 5)
    chunks = [
        {"interval": f"[00:0{ends[k]}, 00:0{ends[k + 1]})", "action": action, "caption": f"part {k}"}
        for k, action in enumerate(ACTIONS_OF_CASE)
    ]
    (folder / "prompt.json").write_text(json.dumps(chunks))
    write_video(folder / "ref_c1.mp4", numbered(), fps=FPS)
    return tmp_path / "outputs_batch"


def write(data: Path, *arguments: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Path]:
    out = data.parent / "out"
    done = CliRunner().invoke(inputs, ["--data", str(data), "-o", str(out), *arguments])
    assert done.exit_code == 0, done.output
    lists = [
        [json.loads(line) for line in (out / name).read_text().splitlines()]
        for name in ("inputs.jsonl", "unsupported.jsonl")
    ]
    return lists[0], lists[1], out


def test_first_frame_captions_and_frames_of_chunks(data: Path) -> None:
    (entry,), refused, out = write(data, "--model", "hunyuan-worldplay", "--frames", "81")
    assert refused == []
    # The main interval begins with frame 8. 20 steps of four frames are dealt out as 1 : 2 : 1, the first has one more.
    assert number_of(np.asarray(Image.open(out / entry["image"]))) == 8
    assert [one["frames"] for one in entry["chunks"]] == [21, 40, 20]
    assert [one["caption"] for one in entry["chunks"]] == ["part 0", "part 1", "part 2"]
    assert entry["chunks"][0]["interval"] == "[00:01, 00:02)"
    assert entry["output"] == "gaming/c1/hunyuan_worldplay_gen_c1.mp4"
    path = CameraPath.load(out / entry["camera"])
    ahead = path.translation[:, 2]
    # Forward for 21 steps, back for 40, then still.
    assert len(path) == 81 and ahead.max() == pytest.approx(21 * 0.02) and ahead[-1] == pytest.approx((21 - 40) * 0.02)
    assert np.ptp(ahead[61:]) == 0


def test_the_first_frame_may_be_that_of_the_file(data: Path) -> None:
    (entry,), _, out = write(data, "--model", "captions", "--fps", "16", "--first", "file", "--size", "128x96")
    assert [one["frames"] for one in entry["chunks"]] == [16, 32, 16], "as long as asked for"
    picture = Image.open(out / entry["image"])
    assert picture.size == (128, 96) and number_of(np.asarray(picture)[::2, ::2]) == 0
    assert entry["image_is_seen"] and entry["image_at"] == "file"
    (entry,), _, out = write(data, "--model", "longlive")
    assert not entry["image_is_seen"], "text to video"
    assert number_of(np.asarray(Image.open(out / entry["image"]))) == 8, "the main interval unless asked for the file"


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("matrix-game2", "Matrix-Game 2.0 (universal) has no 'backward', which the action S means"),
        ("gamecraft", "Hunyuan-GameCraft has no verb for a camera that stands still"),
    ],
)
def test_what_a_model_cannot_do_is_told_and_not_written(data: Path, model: str, reason: str) -> None:
    made, refused, out = write(data, "--model", model)
    assert made == [] and refused == [{"case": "c1", "unsupported": reason}]
    assert not (out / "inputs").exists()


def test_cases_are_chosen_and_those_without_a_reference_are_listed(data: Path) -> None:
    write_case(data / "general" / "c2", 2, ())
    write_case(data / "general" / "c3", 1, ())
    (data / "general" / "c3" / "ref_c3.mp4").unlink()
    made, refused, _ = write(data, "--model", "captions", "--fps", "8")
    assert [row["case"] for row in made] == ["c2", "c1"]
    assert refused == [{"case": "c3", "unsupported": "the case has no reference video, so it has no first frame"}]
    made, refused, _ = write(data, "--model", "captions", "--fps", "8", "--case", "c2")
    assert [row["case"] for row in made] == ["c2"] and refused == []
    made, _, _ = write(data, "--model", "captions", "--fps", "8", "--where", "domain=gaming")
    assert [row["case"] for row in made] == ["c1"]
    flags = ["--data", str(data), "-o", "out", "--model", "captions", "--fps", "8", "--case", "c9"]
    unknown = CliRunner().invoke(inputs, flags)
    assert isinstance(unknown.exception, WorldGaugeError) and "unknown case 'c9'" in str(unknown.exception)
    assert {case.id: case.not_here for case in read_dataset(data)} == {"c1": (), "c2": (), "c3": ("reference",)}


def test_controls_of_families() -> None:
    chunks = [PlannedChunk(0, "a", "W", "", None, 0, 9), PlannedChunk(1, "b", "W+A", "", None, 9, 16)]
    assert controls(family("matrix-game2"), chunks, "move")["interactions"] == ["forward"] * 2 + ["forward_left"] * 4
    assert controls(family("lingbot"), chunks, "move")["calls"] == [["forward"], ["forward", "left"]]
    assert controls(family("lingbot"), chunks, "turn")["calls"] == [["forward"], ["forward", "camera_l"]]
    assert held_verbs(family("lingbot"), "None", "move") == (), "it stands still when nothing is held"
    assert held_verbs(family("matrix-game3"), "S", "move") == ("back",)
    assert controls(family("rolling-forcing"), chunks, "move")["prompt"] == "a b"
    assert held_verbs(family("infinite-world"), "W+A", "turn") == ("forward+camera_l",), "both in one verb of its list"
    with pytest.raises(Unsupported, match="one thing after another"):
        held_verbs(family("matrix-game2"), "W+A", "turn")
    with pytest.raises(Unsupported, match="has no 'left'"):
        held_verbs(family("astra"), "A+S", "move")
    assert held_verbs(family("lingbot"), "turn left", "move") == ("camera_l",), "as the released example has it"
    with pytest.raises(WorldGaugeError, match="'look up' is no action"):
        held_verbs(family("lingbot"), "look up", "move")
    turned = camera_poses(family("sana-wm"), [PlannedChunk(0, "", "D", "", None, 0, 51)], "turn")
    # 50 steps of 1.2 degrees to the right: what was ahead is now to the left.
    assert np.degrees(np.arctan2(turned[-1, 0, 2], turned[-1, 2, 2])) == pytest.approx(60.0)


def test_every_family_knows_what_to_do_with_every_action() -> None:
    for one in families():
        for action in ACTIONS:
            try:
                assert one.control != "verbs" or all(held_verbs(one, action, "move")) is True
            except Unsupported as reason:
                assert one.title in str(reason)
    assert len(ACTIONS) == 9 and [read_action(text) for text in ("d + w", "s+a", "A+D")] == ["W+D", "A+S", None]


def test_lengths() -> None:
    assert shares([60.0, 1.0, 1.0], 8) == [6, 1, 1]
    assert sum(shares([1.0] * 7, 20)) == 20 and min(shares([1e-6, 1.0], 5)) == 1
    with pytest.raises(WorldGaugeError, match="6 steps are too few for 7 chunks"):
        shares([1.0] * 7, 6)
    rule = FrameRule.parse("4n+1")
    for wanted in ([7.0, 9.0], [100.0], [3.0] * 6):
        assert rule.fits(sum(frames_in_one_call(wanted, rule)))
        made = frames_per_call(wanted, rule)
        assert all(rule.fits(frames + (k > 0)) for k, frames in enumerate(made)), "each call, with its first frame"
    with pytest.raises(WorldGaugeError, match=r"80 frames is none the model makes: 4n\+1; take 81"):
        frames_in_one_call([1.0], rule, 80)
    # README of the authors: 60 s become 186 frames at 28 per second.
    assert sum(frames_in_one_call([15.0, 30.0, 15.0], FrameRule(), 186)) == 186
    with pytest.raises(WorldGaugeError, match="no rule of frame numbers"):
        FrameRule.parse("n+4")


def test_timestamps_are_written_from_the_video_itself_and_are_in_order(data: Path) -> None:
    (entry,), _, out = write(data, "--model", "captions", "--fps", "8", "--frames", "48")
    video = out / entry["output"]
    video.parent.mkdir(parents=True)
    write_video(video, numbered(48), fps=FPS)
    done = CliRunner().invoke(app, ["times", "write", str(out)])
    assert done.exit_code == 0 and "1 timestamp files, 0 refused, 0 videos not there yet" in done.output
    file = out / entry["times"]
    chunks = json.loads(file.read_text())["chunks"]
    assert [one["generated_end_sec"] for one in chunks] == [1.5, 4.5, 6.0] and chunks[1]["frame_start"] == 12
    (video.parent / "prompt.json").write_bytes((data / "gaming" / "c1" / "prompt.json").read_bytes())
    assert CliRunner().invoke(app, ["times", "check", str(file)]).exit_code == 0


def test_a_clip_of_another_length_is_refused_or_dealt_out(data: Path) -> None:
    (entry,), _, out = write(data, "--model", "captions", "--fps", "8", "--frames", "12")
    video = out / entry["output"]
    video.parent.mkdir(parents=True)
    write_video(video, numbered(48), fps=FPS)
    done = CliRunner().invoke(app, ["times", "write", str(out)])
    assert done.exit_code == 1 and "has 48 frames, 12 were asked for, as if latents had been counted" in done.output
    assert not (out / entry["times"]).exists()
    assert CliRunner().invoke(app, ["times", "write", str(out), "--fit"]).exit_code == 0
    ends = [one["frame_end"] for one in json.loads((out / entry["times"]).read_text())["chunks"]]
    assert ends == [12, 36, 48]


def test_what_is_wrong_with_a_timestamp_file(data: Path, tmp_path: Path) -> None:
    file, video = tmp_path / "a_chunk_timestamps.json", data / "gaming" / "c1" / "ref_c1.mp4"
    times = [(0.0, 2.0), (2.5, 4.0), (3.5, 3.0)]
    chunks = [
        {"chunk_index": k, "frame_start": round(8 * a), "generated_start_sec": a, "generated_end_sec": b}
        for k, (a, b) in enumerate(times)
    ]
    chunks[1]["frame_start"] = 80
    file.write_text(json.dumps({"fps": 8.0, "total_frames": 12, "chunks": chunks}))
    kinds = [kind for kind, _ in problems_of(file, video, data / "gaming" / "c1" / "prompt.json")]
    assert kinds == ["frames and seconds", "frame count", "chunks too short", "reversed chunk", "gap or overlap"]
    file.write_text(json.dumps([{"generated_start_sec": 0, "generated_end_sec": 6}]))
    assert [kind for kind, _ in problems_of(file, video, data / "gaming" / "c1" / "prompt.json")] == ["other chunks"]
    file.write_text("{")
    assert [kind for kind, _ in problems_of(file)] == ["no timestamps"]
