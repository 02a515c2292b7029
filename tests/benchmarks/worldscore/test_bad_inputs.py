"""Each bad input gets its status, and the other cases of the run are scored all the same."""

import json

import numpy as np
import pytest
from PIL import Image

import helpers
from benchmarks.worldscore.toy_dataset import make_dataset, static_record
from worldgauge.benchmarks.worldscore.data.cases import read_dataset
from worldgauge.core.run_folder import Run

METRICS = "optical_flow_aepe,gram_matrix,motion_accuracy,motion_magnitude,smoothness_ssim"


def write_frames(folder, frames, promised=None):
    (folder / "frames").mkdir(parents=True)
    for index, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / "frames" / f"{index:03d}.png")
    if promised is not None:
        (folder / "image_data.json").write_text(json.dumps({"total_frames": promised}))


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    root = tmp_path_factory.mktemp("bad")
    data = make_dataset(root / "data")
    extra = [static_record(n, "photorealistic", "outdoor", "city", ["pull_out"]) for n in range(10, 15)]
    for record, mode in zip(extra, ["RGB", "L", "RGBA", "RGB", "RGB"], strict=True):
        record["image"] = record["image"].replace(".jpg", ".png")
        Image.open(data / "static/photorealistic/images/city/001.jpg").convert(mode).save(data / record["image"])
    file = data / "static" / "static.json"
    file.write_text(json.dumps([*json.loads(file.read_text()), *extra]))
    for mask in (data / "dynamic/stylized/masks/fluid/001").iterdir():
        Image.fromarray(np.zeros((64, 96), np.uint8)).save(mask)
    frames = helpers.moving_texture(7, 96, 64)
    out = root / "model"
    short = "static/photorealistic/outdoor/city"
    write_frames(out / "static/photorealistic/indoor/dining_spaces/000", frames, promised=6)
    write_frames(out / f"{short}/001", frames)
    (out / f"{short}/001/frames/003.png").write_bytes(b"\x89PNG broken")
    write_frames(out / "static/stylized/indoor/dining_spaces/002", frames[:6])
    write_frames(out / "dynamic/photorealistic/rigid/000", frames[:1])
    write_frames(out / "dynamic/stylized/fluid/001", frames)
    for number in (11, 12, 13, 14):
        write_frames(out / f"{short}/{number:03d}", frames, promised=7)
    # As many pictures as promised, one of them no frame.
    (out / f"{short}/014/frames/003.png").rename(out / f"{short}/014/frames/preview.png")
    arguments = ("run", out, "-b", "worldscore", "--instruments", "pocket", "--data", data, "-m", METRICS, "-w", 1)
    # Exit code 1: one record is an error, the data set's RGBA picture.
    done = helpers.worldgauge(*arguments, "-o", root / "run", "--store", root / "store", check=False)
    assert done.returncode == 1, done.stderr
    assert len(read_dataset(data)) == 10
    return {(r["case"], r["metric"]): r for r in Run(root / "run").records()}


CITY = "static/photorealistic/outdoor/city"


@pytest.mark.parametrize(
    ("case", "metric", "status", "reason"),
    [
        (f"{CITY}/010", "gram_matrix", "missing", "no video"),
        ("static/photorealistic/indoor/dining_spaces/000", "optical_flow_aepe", "invalid", "7 frames, 6 were asked"),
        (f"{CITY}/001", "optical_flow_aepe", "invalid", "003.png"),
        ("static/stylized/indoor/dining_spaces/002", "gram_matrix", "invalid", "cannot be cut into 3 layouts"),
        ("dynamic/photorealistic/rigid/000", "motion_magnitude", "invalid", "1 frame"),
        ("dynamic/photorealistic/rigid/000", "smoothness_ssim", "invalid", "1 frame"),
        ("dynamic/stylized/fluid/001", "motion_accuracy", "ok", "the released code stores -100"),
        ("dynamic/stylized/fluid/001", "motion_magnitude", "ok", ""),
        (f"{CITY}/014", "optical_flow_aepe", "invalid", "pictures that are no numbered frames: preview.png"),
        (f"{CITY}/011", "gram_matrix", "ok", ""),
        (f"{CITY}/012", "gram_matrix", "error", "mode RGBA"),
        (f"{CITY}/012", "optical_flow_aepe", "ok", ""),
        (f"{CITY}/013", "gram_matrix", "ok", ""),
        (f"{CITY}/013", "motion_accuracy", "skipped", "only for cases with movement dynamic"),
    ],
)
def test_status(records, case, metric, status, reason):
    record = records[case, metric]
    said = record.get("reason", "")
    assert record["status"] == status, said
    assert reason in said
    assert (record.get("value") is not None) == (status == "ok")


def test_a_mended_promise_of_frames_is_measured_again(tmp_path):
    data, case = make_dataset(tmp_path / "data"), "static/photorealistic/indoor/dining_spaces/000"
    write_frames(tmp_path / "model" / case, helpers.moving_texture(7, 96, 64), promised=6)
    arguments = (
        "run",
        tmp_path / "model",
        "-b",
        "worldscore",
        "--instruments",
        "pocket",
        "--data",
        data,
        "-m",
        "optical_flow_aepe",
        "-w",
        1,
    )
    statuses = []
    for promised in (6, 7):
        (tmp_path / "model" / case / "image_data.json").write_text(json.dumps({"total_frames": promised}))
        helpers.worldgauge(*arguments, "-o", tmp_path / "run", "--store", tmp_path / "store", check=False)
        records = {r["case"]: r for r in Run(tmp_path / "run").records()}
        statuses.append(records[case]["status"])
    assert statuses == ["invalid", "ok"]
