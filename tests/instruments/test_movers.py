"""Things that move by themselves: found by what the rest of the picture agrees on, and kept out of the poses."""

import numpy as np
import pytest

from instruments.billboards import LENS, WALL, Card, film, slide
from worldgauge.functional import pose
from worldgauge.instruments.pocket.corner_tracks import Tracks
from worldgauge.instruments.pocket.movers import Movers, find_movers, misfits, without_movers
from worldgauge.instruments.pocket.poses import BundlePoses
from worldgauge.instruments.pocket.two_view import Step, fit_step

FORWARD = np.array([0.0, 0.0, 1.0])


def in_two_frames(here: np.ndarray, there: np.ndarray) -> Tracks:
    count = len(here)
    return Tracks(np.repeat([0, 1], count), np.tile(np.arange(count), 2), np.concatenate([here, there]), 2)


def advancing_past(crossing: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels in two frames of 90 static points seen by a camera that advances, then of `crossing` that move aside."""
    random = np.random.default_rng(1)
    static = np.column_stack([random.uniform(-2.4, 2.4, 90), random.uniform(-1.6, 1.6, 90), random.uniform(4, 7, 90)])
    moving = np.column_stack(
        [random.uniform(-0.8, -0.3, crossing), random.uniform(0, 0.5, crossing), np.full(crossing, 3)]
    )
    before = np.concatenate([static, moving])
    after = np.concatenate([static, moving + np.array([0.9, 0.0, 0.0])]) - 0.6 * FORWARD
    seen = [LENS.focal * points[:, :2] / points[:, 2:] + np.asarray(LENS.centre) for points in (before, after)]
    return seen[0], seen[1] + random.normal(0, 0.1, seen[1].shape)


def sideways(here: np.ndarray, there: np.ndarray) -> Step:
    """The wrong reading: what crosses is near, and the camera steps aside."""
    found = fit_step(here[80:], there[80:], LENS)
    assert found is not None
    return found


def test_what_crosses_is_found_even_when_the_first_reading_believes_it() -> None:
    here, there = advancing_past(20)
    wrong = sideways(here, there)
    assert abs(wrong.direction @ FORWARD) < 0.8
    found = find_movers(in_two_frames(here, there), 0, 1, wrong, LENS)
    assert found is not None
    assert set(found.tracks) == set(range(90, 110))


def test_a_static_scene_has_no_movers() -> None:
    here, there = advancing_past(0)
    step = fit_step(here, there, LENS)
    assert step is not None
    assert find_movers(in_two_frames(here, there), 0, 1, step, LENS) is None


def test_misfits_are_pixels_and_know_ahead_from_behind() -> None:
    here, there = advancing_past(20)
    advance = Step(np.eye(3), FORWARD, 1.0, np.ones(110, bool), np.ones(110))
    assert np.median(misfits(here, there, advance, LENS)[:90]) < 0.2
    assert misfits(here, there, advance, LENS)[90:].min() > 10
    retreat = Step(np.eye(3), -FORWARD, 1.0, np.ones(110, bool), np.ones(110))
    # A retreat would draw points towards the middle; the nearest a static point comes is not moving at all.
    still = np.linalg.norm(there - here, axis=1)[:90]
    assert misfits(here, there, retreat, LENS)[:90] == pytest.approx(still, abs=0.05)


def test_corners_among_the_movers_go_with_them() -> None:
    square = np.array([[100.0, 60], [140, 60], [140, 100], [100, 100]])
    inside, outside = np.array([[120.0, 80]]), np.array([[30.0, 30]])
    everything = np.concatenate([square, inside, outside])
    tracks = in_two_frames(everything, everything + 3)
    left = without_movers(tracks, [Movers(0, 1, np.arange(4))], LENS)
    assert set(left.track) == {5}
    assert without_movers(tracks, [], LENS) is tracks


@pytest.mark.parametrize(("advance", "crossing", "near", "side"), [(0.8, 1.6, 3.0, 1.2), (1.0, 2.4, 3.5, 1.6)])
def test_a_camera_that_advances_behind_crossing_traffic(
    advance: float, crossing: float, near: float, side: float
) -> None:
    """Most of the view is one wall, which any motion explains passably; consensus alone is 50 to 70 degrees off."""
    true = slide(20, 0.0, advance)
    scene = (*WALL, Card(1.3, 0.7, 5.0, 0.8, 3), Card(-1.5, -0.8, 4.6, 0.8, 5))
    where = np.linspace(-crossing / 2, crossing / 2, 20)
    frames = [film(one[None], (*scene, Card(x, 0.3, near, side, 7)))[0][0] for one, x in zip(true, where, strict=True)]
    found = BundlePoses().trajectory(frames, LENS)
    assert found.moves
    assert np.nanmedian(pose.direction_errors(found.poses, true)) < 10
