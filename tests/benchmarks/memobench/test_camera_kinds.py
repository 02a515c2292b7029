"""Kinds of camera paths, by the camera file and by the prompt: the rows of Table S2."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.benchmarks.memobench.analyses.trajectories import NOT_TOLD, camera_kind
from worldgauge.benchmarks.memobench.data.cases import synthetic_motion
from worldgauge.benchmarks.memobench.formulas.camera_kinds import real_kind, swept, synthetic_kind
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case

STEPS = np.linspace(0, 1, 21)
THERE_AND_BACK = 1 - np.abs(2 * STEPS - 1)


def path(yaw: float = 0.0, pitch: float = 0.0, move: tuple[float, float, float] = (0, 0, 0), back: bool = False):
    """A path whose camera turns right by `yaw` and up by `pitch` degrees, and moves right, down and forward."""
    share = THERE_AND_BACK if back else STEPS
    poses = np.tile(np.eye(4), (len(STEPS), 1, 1))
    for pose, s in zip(poses, share, strict=True):
        a, b = np.radians([yaw * s, pitch * s])
        turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        tilt = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
        pose[:3, :3] = turn @ tilt
        pose[:3, 3] = np.array(move) * s
    return CameraPath(poses)


def test_angles_are_those_of_the_path() -> None:
    found = swept(path(yaw=200, pitch=0))
    assert found.yaw[-1] == pytest.approx(200), "continuous past half a turn"
    assert swept(path(pitch=30)).pitch[-1] == pytest.approx(30)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (path(yaw=-178, move=(100, 0, 500)), "u-turn"),
        (path(yaw=92, move=(300, 0, 600)), "forward"),
        (path(yaw=0, pitch=2, move=(0, 0, 900)), "forward"),
        (path(yaw=70, back=True), "head turn"),
        (path(yaw=-70, move=(5, 0, 5)), "head turn"),
        (path(pitch=35, back=True), "vertical"),
        (path(yaw=10, pitch=-27), "vertical"),
        (path(move=(0, -150, 20), back=True), "vertical"),
    ],
)
def test_synthetic_paths(given: CameraPath, kind: str) -> None:
    assert synthetic_kind(given) == kind


def test_the_world_has_no_say() -> None:
    """The same path in a world that lies on its side."""
    given = path(yaw=92, move=(300, 0, 600))
    side = np.array([[0.0, 0, 1, 4], [1, 0, 0, 5], [0, 1, 0, 6], [0, 0, 0, 1]])
    assert synthetic_kind(CameraPath(side @ given.poses)) == "forward"


@pytest.mark.parametrize(
    ("yaw", "pitch", "kind"),
    [(-36, 3, "pan left"), (31, -5, "pan right"), (2, 38, "tilt up"), (2, -38, "tilt down")],
)
def test_filmed_paths(yaw: float, pitch: float, kind: str) -> None:
    assert real_kind(path(yaw=yaw, pitch=pitch, back=True)) == kind


def test_without_a_camera_file_nothing_is_told() -> None:
    assert camera_kind(Case(id="bare", tags={"data_type": "synthetic"})) == f"synthetic {NOT_TOLD}"


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("A person standing sees a fox (subject). Observer turns the head to the left and re-sees it.", "head turn"),
        ("A person standing sees a bird (subject). Observer looks up and re-sees it.", "vertical"),
        ("A wolf walking forward sees a fox. Observer jumps up and lands.", "forward"),
        ("A person walking forward sees a fox. Observer performs a U-turn.", "u-turn"),
        ("A person standing sees a fox. Observer turns to the right and re-sees it.", "forward"),
        ("", ""),
    ],
)
def test_prompts(prompt: str, kind: str) -> None:
    assert synthetic_motion(prompt) == kind
