"""Camera control: known paths in, known scores out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Metric
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.metrics.camera import camera_control, rotation_error


def _path(degrees: np.ndarray) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    poses[:, :3, :3] = Rotation.from_euler("y", degrees[:, None], degrees=True).as_matrix()
    return poses


def _found(degrees: np.ndarray) -> dict[str, np.ndarray]:
    """What the pose signal gives for that path."""
    return {"poses": _path(degrees), "placed": np.ones(len(degrees), bool)}


PAN = np.concatenate([np.linspace(0, 80, 10), np.linspace(80, 0, 10)])


@pytest.fixture
def case(tmp_path: Path) -> Case:
    CameraPath(_path(PAN)).save(tmp_path / "camera.npz")
    return Case(id="pan", condition=Condition(camera="camera.npz")).at(tmp_path)


@pytest.mark.parametrize(("share", "score"), [(1.0, 1.0), (0.75, 0.75), (0.5, 0.5), (0.0, 0.0), (-1.0, 0.0)])
def test_the_executed_share_of_a_pan_is_the_score(case: Case, share: float, score: float) -> None:
    path = _found(share * PAN)
    assert camera_control.function(case, path).value == pytest.approx(score, abs=1e-9)
    assert rotation_error.function(case, path).value == pytest.approx((1 - share) * PAN.mean(), abs=1e-6)


def test_only_the_motion_from_the_first_view_counts(case: Case) -> None:
    turned = _path(np.full(len(PAN), 30.0)) @ _path(PAN)
    assert camera_control.function(case, _found(PAN) | {"poses": turned}).value == pytest.approx(1.0)


def test_frames_that_were_not_placed_are_left_out(case: Case) -> None:
    path = _found(0.5 * PAN)
    lost = [0, 7, 8]
    path["placed"][lost] = False
    path["poses"][lost] = _path(np.array([77.0, 20.0, -160.0]))
    found = rotation_error.function(case, path)
    # What is left begins in frame 1, so the paths are made equal there.
    rest = np.delete(np.abs(PAN - PAN[1]), lost)
    assert found.value == pytest.approx(0.5 * rest.mean(), abs=1e-6)
    assert found.left_out == pytest.approx(3 / 20)
    assert [k for k, error in enumerate(found.curve) if error is None] == lost
    assert found.reason == "3 of 20 frames left out (frames 0, 7-8)"
    assert camera_control.function(case, path).value == pytest.approx(0.5, abs=1e-6)


def test_too_few_frames_of_the_requested_path(case: Case) -> None:
    path = _found(PAN)
    path["placed"][5:] = False
    with pytest.raises(Unscored, match="only 5 of 20 frames"):
        camera_control.function(case, path)


@pytest.mark.parametrize("score", [camera_control, rotation_error])
def test_a_clip_that_is_lost_where_it_should_turn_has_not_shown_that_it_stands_rightly(
    score: Metric, tmp_path: Path
) -> None:
    asked = np.concatenate([np.zeros(12), np.linspace(0, 170, 12)])
    CameraPath(_path(asked)).save(tmp_path / "camera.npz")
    turn = Case(id="turn", condition=Condition(camera="camera.npz")).at(tmp_path)
    stands = _found(np.zeros(24))
    assert camera_control.function(turn, stands).value == 0
    stands["placed"][13:] = False
    with pytest.raises(Unscored, match=r"should turn by 71\.0 deg, but by 0\.0 in the frames that can be") as told:
        score.function(turn, stands)
    assert told.value.code == TOO_FEW_FRAMES


def test_a_path_that_does_not_turn_is_not_judged(tmp_path: Path) -> None:
    CameraPath(_path(np.zeros(5))).save(tmp_path / "camera.npz")
    still = Case(id="still", condition=Condition(camera="camera.npz")).at(tmp_path)
    with pytest.raises(NotApplicable, match="hardly turns"):
        camera_control.function(still, _found(np.zeros(5)))
