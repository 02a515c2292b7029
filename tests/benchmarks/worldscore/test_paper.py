"""`paper` as printed, in closed form: what cameras, flow there and back, and layouts that stay are given."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.flow_cycle import cycle_error, printed_cycle_error
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS, layout_path
from worldgauge.benchmarks.worldscore.inputs.prompts import MOTIONLESS
from worldgauge.benchmarks.worldscore.metrics import camera
from worldgauge.core.case import Case
from worldgauge.functional.pose import invert

FRAMES = 25
OPPOSITE = dict(
    zip(
        LAYOUTS,
        ("pull_out", "push_in", "move_right", "move_left", "orbit_right", "orbit_left", "pan_right", "pan_left"),
        strict=True,
    )
)


def score(layout, poses):
    case = Case(id="c", extras={"camera_path": [layout]})
    return 100 * camera.camera_control.function(case, {"poses": poses}, protocol="paper").value


def path(layout):
    return layout_path([layout], FRAMES).poses


def random_walk(seed):
    random = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (FRAMES, 1, 1))
    poses[1:, :3, 3] = np.cumsum(random.normal(scale=0.04, size=(FRAMES - 1, 3)), axis=0)
    turns = np.cumsum(random.normal(scale=2.0, size=(FRAMES - 1, 3)), axis=0)
    poses[1:, :3, :3] = Rotation.from_rotvec(np.radians(turns)).as_matrix()
    return poses


@pytest.mark.parametrize("layout", LAYOUTS)
def test_camera_control(layout):
    assert score(layout, path(layout)) == pytest.approx(100.0, abs=1e-3)
    assert score(layout, np.tile(np.eye(4), (FRAMES, 1, 1))) == pytest.approx(0.0, abs=1e-3)
    assert score(layout, path(OPPOSITE[layout])) == pytest.approx(0.0, abs=1e-3)
    assert score(layout, invert(path(layout))) <= 10.0


def test_other_cameras():
    others = [score(asked, path(made)) for asked in LAYOUTS for made in LAYOUTS if asked != made]
    # A pan asked for and an orbit made turn alike, and where nothing should move no scale does.
    assert np.mean(others) == pytest.approx(100 * 2 / 56, abs=0.1)
    walks = [score(layout, random_walk(seed)) for seed, layout in enumerate(LAYOUTS * 6)]
    assert np.mean(walks) < 20.0


def test_camera_control_counts_by_frames():
    measured = camera.camera_control.function(
        Case(id="c", extras={"camera_path": ["pan_left"]}), {"poses": path("pan_left")}
    )
    assert measured.weight == FRAMES


@pytest.mark.parametrize("layout", ["push_in", "pull_out", "move_left", "pan_left"])
def test_eq_3_to_the_letter_cannot_tell(layout):
    """Why the column stands beside the score and not in it: no error for the opposite motion."""
    case = Case(id="c", extras={"camera_path": [layout]})
    opposite = camera.camera_error.function(case, {"poses": path(OPPOSITE[layout])}).value
    assert opposite == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("size", [(128, 96), (512, 320)])
def test_exact_zoom(size):
    width, height = size
    x, y = np.meshgrid(np.arange(width) - (width - 1) / 2, np.arange(height) - (height - 1) / 2)
    there = np.stack([0.25 * x, 0.25 * y], axis=-1).astype(np.float32)
    back = np.stack([-0.2 * x, -0.2 * y], axis=-1).astype(np.float32)
    assert printed_cycle_error(there, back) < 0.02
    # The released code cuts the way back as well, so what leaves the cut comes back wrong.
    assert cycle_error(there, back) > 0.3


def test_prompts_of_layouts_that_stay():
    world = WorldSpec(
        visual_movement="static",
        visual_style="photorealistic",
        style="anime",
        camera_path=("push_in", "pan_left"),
        image="static/photorealistic/images/city/000.png",
        scene_type="outdoor",
        content_list=("A, a", "B, b", "C, c", "surplus, d"),
        prompt_list=("Hall", "Pier", "Attic", "surplus"),
    )
    assert world.prompts_for("i2v")[0] == f"Camera push in. Pier. anime. {MOTIONLESS}"
    assert world.prompts_for("i2v", "paper") == [
        f"Camera push in. Hall. anime. {MOTIONLESS}",
        f"Camera pan left. Attic. anime. {MOTIONLESS}",
    ]
