"""Clips that are shorter than required, as a user of the command line meets them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

import helpers
from benchmarks.mbench.released_tree import add_sample, write_rows
from worldgauge.media.encoder import write_video

CLIPS = {
    "whole": (161, 16), "native": (194, 24), "three": (3, 16), "slow": (3, 0.25), "fast": (41, 30),
    "folder": (130, None), "stated": (130, 24),
}  # fmt: skip
"""Frames, and the rate of the file or, of a folder of frames, of the submission."""
SHORT = {
    "three": "the clip has 3 frames, a clip needs at least 5",
    "slow": "the clip has 3 frames, a clip needs at least 5",
    "fast": "the clip lasts 1.37 s at 30 fps, 10 s were requested and 8 s are the least",
    "stated": "the clip lasts 5.42 s at 24 fps, 10 s were requested and 8 s are the least",
}
COLUMNS = "a_trigger,a_trigger_environment,a_style,a_style_over_time"
OF_POSES = "a_action_turning,a_executed,a_epipolar_turning,a_trigger_geometric"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("length")
    data, rows, videos = folder / "MBench-A", [], {}
    data.mkdir()
    (data / "dataset.yaml").write_text("dataset_id: mbencha\n")
    for seed, (name, (frames, fps)) in enumerate(CLIPS.items()):
        add_sample(data, "environment", name)
        rows.append({"item_id": f"environment:{name}:left_then_right_10s"})
        case = f"environment/{name}/left_then_right_10s"
        turned = np.rint(30 * (1 - np.abs(np.linspace(-1, 1, frames)))).astype(int)
        wide = helpers.moving_texture(1, 96, 48, seed=seed)[0]
        pictures = np.stack([wide[:, 32 - k : 32 - k + 64] for k in turned])
        if name in ("folder", "stated"):
            (folder / name).mkdir()
            for k, picture in enumerate(pictures):
                Image.fromarray(picture).save(folder / name / f"{k:04d}.png")
            videos[case] = {"path": name} | ({"fps": fps} if fps else {})
        else:
            write_video(folder / f"{name}.mp4", pictures, fps=fps)
            videos[case] = f"{name}.mp4"
    write_rows(data / "mapping.jsonl", rows)
    (folder / "submission.json").write_text(json.dumps({"schema": 1, "model": {"name": "m"}, "videos": videos}))
    return folder


@pytest.fixture(scope="module")
def records(made):
    """Every clip without its poses, and of short ones what would need poses."""
    short = [flag for name in SHORT for flag in ("--case", f"environment/{name}/left_then_right_10s")]
    found = {}
    for out, columns, more in (("run", COLUMNS, []), ("posed", OF_POSES, short)):
        helpers.worldgauge(
            "run", made / "submission.json", "-b", "mbench", "--data", made / "MBench-A", "-m", columns,
            "-o", made / out, "--instruments", "pocket", *more,
        )  # fmt: skip
        found |= {(line["metric"], line["case"].split("/")[1]): line for line in helpers.records(made / out)}
    return found


def test_validate_tells_of_short_clips(made):
    found = helpers.run_json("validate", made / "submission.json", "-b", "mbench", "--data", made / "MBench-A")
    assert {case.split("/")[1]: reason for case, reason in found["remarks"].items()} == SHORT
    assert found["readable"] == len(CLIPS) and not found["invalid"]
    printed = helpers.worldgauge("validate", made / "submission.json", "-b", "mbench", "--data", made / "MBench-A")
    assert f"remark   environment/three/left_then_right_10s: {SHORT['three']}" in printed.stdout


@pytest.mark.parametrize("name", CLIPS)
def test_a_short_clip_did_not_trigger_and_is_worst_in_our_own_columns(records, name):
    ours = ["a_trigger", "a_style_over_time"]
    if name in SHORT:
        ours += OF_POSES.split(",")
        found = {column: (records[column, name].get("value"), records[column, name]["reason"]) for column in ours}
        assert found == dict.fromkeys(ours, (0.0, f"{SHORT[name]}; it counts as worst"))
    else:
        assert records["a_trigger", name]["value"] == 100 and records["a_style_over_time", name]["value"] > 0
        assert not any("requested" in records[column, name].get("reason", "") for column in ours)


@pytest.mark.parametrize("name", SHORT)
def test_literal_columns_keep_their_value_with_a_remark(records, name):
    found = records["a_style", name]
    assert found["status"] == "ok" and found["value"] > 30, found
    assert SHORT[name] in found["reason"]


def test_short_clips_lower_the_m_score(made, records):
    """Eq. 3: the trigger rate falls, the mean of the clips' scores stays."""
    found = helpers.run_json("report", made / "run")
    scores = found["models"][0]["scores"]
    rate = 100 * (len(CLIPS) - len(SHORT)) / len(CLIPS)
    assert scores["a_trigger_environment"]["value"] == pytest.approx(rate)
    mean = scores["a_style"]["value"]
    assert scores["a_style_m"]["value"] == pytest.approx(2 * mean * rate / (mean + rate))


def test_the_rule_is_shown_with_its_source():
    printed = helpers.worldgauge("show", "mbench").stdout
    assert "25 s, or 10 s where the condition says so" in printed and "MBench, 5.1" in printed
