"""Camera metrics from poses to number: closed forms, and paths that give no score."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition, Phases, Reference
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.metric import METRICS


def test_camera_metrics_against_closed_forms(tmp_path: Path) -> None:
    angles = np.concatenate([np.linspace(0, 30, 11), np.linspace(30, 0, 11)[1:]])
    requested, frozen, drifting = pan(angles), pan(np.zeros(21)), pan(angles + np.arange(21) * 0.5)
    CameraPath(requested).save(tmp_path / "camera.npz")
    case = Case(id="c", condition=Condition(camera="camera.npz")).at(tmp_path)
    length = {"frames": np.array(21)}

    def value(name: str, poses: np.ndarray) -> float:
        extra = [{"likeness": np.array([1.0, 0, 0, 0])}] if name.startswith("memobench/house") else []
        return float(METRICS.get(name).function(case, {"poses": poses}, length, *extra).value)

    assert value("memobench/camera_control", requested) == 1.0
    assert value("memobench/house_camera_control", requested) == 1.0
    # The camera comes back, so the error is measured against the floor of ten degrees.
    assert value("memobench/camera_control", frozen) == 0.0
    rms = math.sqrt((angles**2).mean())
    assert value("memobench/camera_error", frozen) == pytest.approx(rms, abs=1e-3)
    assert value("memobench/house_camera_control", frozen) == pytest.approx(0.0, abs=1e-9)
    assert value("memobench/house_camera_control", pan(-angles)) == 0.0
    drift = 0.5 * math.sqrt(20 * 41 / 6)
    assert value("memobench/camera_control", drifting) == pytest.approx(1 - drift / 10, abs=1e-4)
    assert value("memobench/camera_step_error", drifting) == pytest.approx(0.5, abs=1e-3)
    rotation = METRICS.get("memobench/requested_rotation").function
    assert rotation(case).value == pytest.approx(0, abs=1e-3)
    assert rotation(case, measure="path").value == pytest.approx(60)


@pytest.mark.parametrize(
    ("poses", "problem"),
    [
        (np.tile(np.eye(4), (21, 1, 1)), "stands still"),
        (np.tile(np.eye(4), (1, 1, 1)), "has 1 poses for 2 frames"),
    ],
)
def test_trust_12_a_path_without_motion_or_with_too_few_poses_gives_no_score(
    tmp_path: Path, poses: np.ndarray, problem: str
) -> None:
    np.savez(tmp_path / "camera.npz", poses=poses)
    case = Case(id="c", condition=Condition(camera="camera.npz")).at(tmp_path)
    signals = {"poses": pan(np.arange(21.0))}, {"frames": np.array(21)}
    function = METRICS.get("memobench/camera_control").function
    with pytest.raises(WorldGaugeError, match=rf"camera\.npz {problem}"):
        function(case, *signals, protocol="paper")
    if problem == "stands still":
        assert function(case, *signals).reason == "the requested camera does not turn"


def test_trust_12_a_path_reaches_at_least_to_the_return(tmp_path: Path) -> None:
    CameraPath(pan(np.arange(5.0))).save(tmp_path / "camera.npz")
    reference = Reference(phases=Phases(gone=4, back=9))
    case = Case(id="c", condition=Condition(camera="camera.npz"), reference=reference).at(tmp_path)
    with pytest.raises(WorldGaugeError, match="has 5 poses for 10 frames"):
        METRICS.get("memobench/camera_error").function(case, {"poses": pan(np.arange(21.0))}, {"frames": np.array(21)})


def pan(degrees: np.ndarray) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    angle = np.radians(degrees)
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angle)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angle), -np.sin(angle)
    return poses
