"""The trajectory score: the golden values of the released code, what only the scale changes, and the house variant."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from worldgauge.benchmarks.worldolympiad.formulas.alignment import aligned_scale
from worldgauge.benchmarks.worldolympiad.formulas.fixed_trajectory import fixed_score
from worldgauge.benchmarks.worldolympiad.formulas.trajectory import compare_profiles
from worldgauge.functional.pose import Similarity

Poses = NDArray[np.float64]


def path(forward: float = 0.0, yaw: float = 0.0, strafe: float = 0.0, count: int = 32) -> Poses:
    """Straight motion in metres and a constant turn in degrees."""
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Rotation.from_euler("y", np.linspace(0, yaw, count)[:, None], degrees=True).as_matrix()
    poses[:, 2, 3], poses[:, 0, 3] = np.linspace(0, forward, count), np.linspace(0, strafe, count)
    return poses


def trembling(poses: Poses, seed: int) -> Poses:
    """0.01 m and 0.3 degrees about every axis, for each pose by itself."""
    random, moved = np.random.default_rng(seed), poses.copy()
    moved[:, :3, :3] = (
        poses[:, :3, :3] @ Rotation.from_rotvec(random.normal(0, np.radians(0.3), (len(poses), 3))).as_matrix()
    )
    moved[:, :3, 3] += random.normal(0, 0.01, (len(poses), 3))
    return moved


STATIC = path()
GOLDEN = [
    (path(10), path(10), 1.000000),
    (path(5), path(10), 0.708761),
    (path(-10), path(10), 0.441617),
    (path(strafe=10), path(10), 0.606994),
    (STATIC, path(10), 0.219700),
    (path(-1), path(1), 0.585567),
    (path(0.3), path(0.3), 0.904837),
    (path(yaw=30), path(yaw=60), 0.314451),
    (path(yaw=-60), path(yaw=60), 0.360018),
    (STATIC, path(yaw=60), 0.202706),
    (path(10, 30), path(10, 60), 0.571532),
    (STATIC, path(10, 60), 0.014004),
    (path(0.3, 5), STATIC, 0.332871),
    (path(yaw=15), path(yaw=15), 0.049787),
    (path(yaw=16), path(yaw=16), 1.000000),
]


@pytest.mark.parametrize(("predicted", "target", "score"), GOLDEN)
def test_golden_values_of_the_released_score(predicted: Poses, target: Poses, score: float) -> None:
    assert compare_profiles(predicted, target).score == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_of_an_alignment_only_the_scale_is_left(seed: int) -> None:
    random = np.random.default_rng(seed)
    predicted, target = trembling(path(3, 40), seed), trembling(path(5, 60), seed + 9)
    turned = Rotation.random(rng=random).as_matrix()
    moved = Similarity(1.7, turned, random.normal(size=3)).poses(predicted)
    whole, scale_only = compare_profiles(moved, target), compare_profiles(predicted, target, 1.7)
    assert whole.translation == pytest.approx(scale_only.translation, abs=1e-12)
    assert whole.score == pytest.approx(scale_only.score, abs=1e-12)


def test_every_branch_is_reached() -> None:
    assert compare_profiles(path(0.05, 3), path(0.05, 3)).near_static
    still_turning = compare_profiles(path(yaw=30), path(yaw=60))
    assert still_turning.score == pytest.approx(0.2 * still_turning.translation + 0.8 * still_turning.rotation)
    straight = compare_profiles(path(5), path(10))
    assert straight.score == pytest.approx(0.8 * straight.translation + 0.2 * straight.rotation)
    both = compare_profiles(path(5, 30), path(10, 60))
    assert both.score == pytest.approx((both.translation + both.rotation) / 2)


def test_a_dolly_against_a_static_reference_is_shrunk_to_its_jitter() -> None:
    reference, dolly = trembling(STATIC, 1), trembling(path(50), 2)
    reference[:, :3, :3] = dolly[:, :3, :3] = np.eye(3)
    reference[:, :3, 3] *= 0.05
    aligned = compare_profiles(dolly, reference, aligned_scale(dolly, reference)).score
    assert aligned > 0.95 > compare_profiles(dolly, reference).score
    assert fixed_score(dolly, reference).score < 0.01


def test_a_path_without_a_shape_is_not_aligned() -> None:
    """One that stands still, or runs along a line, in a world that is turned."""
    turned = np.eye(4)
    turned[:3, :3], turned[:3, 3] = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix(), [1.0, 2.0, 3.0]
    for shapeless in (path(yaw=40), path(4)):
        assert aligned_scale(turned @ shapeless, trembling(path(5, 20), 1)) == 1.0
    assert aligned_scale(turned @ trembling(path(5, 20), 1), trembling(path(10, 20), 1)) != 1.0


def test_the_seed_is_kept() -> None:
    ours, wanted = trembling(path(2, 30), 3), trembling(path(4, -10), 4)
    assert aligned_scale(ours, wanted, 5) == aligned_scale(ours, wanted, 5)


@pytest.mark.parametrize("yaw", range(1, 61))
def test_house_variant_knows_a_copy_of_every_pan(yaw: int) -> None:
    pan = path(yaw=yaw)
    assert fixed_score(pan, pan).score >= 0.99
    both = trembling(pan, yaw)
    assert fixed_score(both, both).score >= 0.99
    assert fixed_score(path(yaw=-yaw), pan).score <= fixed_score(path(yaw=yaw / 2), pan).score
    if yaw >= 5:
        copies = [fixed_score(trembling(pan, seed), reference).score for seed in range(4) for reference in (pan, both)]
        standing = max(fixed_score(STATIC, pan).score, fixed_score(trembling(STATIC, yaw + 99), both).score)
        assert min(copies) >= 0.7
        assert min(copies) - standing >= 0.2


def test_house_variant_of_a_static_reference_falls_with_the_dolly() -> None:
    for reference in (STATIC, trembling(STATIC, 5)):
        scores = [fixed_score(path(metres), reference).score for metres in (5, 7, 10, 20, 50)]
        assert max(scores) < 0.2
        assert scores == sorted(scores, reverse=True) and len(set(scores)) == len(scores)
