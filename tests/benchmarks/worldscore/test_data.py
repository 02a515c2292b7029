"""Reading the released layout and the parquet files; finding videos; writing model inputs."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from typer.testing import CliRunner

import helpers
from benchmarks.worldscore.toy_dataset import STATIC, make_dataset, static_record, write_mask
from worldgauge.api.building import chosen_cases
from worldgauge.benchmarks.worldscore.data.cases import read_dataset
from worldgauge.benchmarks.worldscore.data.importer import find_videos
from worldgauge.benchmarks.worldscore.data.mask_files import read_mask
from worldgauge.benchmarks.worldscore.formulas.object_masks import cut_mask
from worldgauge.benchmarks.worldscore.inputs.command import app as inputs
from worldgauge.benchmarks.worldscore.inputs.write import write_inputs
from worldgauge.benchmarks.worldscore.signals.weightless import mask_files_of
from worldgauge.core.benchmark import load_benchmark
from worldgauge.core.errors import InvalidVideo, WorldGaugeError
from worldgauge.instruments.pocket.carried import FlowCarried
from worldgauge.media.encoder import write_video
from worldgauge.verbs import parse_tags


@pytest.fixture
def data(tmp_path):
    return make_dataset(tmp_path / "data")


@pytest.mark.parametrize("level", ["parent", "folder"])
def test_cases(data, level):
    cases = read_dataset(data if level == "folder" else data.parent)
    assert [case.id for case in cases] == [
        "static/photorealistic/indoor/dining_spaces/000",
        "static/photorealistic/outdoor/city/001",
        "static/stylized/indoor/dining_spaces/002",
        "dynamic/photorealistic/rigid/000",
        "dynamic/stylized/fluid/001",
    ]
    large = cases[2]
    assert large.tags == {
        "movement": "static",
        "style": "stylized",
        "art": "ukiyo-e",
        "scene": "indoor",
        "category": "dining_spaces",
        "camera": "pan_left+move_left+pull_out",
        "world": "large",
    }
    assert large.extras["prompt_list"] == [f"A room, number {i}." for i in range(4)]
    assert large.path(large.condition.image).is_file()
    dynamic = cases[3]
    assert dynamic.tags["motion"] == "rigid"
    assert dynamic.reference.target.name == "ball, cart"
    assert all(dynamic.path(mask).is_file() for mask in dynamic.reference.truth.values())


def test_twins_share_a_cluster(data):
    cases = read_dataset(data)
    first = static_record(0, "stylized", "indoor", "dining_spaces", ["move_left"])
    file = data / "static" / "static.json"
    file.write_text(json.dumps([*json.loads(file.read_text()), first]))
    again = {case.id: case for case in read_dataset(data)}
    twin = again["static/stylized/indoor/dining_spaces/000"]
    assert twin.cluster_id == cases[0].cluster_id
    assert cases[0].cluster_id != cases[1].cluster_id


def test_registered(data):
    assert len(load_benchmark("worldscore", data).cases) == 5


def test_one_json_list(data):
    subset = data / "static" / "few.json"
    subset.write_text(json.dumps(json.loads((data / "static" / "static.json").read_text())[:1]))
    cases = read_dataset(subset)
    assert len(cases) == 1
    assert cases[0].path(cases[0].condition.image).is_file()


def test_parquet(data, tmp_path):
    rows = [static_record(n, *spec) for n, spec in enumerate(STATIC)]
    for row in rows:
        row["category"] = row["image"].split("/")[-2]
        row["image"] = {"bytes": (data / row["image"]).read_bytes(), "path": row["image"].split("/")[-1]}
    folder = tmp_path / "parquet"
    (folder / "static").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "static" / "train-00000-of-00001.parquet")
    cases = read_dataset(folder)
    assert [case.id for case in cases] == [case.id for case in read_dataset(data)[:3]]
    with Image.open(cases[0].path(cases[0].condition.image)) as image:
        assert image.size == (96, 64)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt_list": ["only one"]}, "prompt_list has 1 entries, the camera path asks for 2"),
        ({"camera_path": []}, "camera_path is empty"),
        ({"visual_movement": "still"}, "visual_movement"),
    ],
)
def test_damaged_record(data, change, message):
    file = data / "static" / "static.json"
    records = json.loads(file.read_text())
    records[1] |= change
    file.write_text(json.dumps(records))
    with pytest.raises(WorldGaugeError, match=f"record 1.*{message}"):
        read_dataset(data)


def test_not_a_dataset(tmp_path):
    with pytest.raises(WorldGaugeError, match=r"neither static/static\.json"):
        read_dataset(tmp_path)


def test_official_tree_and_plain_files(data, tmp_path):
    cases = read_dataset(data)
    frames = helpers.moving_texture(4)
    root = tmp_path / "model" / "worldscore_output"
    for case, promised in ((cases[0], 4), (cases[1], 9)):
        (root / case.id / "frames").mkdir(parents=True)
        for index, frame in enumerate(frames):
            Image.fromarray(frame).save(root / case.id / "frames" / f"{index:03d}.png")
        (root / case.id / "image_data.json").write_text(json.dumps({"total_frames": promised}))
    (root / "dynamic/photorealistic/rigid").mkdir(parents=True)
    write_video(root / f"{cases[3].id}.mkv", frames, fps=10)
    write_video(root / f"{cases[4].id.replace('/', '_')}.mp4", frames, fps=10)
    submission = find_videos(tmp_path / "model", cases)
    assert submission.model.name == "model"
    assert set(submission.videos) == {cases[i].id for i in (0, 1, 3, 4)}
    assert submission.videos[cases[0].id].info.frames == 4
    with pytest.raises(InvalidVideo, match="4 frames, 9 were asked for"):
        _ = submission.videos[cases[1].id].info


def test_no_video(data, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorldGaugeError, match="holds no video of this benchmark"):
        find_videos(tmp_path / "empty", read_dataset(data))


def test_inputs_for_image_models(data, tmp_path):
    entries = write_inputs(data, tmp_path / "out", "i2v", (48, 48), 9).entries
    assert len(entries) == 5
    large = next(e for e in entries if len(e["layouts"]) == 3)
    assert large["total_frames"] == 25
    assert large["images"] == ["input_image.png", "input_image_1.png", "input_image_2.png"]
    assert large["prompts"][0].startswith("Camera pan left. A room, number 1. ukiyo-e. Everything")
    folder = tmp_path / "out" / large["id"]
    with Image.open(folder / "input_image.png") as image:
        assert image.size == (48, 48)
    cameras = json.loads((folder / "camera_data.json").read_text())
    assert len(cameras["cameras_interp"]) == 25
    assert json.loads((folder / "image_data.json").read_text())["anchor_frame_idx"] == [0, 8, 16, 24]
    assert not (tmp_path / "out" / "dynamic/photorealistic/rigid/000/camera_data.json").exists()


def test_inputs_for_3d_models(data, tmp_path):
    where = {"world": "small", "style": "photorealistic"}
    entries = write_inputs(
        data, tmp_path / "out", "3d", (48, 48), 9, where=where, speed=0.5, camera_type="pytorch3d"
    ).entries
    assert [e["id"] for e in entries] == [case.id for case in read_dataset(data)[:2]]
    assert entries[0]["prompts"] == ["A room, number 0. photorealistic", "A room, number 1. photorealistic"]
    model = json.loads((tmp_path / "out" / entries[0]["id"] / "cameras_model.json").read_text())
    last = np.array(model["matrices"][-1])
    assert last[3, :3] == pytest.approx([-0.25, 0, 0])  # move_left by half a unit of 0.5, translation in the last row


def test_inputs_nothing_chosen(data, tmp_path):
    with pytest.raises(WorldGaugeError, match="no case has style=cubist"):
        write_inputs(data, tmp_path / "out", "i2v", (48, 48), 9, where={"style": "cubist"})


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ([], 0),
        (["scene=indoor"], 2),
        (["style=photorealistic", "movement=static"], 2),
        (["category=city"], 1),
        (["motion=fluid"], 1),
        (["camera=push_in"], 1),
        (["world=large"], 1),
    ],
)
def test_filters(data, where, count):
    chosen = chosen_cases(load_benchmark("worldscore", data), (), parse_tags(where))
    assert len(chosen) == count


def test_filter_that_fits_nothing(data):
    with pytest.raises(WorldGaugeError, match=r"no case has scene=moon.*scene=indoor"):
        chosen_cases(load_benchmark("worldscore", data), (), parse_tags(["scene=moon"]))


def test_masks_are_cut_like_the_picture(data):
    files = sorted((data / "dynamic/photorealistic/masks/rigid/000").iterdir())
    masks = [read_mask(file) for file in files]
    still = [np.zeros((64, 64, 3), np.uint8)]
    (cut,) = FlowCarried().followed(still, [cut_mask(mask, (64, 64)) for mask in masks])
    (squashed,) = FlowCarried().followed(still, masks)
    assert cut.shape == squashed.shape == (64, 64)
    # The picture of 96x64 loses 16 columns on each side: columns 20..40 become 4..24.
    assert np.flatnonzero(cut[25])[[0, -1]].tolist() == [4, 53]
    assert np.flatnonzero(squashed[25])[0] == 13


def test_a_record_cannot_name_a_place_outside(tmp_path):
    data = make_dataset(tmp_path / "data")
    file = data / "static" / "static.json"
    records = json.loads(file.read_text())
    records[0]["visual_style"] = "../../.."
    file.write_text(json.dumps(records))
    with pytest.raises(WorldGaugeError, match="leaves the folder it should lie in"):
        read_dataset(data)


def test_inputs_are_written_as_far_as_pictures_are_on_disk(data, tmp_path):
    (data / "static/photorealistic/images/city/001.jpg").unlink()
    flags = ["--data", str(data), "--size", "48x48", "-n", "3", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(inputs, flags)
    assert done.exit_code == 0 and "4 cases for i2v models" in done.output
    rest = json.loads((tmp_path / "out" / "left_out.jsonl").read_text())
    city = "static/photorealistic/outdoor/city/001"
    assert rest == {"case": city, "reason": "the world's picture is not on disk; download the data set's pictures"}
    assert not (tmp_path / "out" / city).exists()
    fluid = "dynamic/stylized/fluid/001"
    done = CliRunner().invoke(inputs, [*flags, "--case", fluid])
    assert "1 cases" in done.output and not (tmp_path / "out" / "left_out.jsonl").exists()
    done = CliRunner().invoke(inputs, [*flags, "--for", "3d", "--case", fluid])
    assert str(done.exception) == f"no case can be written: {fluid}: a 3D model makes no dynamic world"
    done = CliRunner().invoke(inputs, [*flags, "--for", "3d", "--where", "movement=dynamic"])
    assert "a 3D model makes no dynamic world" in str(done.exception)


def test_pictures_and_masks_that_are_not_on_disk_stay_in_the_coverage(data):
    (data / "static/photorealistic/images/city/001.jpg").unlink()
    (data / "dynamic/stylized/masks/fluid/001/001-1.png").unlink()
    absent = {case.id: case.not_here for case in read_dataset(data) if case.not_here}
    assert absent == {
        "static/photorealistic/outdoor/city/001": ("image",),
        "dynamic/stylized/fluid/001": ("object_masks",),
    }


def test_the_masks_of_a_run_are_those_of_the_folder(data):
    """As in the released code: the first listed mask names the folder, and every png and jpg there counts, in order of
    name, whatever the record lists."""
    place = data / "dynamic/photorealistic/masks/rigid/000"
    write_mask(place / "000-9.jpg", (96, 64), 1)
    write_mask(place / "000-10.png", (96, 64), 1)
    (place / "notes.txt").write_text("no mask")
    (place / "000-11.PNG").write_bytes((place / "000-0.png").read_bytes())
    case = next(case for case in read_dataset(data) if case.id == "dynamic/photorealistic/rigid/000")
    assert [file.name for file in mask_files_of(case)] == ["000-0.png", "000-1.png", "000-10.png", "000-9.jpg"]
