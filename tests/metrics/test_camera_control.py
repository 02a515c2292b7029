"""Camera control: known paths in, known scores out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition
from worldgauge.core.errors import NotApplicable
from worldgauge.metrics.camera import camera_control, rotation_error


def _path(degrees: np.ndarray) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    poses[:, :3, :3] = Rotation.from_euler("y", degrees[:, None], degrees=True).as_matrix()
    return poses


PAN = np.concatenate([np.linspace(0, 80, 10), np.linspace(80, 0, 10)])


@pytest.fixture
def case(tmp_path: Path) -> Case:
    CameraPath(_path(PAN)).save(tmp_path / "camera.npz")
    return Case(id="pan", condition=Condition(camera="camera.npz")).at(tmp_path)


@pytest.mark.parametrize(("share", "score"), [(1.0, 1.0), (0.75, 0.75), (0.5, 0.5), (0.0, 0.0), (-1.0, 0.0)])
def test_the_executed_share_of_a_pan_is_the_score(case: Case, share: float, score: float) -> None:
    path = {"poses": _path(share * PAN)}
    assert camera_control.function(case, path).value == pytest.approx(score, abs=1e-9)
    assert rotation_error.function(case, path).value == pytest.approx((1 - share) * PAN.mean(), abs=1e-6)


def test_only_the_motion_from_the_first_view_counts(case: Case) -> None:
    turned = _path(np.full(len(PAN), 30.0)) @ _path(PAN)
    assert camera_control.function(case, {"poses": turned}).value == pytest.approx(1.0)


def test_a_path_that_does_not_turn_is_not_judged(tmp_path: Path) -> None:
    CameraPath(_path(np.zeros(5))).save(tmp_path / "camera.npz")
    still = Case(id="still", condition=Condition(camera="camera.npz")).at(tmp_path)
    with pytest.raises(NotApplicable, match="hardly turns"):
        camera_control.function(still, {"poses": _path(np.zeros(5))})
