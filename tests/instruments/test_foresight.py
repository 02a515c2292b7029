"""Foretelling where a thing that stands still is seen, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.functional.lens import Lens
from worldgauge.functional.masks import Mask, iou
from worldgauge.instruments.pocket import foresight
from worldgauge.instruments.pocket.poses import Trajectory

LENS = Lens(200.0, (80.0, 45.0), (160, 90))
PLACE, RADIUS = np.array([0.3, 0.1, 2.0]), 0.25
FRAMES = 12
GREY, RED = (90, 95, 90), (200, 30, 30)


def look_at(centre: tuple[float, float, float], yaw: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = [[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]]
    pose[:3, 3] = centre
    return pose


def disc(pose: np.ndarray) -> Mask:
    """A ball's picture, near enough, for one that is small against its distance."""
    x, y, z = (np.linalg.inv(pose) @ np.array([*PLACE, 1.0]))[:3]
    rows, columns = np.mgrid[0:90, 0:160] + 0.5
    u, v = LENS.focal * x / z + LENS.centre[0], LENS.focal * y / z + LENS.centre[1]
    return np.asarray((z > 0) & (np.hypot(columns - u, rows - v) < LENS.focal * RADIUS / z))


# Eight steps forward, then round to the other side: the ball is seen again from behind.
POSES = np.array([look_at((0.1 * k, 0.0, 0.05 * k), 0.0) for k in range(8)] + [look_at((0.6, 0.0, 4.0), np.pi)] * 4)


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> Trajectory:
    known = Trajectory(
        POSES.copy(),
        LENS,
        "given",
        np.ones(FRAMES),
        np.zeros(FRAMES),
        np.zeros(FRAMES - 1),
        np.ones(FRAMES - 1),
        moves=True,
        placed=np.ones(FRAMES, bool),
    )
    monkeypatch.setattr(foresight.BundlePoses, "trajectory", lambda self, frames: known)
    return known


def frames_with(colour: tuple[int, int, int] | None) -> list[np.ndarray]:
    """Grey pictures; after the return a ball of that colour, if any."""
    pictures = []
    for pose in POSES:
        picture = np.broadcast_to(np.uint8(GREY), (90, 160, 3)).copy()
        if colour is not None:
            picture[disc(pose)] = colour
        pictures.append(picture)
    return pictures


def sure() -> list[tuple[int, Mask]]:
    return [(k, disc(POSES[k])) for k in range(8)]


def test_place_and_size_come_from_the_sights(path: Trajectory) -> None:
    standing = foresight._standing(path, sure())
    assert standing is not None
    assert standing.place == pytest.approx(PLACE, abs=0.02)
    assert standing.size == pytest.approx(np.sqrt(np.pi) * RADIUS, rel=0.02)


def test_a_thing_with_other_colours_is_found_from_the_other_side(path: Trajectory) -> None:
    agreement, found = foresight.recall_by_path(frames_with(RED), sure(), range(8, FRAMES))
    assert sorted(found) == [8, 9, 10, 11]
    assert all(iou(mask, disc(POSES[frame])) > 0.85 for frame, mask in found.items())
    assert agreement > 0.85


@pytest.mark.parametrize("yaw", [-0.12, 0.12])
def test_a_path_that_is_off_by_half_a_size_still_finds_it_and_is_believed_less(path: Trajectory, yaw: float) -> None:
    path.poses[8:] = look_at((0.6, 0.0, 4.0), np.pi + yaw)
    agreement, found = foresight.recall_by_path(frames_with(RED), sure(), range(8, FRAMES))
    assert all(iou(mask, disc(POSES[frame])) > 0.85 for frame, mask in found.items())
    assert 0.75 < agreement < 0.95


def test_an_empty_place_draws_no_outline(path: Trajectory) -> None:
    agreement, _ = foresight.recall_by_path(frames_with(None), sure(), range(8, FRAMES))
    assert agreement < 0.5


def test_a_wall_along_the_edge_is_no_outline(path: Trajectory) -> None:
    frames = frames_with(None)
    for frame in frames[8:]:
        frame[:, 100:] = RED
    agreement, _ = foresight.recall_by_path(frames, sure(), range(8, FRAMES))
    assert agreement < 0.74


def test_without_parallax_there_is_no_place(path: Trajectory) -> None:
    alike = [(0, disc(POSES[0]))] * 4
    assert foresight._standing(path, alike) is None
