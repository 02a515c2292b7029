"""Where a target would be whose clock stood still: points on straight paths, seen by known cameras."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldgauge.functional.stalled import carried_along, stalled_place

LENS = np.array([[200.0, 0, 160], [0, 200.0, 90], [0, 0, 1]])
FRAMES, GONE, BACK = 40, 12, 28


def turned(degrees: float, stand: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    """A camera (OpenCV axes) turned to the right about its vertical."""
    angle, pose = math.radians(degrees), np.eye(4)
    pose[:3, :3] = [[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]]
    pose[:3, 3] = stand
    return pose


def seen(point: np.ndarray, pose: np.ndarray) -> np.ndarray:
    ray = LENS @ (pose[:3, :3].T @ (point - pose[:3, 3]))
    return ray[:2] / ray[2]


def track(points: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """Pixels (N, 2), NaN while the target is gone."""
    places = np.array([seen(point, pose) for point, pose in zip(points, poses, strict=True)])
    places[GONE:BACK] = np.nan
    return places


def rolling(speed: float) -> np.ndarray:
    return np.array([[-0.6 + speed * frame, 0.4, 5.0] for frame in range(FRAMES)])


def test_carried_along_follows_the_camera() -> None:
    # The camera turns right by ten degrees, so what was ahead lies ten degrees to the left.
    place = carried_along(np.array([160.0, 90.0]), np.eye(4), turned(10), LENS)
    assert place == pytest.approx([160 - 200 * math.tan(math.radians(10)), 90])


def test_a_path_before_leaving_is_continued_at_the_lagging_time() -> None:
    poses = np.stack([turned(10 * math.sin(frame / 6)) for frame in range(FRAMES)])
    points, now = rolling(0.03), 33
    expected = seen(points[now - (BACK - GONE)], poses[now])
    assert stalled_place(track(points, poses), poses, LENS, GONE, BACK, now) == pytest.approx(expected, abs=0.5)


def test_sightings_from_other_stands_are_not_mixed_in() -> None:
    """A hanging thing that falls unseen, passed by a camera that walks forward and steps back."""
    stands = np.concatenate([np.zeros(6), np.linspace(0, 4, 14), np.linspace(4, 0, 14), np.zeros(6)])
    poses = np.stack([turned(0, (0, 0, stand)) for stand in stands])
    points = np.tile([0.8, -0.9, 6.0], (FRAMES, 1))
    points[20:, 1] = 0.9
    now = FRAMES - 2
    expected = seen(points[0], poses[now])
    assert stalled_place(track(points, poses), poses, LENS, GONE, BACK, now) == pytest.approx(expected, abs=0.5)


def test_a_path_is_followed_back_where_the_camera_never_stood_here_before() -> None:
    poses = np.stack([turned(0) if frame < BACK else turned(20, (2, 0, 0)) for frame in range(FRAMES)])
    points, now = rolling(0.02), 33
    expected = seen(points[now - (BACK - GONE)], poses[now])
    assert stalled_place(track(points, poses), poses, LENS, GONE, BACK, now) == pytest.approx(expected, abs=1.0)
    points[:] = points[0]
    lost = np.full((FRAMES, 2), np.nan)
    assert np.isnan(stalled_place(lost, poses, LENS, GONE, BACK, now)).all()


def test_two_sightings_make_a_path_and_one_does_not() -> None:
    poses = np.stack([turned(0) for _ in range(FRAMES)])
    places = np.full((FRAMES, 2), np.nan)
    places[10], places[11] = (100, 50), (103, 52)
    now = 30
    # Sixteen frames out of view: the path is continued to frame 14.
    assert stalled_place(places, poses, LENS, GONE, BACK, now) == pytest.approx([112, 58])
    places[10] = np.nan
    assert np.isnan(stalled_place(places, poses, LENS, GONE, BACK, now)).all()
    places[30], places[32] = (200, 80), (206, 84)
    assert stalled_place(places, poses, LENS, GONE, BACK, now) == pytest.approx([200 - 16 * 3, 80 - 16 * 2])
