"""What is done to frames before corners are followed."""

import numpy as np
import pytest

from instruments.billboards import LENS, film, slide
from worldgauge.functional import pose
from worldgauge.instruments.pocket.poses import BundlePoses
from worldgauge.instruments.pocket.prepare import FLICKER, GRAIN, grain, without_flicker


def grainy(frames: np.ndarray, levels: float) -> list[np.ndarray]:
    random = np.random.default_rng(3)
    return [np.clip(f + random.normal(0, levels, f.shape), 0, 255).astype(np.uint8) for f in frames]


@pytest.mark.parametrize("levels", [4.0, 8.0, 16.0])
def test_grain_is_measured_in_grey_levels(levels: float) -> None:
    ramp = np.tile(np.linspace(60, 190, 200), (150, 1))
    noisy = ramp + np.random.default_rng(1).normal(0, levels, (5, *ramp.shape))
    assert grain(list(np.rint(noisy).astype(np.uint8))) == pytest.approx(levels, rel=0.08)


def test_texture_is_not_grain() -> None:
    greys = [frame.mean(axis=2).astype(np.uint8) for frame in film(slide(4, 0.4))[0]]
    assert grain(greys) < GRAIN


def test_steady_light_is_left_alone_and_jumping_light_taken_away() -> None:
    picture = film(slide(1, 0.0))[0][0].mean(axis=2)
    fading = [np.clip(picture * (1 - 0.01 * k), 0, 255).astype(np.uint8) for k in range(10)]
    assert without_flicker(fading) is fading
    jumping = [np.clip(picture + (8 if k % 2 else 0), 0, 255).astype(np.uint8) for k in range(10)]
    assert np.median(np.abs(np.diff([g.mean() for g in jumping], 2))) > FLICKER
    steady = without_flicker(jumping)
    assert np.abs(steady[0].astype(int) - steady[1]).mean() < 0.5


def test_a_moving_camera_in_grain() -> None:
    true = slide(20, 0.0, 0.9)
    found = BundlePoses().trajectory(grainy(film(true)[0], 18), LENS)
    assert found.moves
    assert np.nanmedian(pose.direction_errors(found.poses, true)) < 6
