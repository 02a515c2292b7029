"""The rules that name failures, one by one, and the evidence they rest on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldgauge.functional.failures import KINDS, name_failures
from worldgauge.functional.return_evidence import (
    carried_along,
    changed_share,
    colour_histogram,
    contrast,
    histogram_distance,
    novelty,
    turn_between,
)

FAITHFUL = (
    {f"turn_{phase}": 0.1 for phase in ("visible", "gone", "back")}
    | {f"scenery_{phase}": 0.02 for phase in ("visible", "gone", "back")}
    | {"seen": 1.0, "standing": 1.0, "novel": 0.6, "away": 0.05, "from_reset": 1.5, "overlap": 0.9}
    | {"looks_true": 0.03, "looks_last": 0.2, "true_change": 0.2}
)
CASES = {
    "vanish": {"seen": 0.0, "novel": 0.0, "away": math.nan, "overlap": 0.0, "looks_true": 0.8},
    "identity_drift": {"seen": 0.0, "novel": 0.4, "away": math.nan, "overlap": 0.0, "looks_true": 0.8},
    "state_reset": {"away": 1.8, "from_reset": 0.05, "overlap": 0.0},
    "teleport": {"away": 2.4, "from_reset": 2.0, "overlap": 0.0},
    "background": {"scenery_back": 0.15},
    "camera_drift": {"turn_back": 30.0, "seen": 0.0, "novel": 0.0, "scenery_back": 0.9},
}


def named(changes: dict[str, float]) -> list[str]:
    evidence = {key: [value] * 3 for key, value in (FAITHFUL | changes).items()}
    return [kind for kind, shown in name_failures(evidence).items() if shown]


def test_a_faithful_clip_shows_none() -> None:
    assert named({}) == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_failure_is_named_alone(kind: str) -> None:
    assert named(CASES[kind]) == [kind]


def test_failures_may_come_together() -> None:
    assert named(CASES["teleport"] | CASES["background"]) == ["teleport", "background"]


def test_a_found_target_with_other_colours_is_another_thing() -> None:
    assert named({"looks_true": 0.6, "looks_last": 0.6}) == ["identity_drift"]


def test_looks_of_then_where_the_truth_has_changed_are_a_reset() -> None:
    assert named({"looks_true": 0.3, "looks_last": 0.05, "true_change": 0.3}) == ["state_reset"]


def scene(colour: tuple[int, int, int] | None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    image = rng.integers(90, 130, (60, 80, 3)).astype(np.uint8)
    mask = np.zeros((60, 80), bool)
    mask[20:40, 30:50] = True
    if colour is not None:
        image[mask] = colour
    return image, mask


def test_contrast_and_novelty_see_whether_something_stands_there() -> None:
    for measure in (contrast, novelty):
        assert measure(*scene((220, 30, 30))) > 0.8
        assert measure(*scene(None)) < 0.1


def test_histogram_distance_tells_colours_apart() -> None:
    red, mask = scene((220, 30, 30))
    blue, _ = scene((30, 30, 220))
    assert histogram_distance(colour_histogram(red, mask), colour_histogram(blue, mask)) > 0.9
    assert histogram_distance(colour_histogram(red, mask), colour_histogram(red, mask)) == pytest.approx(0, abs=1e-6)


def test_changed_share_counts_squares_outside_the_target() -> None:
    image, mask = scene(None)
    other = image.copy()
    other[:12, :24] += 100
    # 60 x 80 leaves 5 x 6 squares of 12; the target covers or touches 3 x 3 of them, two were changed.
    assert changed_share(image, other, mask) == pytest.approx(2 / (30 - 9))
    other[mask] = 0
    assert changed_share(image, other, mask) == pytest.approx(2 / (30 - 9))


def test_turn_between_recovers_a_known_rotation_despite_wrong_matches() -> None:
    rng = np.random.default_rng(1)
    lens = np.array([[200.0, 0, 160], [0, 200.0, 90], [0, 0, 1]])
    angle = math.radians(8)
    rotation = np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
    first = rng.uniform((40, 20), (280, 160), (60, 2))
    rays = np.linalg.inv(lens) @ np.vstack([first.T, np.ones(60)])
    seen = lens @ rotation @ rays
    second = (seen[:2] / seen[2]).T
    second[:15] += rng.uniform(20, 60, (15, 2))
    assert turn_between(first, second, lens) == pytest.approx(8, abs=0.1)
    assert math.isnan(turn_between(first[:5], second[:5], lens))


def test_carried_along_follows_the_camera() -> None:
    lens = np.array([[200.0, 0, 160], [0, 200.0, 90], [0, 0, 1]])
    angle = math.radians(10)
    turned = np.eye(4)
    turned[:3, :3] = [[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]]
    # The camera turns right by ten degrees, so what was ahead lies ten degrees to the left.
    place = carried_along(np.array([160.0, 90.0]), np.eye(4), turned, lens)
    assert place == pytest.approx([160 - 200 * math.tan(angle), 90])
