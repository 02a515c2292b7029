"""The rules that name failures, one by one, and the evidence they rest on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldgauge.benchmarks.memobench.formulas.failures import KINDS, name_failures
from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import METRICS
from worldgauge.functional.return_evidence import (
    changed_around,
    changed_share,
    colour_histogram,
    find_like,
    histogram_distance,
    novelty,
    turn_between,
)

FAITHFUL = (
    {f"turn_{phase}": 0.1 for phase in ("visible", "gone", "back")}
    | {f"scenery_{phase}": 0.02 for phase in ("visible", "gone", "back")}
    | {"seen": 1.0, "novel": 0.6, "shift_x": 0.05, "shift_y": 0.0, "from_reset": 1.5, "overlap": 0.9}
    | {"beyond": 0.0, "drift": 0.0}
    | {"looks_true": 0.03, "looks_last": 0.2, "true_change": 0.2}
)
UNSEEN = {"seen": 0.0, "shift_x": math.nan, "shift_y": math.nan, "overlap": 0.0, "looks_true": 0.8}
CASES = {
    "vanish": UNSEEN | {"novel": 0.0},
    "identity_drift": UNSEEN | {"novel": 0.4},
    "state_reset": {"shift_x": 1.8, "from_reset": 0.05, "overlap": 0.0},
    "teleport": {"shift_x": 2.4, "from_reset": 2.0, "overlap": 0.0},
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


def answer(kind: str, changes: dict[str, float]) -> bool | None:
    return name_failures({key: [value] * 3 for key, value in (FAITHFUL | changes).items()})[kind]


@pytest.mark.parametrize(
    ("kind", "lost"),
    [
        ("vanish", "seen"),
        ("identity_drift", "looks_true"),
        ("state_reset", "overlap"),
        ("teleport", "shift_x"),
        ("background", "scenery_back"),
        ("background", "scenery_visible"),
        ("camera_drift", "turn_gone"),
        ("background", "turn_back"),
    ],
)
def test_what_could_not_be_matched_is_not_told(kind: str, lost: str) -> None:
    assert answer(kind, {}) is False
    assert answer(kind, {lost: math.nan}) is None


@pytest.mark.parametrize("lost", ["from_reset", "shift_x"])
def test_a_sign_that_is_not_matched_clears_no_clip_of_a_reset(lost: str) -> None:
    # Far from the true place, in even motion: whether it is where its clock stopped decides between reset and jump.
    assert answer("state_reset", CASES["teleport"]) is False
    assert answer("state_reset", CASES["teleport"] | {lost: math.nan}) is None
    assert answer("teleport", CASES["teleport"] | {lost: math.nan}) is None


@pytest.mark.parametrize("lost", ["looks_last", "true_change"])
def test_looks_of_then_that_are_not_known_leave_a_reset_open(lost: str) -> None:
    other_looks = {"looks_true": 0.3, "looks_last": 0.4, "true_change": 0.3}
    assert answer("state_reset", other_looks) is False
    assert answer("state_reset", other_looks | {lost: math.nan}) is None


def test_another_sign_settles_what_one_leaves_open() -> None:
    assert answer("state_reset", {"overlap": 0.3, "from_reset": math.nan}) is True
    assert answer("state_reset", {"from_reset": math.nan, "looks_last": math.nan}) is False


def test_under_a_drifting_camera_the_rest_is_not_told() -> None:
    assert answer("camera_drift", CASES["camera_drift"]) is True
    for kind in KINDS[:-1]:
        assert answer(kind, CASES["camera_drift"]) is None, kind
    # A target that is still found has not vanished, wherever the camera points.
    assert answer("vanish", {"turn_back": 30.0}) is False


def test_the_metric_gives_no_number_for_what_is_not_told() -> None:
    evidence = {key: np.array([value] * 3) for key, value in (FAITHFUL | CASES["camera_drift"]).items()}
    function = METRICS.get("memobench/failure").function
    assert function(Case(id="c"), evidence, kind="camera_drift").value == 1.0
    with pytest.raises(Unscored, match="camera points elsewhere"):
        function(Case(id="c"), evidence, kind="background")


def test_a_swapped_background_is_not_taken_for_another_target() -> None:
    swapped = UNSEEN | {"novel": 0.05, "beyond": 0.5, "scenery_back": 0.15}
    assert named(swapped) == ["vanish", "background"]


def test_failures_may_come_together() -> None:
    assert named(CASES["teleport"] | CASES["background"]) == ["teleport", "background"]


DRIFTED = {"drift": 0.4}


def test_another_thing_before_it_left_is_another_thing_whatever_its_clock() -> None:
    reset = {"overlap": 0.3, "looks_true": 0.7, "looks_last": 0.7}
    assert answer("identity_drift", reset) is None
    assert named(reset | DRIFTED) == ["identity_drift", "state_reset"]


def test_another_thing_elsewhere_is_a_jump_and_no_disappearance() -> None:
    nothing_there = UNSEEN | {"novel": 0.0, "beyond": 0.0}
    assert named(nothing_there | DRIFTED | {"scenery_back": 0.035}) == ["identity_drift", "teleport"]
    # Without anything new it may be gone or out of sight: neither is told.
    assert named(nothing_there | DRIFTED) == ["identity_drift"]
    assert answer("vanish", nothing_there | DRIFTED) is None
    assert answer("teleport", nothing_there | DRIFTED) is None
    assert named(nothing_there) == ["vanish"]


def test_whether_another_thing_was_reset_is_not_told() -> None:
    assert answer("state_reset", CASES["identity_drift"]) is None


def test_a_little_new_scenery_is_explained_by_a_clock_that_is_behind() -> None:
    assert named(CASES["state_reset"] | {"scenery_back": 0.06}) == ["state_reset"]
    assert named(CASES["state_reset"] | {"scenery_back": 0.12}) == ["state_reset", "background"]


def test_a_found_target_with_other_colours_is_another_thing() -> None:
    assert named({"looks_true": 0.6, "looks_last": 0.6}) == ["identity_drift"]


def test_weak_signs_of_another_thing_count_where_the_looks_were_drifting_in_view() -> None:
    weak = UNSEEN | {"novel": 0.05, "beyond": 0.1}
    assert named(weak) == ["vanish"]
    assert named(weak | {"drift": 0.3}) == ["identity_drift"]


def test_looks_of_then_where_the_truth_has_changed_are_a_reset() -> None:
    assert named({"looks_true": 0.3, "looks_last": 0.05, "true_change": 0.3}) == ["state_reset"]


def test_a_place_that_comes_and_goes_is_another_clock_not_a_jump() -> None:
    steady = {key: [value] * 5 for key, value in (FAITHFUL | CASES["teleport"]).items()}
    swinging = steady | {"shift_x": [3.2, 2.8, 2.4, 1.5, 0.6]}
    assert [kind for kind, shown in name_failures(swinging).items() if shown] == ["state_reset"]


def scene(colour: tuple[int, int, int] | None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    image = rng.integers(90, 130, (60, 80, 3)).astype(np.uint8)
    mask = np.zeros((60, 80), bool)
    mask[20:40, 30:50] = True
    if colour is not None:
        image[mask] = colour
    return image, mask


def test_novelty_sees_whether_something_stands_there() -> None:
    assert novelty(*scene((220, 30, 30))) > 0.8
    assert novelty(*scene(None)) < 0.1


def test_changed_around_sees_another_outline_and_no_shadow() -> None:
    picture, mask = scene((220, 30, 30))
    empty = scene(None)[0]
    assert changed_around(picture, empty, mask) == 0
    wider = empty.copy()
    wider[20:40, 25:55] = (30, 30, 220)
    # Two columns next to the outline are left out of its surroundings: three of five stick out on either side.
    assert changed_around(picture, wider, mask) == pytest.approx(2 * 3 * 20 / 400, abs=0.05)
    shaded = empty.copy()
    shaded[40:44, 30:50] //= 2
    assert changed_around(picture, shaded, mask) < 0.02


def test_find_like_finds_the_picture_elsewhere_and_nothing_where_it_is_missing() -> None:
    picture, mask = scene((220, 30, 30))
    moved = np.roll(picture, (-7, 15), axis=(0, 1))
    assert np.array_equal(find_like(moved, picture, mask), np.roll(mask, (-7, 15), axis=(0, 1)))
    assert not find_like(scene(None)[0], picture, mask).any()
    assert not find_like(scene((30, 30, 220))[0], picture, mask).any()


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
