"""Paths that rest on one part of the picture, told on points whose true motion is known."""

import numpy as np
import pytest

from instruments.billboards import pan, slide
from worldgauge.functional.lens import Lens
from worldgauge.functional.projection import State
from worldgauge.instruments.pocket.corner_tracks import LEAST_LINKS, Tracks
from worldgauge.instruments.pocket.doubt import NOISE, PLACES, summed, sway, torn
from worldgauge.instruments.pocket.odometry import observe
from worldgauge.instruments.pocket.poses import MOST_SWAY
from worldgauge.instruments.pocket.solve import NO_TIES, Solution

LENS = Lens(260.0, (160.0, 90.0), (320, 180))
FRAMES = 21
ALL = np.arange(FRAMES)


def seen(poses: np.ndarray) -> Tracks:
    """200 points of a room."""
    random = np.random.default_rng(2)
    room = random.uniform((-4, -2, 4), (4, 2, 9), (200, 3))
    rows = []
    for k, pose in enumerate(poses):
        local = (room - pose[:3, 3]) @ pose[:3, :3]
        pixel = LENS.focal * local[:, :2] / local[:, 2:] + LENS.centre + random.normal(0, 0.1, (200, 2))
        inside = np.flatnonzero((local[:, 2] > 0.2) & (pixel > 0).all(1) & (pixel < LENS.size).all(1))
        rows.append((np.full(len(inside), k), inside, pixel[inside]))
    frame, track, pixel = (np.concatenate(column) for column in zip(*rows, strict=True))
    return Tracks(frame, track, pixel, len(poses))


def solved(tracks: Tracks, poses: np.ndarray, *, moves: bool) -> Solution:
    obs, track = observe(tracks, np.arange(tracks.frames), LENS)
    state = State(poses[:, :3, :3], poses[:, :3, 3], np.full(len(obs.anchor), 0.2), LENS.focal)
    return Solution(obs, track, state, LENS, moves, NO_TIES)


@pytest.mark.parametrize("moves", [False, True])
def test_a_true_path_does_not_sway(moves: bool) -> None:
    poses = slide(FRAMES, 1.2, 0.6, 10.0) if moves else pan(np.linspace(0, 20, FRAMES))
    tracks = seen(poses)
    found = sway(tracks, solved(tracks, poses, moves=moves), ALL, FRAMES)
    assert len(found) == PLACES
    assert summed(found, FRAMES) < 0.5


def test_a_bent_path_sways_by_as_much_as_it_is_bent() -> None:
    true = slide(FRAMES, 1.2, 0.6, 10.0)
    tracks = seen(true)
    bent = true @ pan(np.arange(FRAMES) * 1.0)
    found = sway(tracks, solved(tracks, bent, moves=True), ALL, FRAMES)
    assert np.median(found) == pytest.approx(2.0, abs=0.3), "one degree a frame, two frames apart"
    assert summed(found, FRAMES) == pytest.approx((2.0 - NOISE) * FRAMES / 2, rel=0.25)
    assert summed(found, FRAMES) > MOST_SWAY


def without(whole: Tracks, lost: list[int]) -> tuple[Tracks, np.ndarray]:
    """The tracks of a clip that lost frames, and those that are left."""
    kept = np.delete(ALL, lost)
    left = whole.only(np.isin(whole.frame, kept))
    number = np.searchsorted(kept, left.frame)
    return Tracks(number, left.track, left.pixel, len(kept), leaps=np.diff(kept) > 1), kept


def swayed(poses: np.ndarray, bent: np.ndarray, lost: list[int]) -> float:
    """Of a path that is bent in a clip that lost frames."""
    left, kept = without(seen(poses), lost)
    return summed(sway(left, solved(left, bent[kept], moves=True), kept, FRAMES), FRAMES)


def test_missing_frames_do_not_move_the_places_that_are_looked_at() -> None:
    poses = slide(FRAMES, 1.2, 0.6, 10.0)
    # Bent in the last frames alone.
    bent = poses @ pan(np.maximum(0.0, np.arange(FRAMES) - 15.0))
    whole = seen(poses)
    full = sway(whole, solved(whole, bent, moves=True), ALL, FRAMES)
    for lost in ([4, 5], [1]):
        left, kept = without(whole, lost)
        less = sway(left, solved(left, bent[kept], moves=True), kept, FRAMES)
        assert less[-6:] == pytest.approx(full[-6:], abs=0.05), lost
        assert summed(less, FRAMES) == pytest.approx(summed(full, FRAMES), rel=0.2), lost


@pytest.mark.parametrize("lost", [[13, 16, 19], [14, 17, 20], [19, 20], [18, 19, 20]])
def test_no_doubt_is_escaped_by_losing_frames_where_the_path_is_bent(lost: list[int]) -> None:
    poses = slide(FRAMES, 1.2, 0.6, 10.0)
    bent = poses @ pan(1.5 * np.maximum(0.0, np.arange(FRAMES) - 12.0))
    assert swayed(poses, bent, []) > MOST_SWAY
    assert swayed(poses, bent, lost) > MOST_SWAY
    assert swayed(poses, poses, lost) < 0.5


@pytest.mark.parametrize("common", [LEAST_LINKS, 15, 40])
def test_a_leap_is_checked_by_as_few_corners_as_join_it(common: int) -> None:
    pixel = np.random.default_rng(0).uniform(10, 170, (160, 2)) * [1.7, 1]
    behind = np.concatenate([np.arange(common), np.arange(100, 160)])
    ids = [np.arange(60) if k < 4 else behind for k in range(8)]
    frame = np.repeat(np.arange(8), [len(i) for i in ids])
    tracks = Tracks(frame, np.concatenate(ids), pixel[np.concatenate(ids)], 8, leaps=np.arange(7) == 3)
    stands, leaps = pan(np.zeros(8)), pan(np.repeat([0.0, 30.0], 4))
    assert torn(tracks, solved(tracks, stands, moves=False)) < 0.1
    assert torn(tracks, solved(tracks, leaps, moves=False)) == pytest.approx(30, abs=0.5)


def test_too_few_points_tell_nothing() -> None:
    true = slide(FRAMES, 1.2)
    tracks = seen(true)
    few = tracks.track < 12
    sparse = Tracks(tracks.frame[few], tracks.track[few], tracks.pixel[few], tracks.frames)
    assert not sway(sparse, solved(sparse, true, moves=True), ALL, FRAMES).any()
    assert summed(np.zeros(0), 2) == 0
