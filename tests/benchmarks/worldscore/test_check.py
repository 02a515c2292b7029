"""`worldscore check`: the composition of Table S4 on records made to it, and one line for each planted fault."""

import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmarks.worldscore.toy_dataset import dynamic_record, make_dataset, static_record, write_mask
from worldgauge.benchmarks.worldscore.checks.composition import CATEGORIES, MOTIONS, STYLES, composition, strangers
from worldgauge.benchmarks.worldscore.checks.dataset import check_dataset
from worldgauge.benchmarks.worldscore.commands import app
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS
from worldgauge.core.errors import WorldGaugeError


@pytest.fixture(scope="module")
def worlds():
    """3000 records as the paper counts them: layouts and sizes drawn at random."""
    random = np.random.default_rng(0)
    records = []
    for style in STYLES:
        for scene, names in CATEGORIES.items():
            for name in names:
                for number in range(100):
                    path = [LAYOUTS[i] for i in random.integers(0, 8, 3 if random.random() < 0.2 else 1)]
                    records.append(static_record(number, style, scene, f"{name}_places", path))
        records += [dynamic_record(n, style, motion) for motion in MOTIONS for n in range(100)]
    return [WorldSpec.model_validate(record) for record in records]


def test_the_paper_is_met(worlds):
    cells = composition(worlds)
    assert [cell.fault for cell in cells if cell.fault] == []
    parts = [cell.part for cell in cells]
    assert [parts.count(part) for part in ("static", "dynamic", "layout", "size")] == [20, 10, 8, 2]
    assert sum(cell.found for cell in cells if cell.part in ("static", "dynamic")) == 3000
    assert strangers(worlds) == {}


def test_what_is_not_as_printed(worlds):
    assert [cell.fault for cell in composition(worlds[1:]) if cell.fault] == [
        "photorealistic indoor dining: 99, expected 100"
    ]
    few = composition([world for world in worlds if "pan_right" not in world.camera_path])
    assert next(cell for cell in few if cell.name == "pan_right").fault.startswith("pan_right: 0, expected about")
    small = composition([world for world in worlds if world.scenes == 1])
    assert next(cell for cell in small if cell.name == "large").fault.startswith("large: 0, expected about")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"image": "./static/a/cellar/000.jpg"}, "category 'cellar' is none of the indoor ones"),
        ({"image": "./static/a/city/000.jpg"}, "category 'city' is none of the indoor ones"),
        ({"scene_type": "underwater"}, "scene_type 'underwater'"),
        ({"visual_style": "sketch"}, "visual_style 'sketch'"),
    ],
)
def test_a_world_of_no_cell(change, reason):
    record = static_record(0, "photorealistic", "indoor", "dining_spaces", ["pan_left"]) | change
    assert [text.startswith(reason) for text in strangers([WorldSpec.model_validate(record)]).values()] == [True]


def edit(data, movement, number, change):
    file = data / movement / f"{movement}.json"
    records = json.loads(file.read_text())
    records[number] |= change
    file.write_text(json.dumps(records))


def test_a_whole_small_data_set(tmp_path):
    data = make_dataset(tmp_path)
    found = check_dataset(data, counts=False)
    assert (found.faults, found.worlds, found.cells, found.twins) == ((), 5, (), 0)
    assert len(check_dataset(data).faults) > 30


def test_every_fault_has_its_line(tmp_path):
    data = make_dataset(tmp_path)
    edit(data, "static", 0, {"content_list": ["Hall, chair, chair", "Scene"], "prompt_list": ["A hall", " "]})
    edit(data, "static", 1, {"camera_path": ["roll"]})
    edit(data, "static", 2, {"prompt_list": ["one"]})
    edit(data, "dynamic", 0, {"objects": [], "camera_path": ["push_in"]})
    masks = data / "dynamic/photorealistic/masks/rigid/000"
    write_mask(masks / "000-0.png", (48, 64), 0)
    Image.new("L", (96, 64), 0).save(masks / "000-1.png")
    edit(data, "dynamic", 1, {"masks": ["./dynamic/none.PNG"]})
    (data / "static/photorealistic/images/city/001.jpg").write_text("not a picture")
    first, second, rigid, fluid = (
        "static/photorealistic/indoor/dining_spaces/000", "static/photorealistic/outdoor/city/001",
        "dynamic/photorealistic/rigid/000", "dynamic/stylized/fluid/001",
    )  # fmt: skip
    faults = check_dataset(data, counts=False).faults
    expected = [
        ("static.json record 2", "prompt_list has 1 entries"),
        (first, "the prompt of scene 1 is empty"),
        (first, "scene 0 names an object twice"),
        (first, "scene 1 names no object"),
        (second, "cannot be read"),
        (second, "layout 'roll' has no camera path"),
        (rigid, "the camera of a dynamic world is fixed, here 'push_in'"),
        (rigid, "no object is named"),
        (rigid, "000-0.png is 48x64, its picture 96x64"),
        (rigid, "000-1.png is empty"),
        (fluid, "does not end in .png or .jpg"),
        (fluid, "none.PNG does not exist"),
    ]
    assert len(faults) == len(expected)
    for line, parts in zip(faults, expected, strict=True):
        assert all(part in line for part in parts), line


def test_masks_missing_altogether_is_one_line(tmp_path):
    data = make_dataset(tmp_path)
    for number in range(2):
        edit(data, "dynamic", number, {"masks": []})
    assert [fault.split(" (")[0] for fault in check_dataset(data, counts=False).faults] == [
        "none of 2 dynamic worlds has a mask"
    ]


def test_the_command(tmp_path):
    data = make_dataset(tmp_path)
    done = CliRunner().invoke(app, ["check", str(data), "--no-composition"])
    assert done.exit_code == 0
    assert "5 worlds, 0 stylised twins, 0 faults" in done.stdout
    done = CliRunner().invoke(app, ["check", str(data)])
    assert done.exit_code == 1
    assert "fault  static photorealistic indoor dining: 1, expected 100" in done.stdout
    done = CliRunner().invoke(app, ["check", str(data), "--json"])
    assert json.loads(done.stdout)["composition"][0]["found"] == 1


def test_no_world_at_all(tmp_path):
    (tmp_path / "none.json").write_text("[]")
    with pytest.raises(WorldGaugeError, match="holds no world"):
        check_dataset(tmp_path / "none.json")
