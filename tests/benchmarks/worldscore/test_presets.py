"""The paper's models as presets, and inputs for models that take camera poses."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmarks.worldscore.toy_dataset import make_dataset, static_record, write_picture
from helpers import worldgauge_many
from worldgauge.benchmarks.worldscore.commands import app
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS
from worldgauge.benchmarks.worldscore.inputs.command import app as inputs
from worldgauge.benchmarks.worldscore.inputs.presets import preset, presets
from worldgauge.benchmarks.worldscore.inputs.write import write_inputs
from worldgauge.core.benchmark import load_benchmark
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.published import published_tables


def test_they_are_the_models_of_table_2():
    assert [known.name for known in presets()] == list(published_tables("worldscore")[0].rows)


def test_they_agree_with_the_paper():
    """4: twelve video models, six 3D, one 4D; two are closed; 3D and 4D models take poses (App. A)."""
    kinds = [known.kind for known in presets()]
    assert [kinds.count(kind) for kind in ("i2v", "t2v", "3d", "4d")] == [7, 5, 6, 1]
    assert [known.name for known in presets() if not known.open] == ["Gen-3", "Hailuo"]
    assert all(known.camera == (known.kind in ("3d", "4d")) for known in presets())
    # Length and frames agree to a second, but for one closed model that makes half a second more.
    for known in presets():
        assert known.frames / known.fps == pytest.approx(known.length, abs=0.55), known.name


def test_a_name_however_written():
    assert preset("wonderworld").camera_speed == 0.002
    with pytest.raises(WorldGaugeError, match="WonderWorld"):
        preset("WonderWorlds")


@pytest.fixture
def data(tmp_path):
    return make_dataset(tmp_path / "data")


def run_inputs(data, out, *options):
    done = CliRunner().invoke(inputs, ["--data", str(data), "-o", str(out), *options], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return {entry["id"]: entry for entry in json.loads((out / "inputs.json").read_text())}, done.stdout


def test_a_preset_fills_every_option(data, tmp_path):
    entries, told = run_inputs(data, tmp_path / "out", "--preset", "scenescape")
    first = entries["static/photorealistic/indoor/dining_spaces/000"]
    assert (first["size"], first["frames_per_clip"], first["camera"]) == ([512, 512], 50, "matrices")
    assert "3d models at 512x512, camera in matrices" in told
    model = json.loads((tmp_path / "out" / first["id"] / "cameras_model.json").read_text())
    assert model["camera_type"] == "pytorch3d"
    # move_left: half of SceneScape's unit of 0.05; row vectors.
    assert model["matrices"][-1][3][:3] == pytest.approx([-0.025, 0, 0])


def test_an_option_beats_the_preset(data, tmp_path):
    entries, _ = run_inputs(data, tmp_path / "out", "--preset", "Gen-3", "--size", "64x48", "-n", "5", "--for", "t2v")
    entry = next(iter(entries.values()))
    assert (entry["size"], entry["frames_per_clip"], entry["images"]) == ([64, 48], 5, [None])


def test_a_video_model_that_takes_poses(data, tmp_path):
    """The path as matrices, the prompt as it is; clips are chained as for any other."""
    entries = write_inputs(data, tmp_path / "out", "i2v", (48, 48), 9, camera="matrices").entries
    large = next(e for e in entries if len(e["layouts"]) == 3)
    assert large["prompts"] == [f"A room, number {i}. ukiyo-e" for i in (1, 2, 3)]
    assert large["images"] == ["input_image.png", "input_image_1.png", "input_image_2.png"]
    model = json.loads((tmp_path / "out" / large["id"] / "cameras_model.json").read_text())
    assert len(model["matrices"]) == large["total_frames"] == 25
    dynamic = next(e for e in entries if e["layouts"] == ["fixed"])
    assert dynamic["prompts"] == ["The ball rolls. photorealistic"]
    still = json.loads((tmp_path / "out" / dynamic["id"] / "cameras_model.json").read_text())
    assert np.array_equal(np.array(still["matrices"]), np.tile(np.eye(4), (9, 1, 1)))


@pytest.mark.parametrize(("protocol", "camera"), [("released", "words"), ("paper", "matrices")])
def test_4d_models(data, tmp_path, protocol, camera):
    entries = write_inputs(data, tmp_path / "out", "4d", (48, 48), 9, protocol=protocol).entries
    first = entries[0]
    assert first["camera"] == camera
    assert (tmp_path / "out" / first["id"] / "cameras_model.json").exists() == (camera == "matrices")
    assert first["prompts"][0].startswith("Camera move left. ") == (camera == "words")


def test_unknown_names_are_refused(data, tmp_path):
    for option in (("--preset", "Gen-33"), ("--camera", "gestures"), ("--for", "5d"), ("--camera-type", "unreal")):
        done = CliRunner().invoke(inputs, ["--data", str(data), "-o", str(tmp_path / "out"), *option])
        assert isinstance(done.exception, WorldGaugeError), option


def test_the_list(tmp_path):
    done = CliRunner().invoke(app, ["presets"], catch_exceptions=False)
    assert len([line for line in done.stdout.splitlines() if " poses" in line]) == 7
    done = CliRunner().invoke(app, ["presets", "--json"], catch_exceptions=False)
    assert len(json.loads(done.stdout)) == 19


def test_a_card_of_a_3d_model_keeps_the_official_tree(data, tmp_path):
    """`submission.json` without `videos` says what the model is; its frames are looked for where the tree has them."""
    out = tmp_path / "mine"
    run_inputs(data, out, "--preset", "WonderWorld", "--card", "--size", "48x48", "-n", "3")
    card = {"name": "WonderWorld", "type": "3D", "ability": "I2V", "accessibility": "open"}
    assert json.loads((out / "submission.json").read_text()) == {"schema": 1, "model": card}
    benchmark = load_benchmark("worldscore", data)
    static = [case.id for case in benchmark.cases if case.tags["movement"] == "static"]
    for case in static[:2]:
        (out / case / "frames").mkdir()
        for number in range(3):
            Image.new("RGB", (48, 48), (90, 60 * number, 30)).save(out / case / "frames" / f"{number:03d}.png")
    found = benchmark.submission(out)
    assert found.model.name == "WonderWorld" and sorted(found.videos) == sorted(static[:2])
    assert all(video.expected_frames == 3 for video in found.videos.values()), "as image_data.json promises"
    flags = ("-b", "worldscore", "--data", data, "--instruments", "pocket", "--store", tmp_path / "store")
    run = ("run", out, *flags, "-m", "motion_magnitude", "-o", tmp_path / "run", "--workers", 1)
    scores = json.loads(worldgauge_many(run, ("report", tmp_path / "run", "--json"))[1])["models"][0]["scores"]
    assert scores["motion_magnitude"]["value"] == 0.0, "a 3D model makes no dynamic world"


def test_a_card_without_the_data_set(tmp_path):
    flags = ["-o", str(tmp_path / "mine"), "--card", "--called", "Mine", "--for", "t2v"]
    assert CliRunner().invoke(inputs, flags, env={"WORLDGAUGE_DATA": ""}).exit_code == 0
    file = tmp_path / "mine" / "submission.json"
    assert json.loads(file.read_text())["model"] == {"name": "Mine", "type": "Video", "ability": "T2V"}
    assert CliRunner().invoke(inputs, flags).exit_code == 0, "the same card again"
    for other, reason in ((["--for", "3d", "--card"], "is there already and differs"), ([], "--data FOLDER")):
        done = CliRunner().invoke(inputs, ["-o", str(tmp_path / "mine"), *other])
        assert isinstance(done.exception, WorldGaugeError) and reason in str(done.exception)


ADAPTED = Path(__file__).parent / "data" / "adapters"
RELEASED = json.loads((ADAPTED / "index.json").read_text())


@pytest.mark.parametrize("name", sorted(RELEASED["told"]))
def test_cameras_of_the_six_3d_models_are_the_released_ones(tmp_path, name):
    """What the released adapters hand on, recorded with a class in PyTorch3D's place: eight layouts and four chains."""
    paths = RELEASED["paths"]
    records = [static_record(k, "photorealistic", "indoor", "rooms", path) for k, path in enumerate(paths)]
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "static.json").write_text(json.dumps(records))
    for number, record in enumerate(records):
        write_picture(tmp_path / record["image"], (64, 48), number)
    entries, told = run_inputs(tmp_path, tmp_path / "out", "--preset", name, "-n", str(RELEASED["frames"]))
    recorded, expected = np.load(ADAPTED / "cameras.npz"), RELEASED["told"][name]
    assert len(entries) == 12 and {layout for path in paths for layout in path} == set(LAYOUTS)
    for number, entry in enumerate(entries):
        content = json.loads((tmp_path / "out" / entry / "cameras_model.json").read_text())
        for part in ("cameras", "cameras_interp"):
            if name == "Text2Room":
                matrix = recorded[f"{name}|{number}|{part}|matrix"]
                handed = {"R": matrix[:, :3, :3], "T": matrix[:, :3, 3]}
            else:
                handed = {which: recorded[f"{name}|{number}|{part}|{which}"] for which in ("R", "T")}
            for which, array in handed.items():
                assert np.abs(np.array(content[part][which]) - array).max() < 1e-6, (entry, part, which)
        lens = content["K"]
        if "K" in expected:
            assert [lens] == expected["K"]
        elif "principal_point" in expected:
            assert [lens[0][0]] == expected["focal_length"] and [lens[0][2], lens[1][2]] == expected["principal_point"][
                0
            ]
        else:
            assert lens is None and "the lens: the model's own" in content["not_set"]
        assert content["image_size"] == (expected["image_size"][0] if "image_size" in expected else None)
        assert content["in_ndc"] == expected.get("in_ndc")
        assert content["not_set"] and all(text in " ".join(told.split()) for text in content["not_set"])
    assert ("the picture: the model is handed prompts and cameras alone" in content["not_set"]) == (
        expected["types"][0] == "list"
    )
