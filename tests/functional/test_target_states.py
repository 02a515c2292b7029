"""States of a target: distances in its own sizes, and what a process at a stand is worth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from worldgauge.core.case import Case, Phases, Reference
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.functional.target_states import (
    States,
    colours_apart,
    distances,
    evolution,
    of_the_moment,
    stalled,
    state_of,
)


def _states(x: np.ndarray, size: float = 0.1) -> States:
    count = len(x)
    place = np.stack([x, np.full(count, 0.5)], -1)
    return States(place, np.where(np.isnan(x), np.nan, size), np.zeros((count, 8, 8, 3)))


def _arrays(states: States) -> dict[str, np.ndarray]:
    usable = np.ones(len(states.size), bool)
    return {"place": states.place, "size": states.size, "looks": states.looks, "usable": usable}


def _colour_error(apart: list[float] | np.ndarray, usable: list[bool] | np.ndarray | None = None) -> Measurement:
    apart = np.asarray(apart, np.float64)
    used = np.ones(len(apart), bool) if usable is None else np.asarray(usable)
    arrays = {"apart": apart, "shown": np.ones(len(apart), bool), "usable": used}
    measured: Measurement = METRICS.get("target_colour_error").function(Case(id="x"), arrays)
    return measured


def test_a_square_is_where_and_as_large_as_it_is() -> None:
    frame, mask = np.zeros((100, 160, 3), np.uint8), np.zeros((100, 160), bool)
    mask[20:40, 60:80] = True
    frame[mask] = (200, 30, 30)
    place, size, looks = state_of(frame, mask)
    assert place.tolist() == [0.7, 0.3] and size == pytest.approx(0.2)
    np.testing.assert_allclose(looks.reshape(-1, 3), np.tile([110, 191, 173], (64, 1)), atol=1)
    assert np.isnan(state_of(frame, np.zeros_like(mask))[1])


def test_distance_counts_in_sizes_of_the_target() -> None:
    true = _states(np.array([0.2, 0.3, np.nan]))
    np.testing.assert_allclose(distances(_states(np.array([0.3, 0.3, 0.3])), true), [1, 0, np.nan])
    grown = States(true.place, 2 * true.size, true.looks)
    assert distances(grown, true)[0] == pytest.approx(np.log(2))


def test_a_stand_is_carried_along_by_a_turning_camera() -> None:
    angle = np.radians(10)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, :3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    lens = np.array([[1.4, 0, 0.9], [0, 1.4, 0.5], [0, 0, 1]])
    kept = stalled(_states(np.array([0.9, 0.4])), np.array([0, 0]), poses, lens)
    # The camera turns right: what was in the middle goes left by the tangent of the angle.
    np.testing.assert_allclose(kept.place[1], [0.9 - 1.4 * np.tan(angle), 0.5], atol=1e-9)


@pytest.mark.parametrize(("speed", "value"), [(1.0, 1.0), (0.5, 0.5), (0.0, 0.0), (-1.0, 0.0)])
def test_evolution_is_the_share_of_the_process_that_went_on(speed: float, value: float) -> None:
    time = np.arange(20.0)
    true = _arrays(_states(0.2 + 0.03 * time))
    case = Case(id="x")
    measured = METRICS.get("state_evolution").function(case, _arrays(_states(0.2 + speed * 0.03 * time)), true)
    assert measured.value == pytest.approx(value, abs=0.06)


def test_after_a_return_only_what_happened_unseen_counts() -> None:
    time = np.arange(20.0)
    true = 0.2 + 0.03 * time
    true[8:12] = np.nan
    reset = np.where(time >= 12, true - 0.03 * 4, true)
    case = Case(id="x", reference=Reference(phases=Phases(gone=8, back=12)))
    function = METRICS.get("state_evolution").function
    full, lagging = (function(case, _arrays(_states(x)), _arrays(_states(true))).value for x in (true, reset))
    assert full == 1.0 and lagging < 0.15
    lost = function(case, _arrays(_states(np.where(time >= 12, np.nan, true))), _arrays(_states(true)))
    assert lost.value == 0.0 and "without the target" in lost.reason


def test_a_reference_without_its_target_is_unscored() -> None:
    nothing = _arrays(_states(np.full(20, np.nan)))
    with pytest.raises(Unscored):
        METRICS.get("state_evolution").function(Case(id="x"), nothing, nothing)
    with pytest.raises(Unscored):
        _colour_error([np.nan] * 20)


def test_colours_are_those_of_the_same_pixels_where_two_outlines_are_at_one_place() -> None:
    mask = np.zeros((40, 60), bool)
    mask[10:30, 20:40] = True
    candle = np.full((40, 60, 3), (40, 130, 60), np.uint8)
    candle[10:30, 20:40], candle[10:15, 20:40] = (200, 30, 30), (230, 230, 230)
    # An outline that leaves out the white top has another mean colour, but the thing has not.
    assert colours_apart(candle, candle, mask & (np.arange(40)[:, None] >= 15), mask) == 0
    # Elsewhere only each thing's own pixels are compared.
    aside = np.roll(candle, 20, 1)
    assert colours_apart(aside, candle, np.roll(mask, 20, 1), mask) == 0
    grey, light = (np.full((40, 60, 3), tone, np.uint8) for tone in (119, 138))
    lab = [cv2.cvtColor(image, cv2.COLOR_RGB2LAB)[0, 0].astype(float) for image in (grey, light)]
    assert colours_apart(light, grey, mask, mask) == pytest.approx(np.linalg.norm(lab[0] - lab[1]))
    assert np.isnan(colours_apart(grey, grey, mask, np.zeros_like(mask)))


@pytest.mark.parametrize("lost", [[2, 3], [16, 17, 18, 19], [7, 12]])
def test_a_stand_earns_nothing_by_hiding_a_part_of_the_clip(lost: list[int]) -> None:
    changed, used = np.linspace(0.3, 3.0, 20), np.ones(20, bool)
    used[lost] = False
    assert evolution(changed, changed, used) == pytest.approx(0, abs=1e-9)
    half = evolution(changed / 2, changed)
    assert evolution(changed / 2, changed, used) == pytest.approx(half, abs=0.02)
    assert np.isnan(evolution(changed, changed, np.zeros(20, bool)))


def test_one_frame_right_behind_a_gap_does_not_decide() -> None:
    changed, used = np.full(9, 2.0), np.arange(9) != 3
    apart = np.zeros(9)
    apart[4] = 2.0
    assert evolution(apart, changed) == pytest.approx(8 / 9)
    assert evolution(apart, changed, used) == 1
    # Nor behind one with which the frames that are asked begin.
    assert evolution(apart[3:], changed[3:], used[3:]) == 1
    # What goes on behind the gap does.
    apart[5] = 2.0
    assert evolution(apart, changed, used) < 0.9


def test_a_process_that_hardly_changes_is_asked_for_half_a_size() -> None:
    assert evolution(np.full(5, 0.25), np.full(5, 0.01)) == pytest.approx(0.8)
    # As close as a track can tell.
    assert evolution(np.full(5, 0.1), np.full(5, 0.01)) == 1.0


def test_colours_of_a_frame_or_two_are_those_around_them_and_a_change_that_lasts_counts() -> None:
    leaking, other = np.zeros(20), np.zeros(20)
    leaking[[6, 7]], other[12:] = 50.0, 30.0
    assert _colour_error(leaking).value == 0.0
    assert _colour_error(other).value == pytest.approx(30 * 8 / 19, rel=1e-6)
    assert np.isnan(of_the_moment(np.array([1.0, np.nan, 1.0]))[1])


def test_frames_that_are_not_usable_have_the_colours_of_those_around_them() -> None:
    drifting = np.arange(20.0)
    whole, usable = _colour_error(drifting).value, np.ones(20, bool)
    usable[[17, 18]] = False
    lost = _colour_error(np.where(usable, drifting, np.nan), usable)
    assert lost.value == pytest.approx(whole, abs=0.1) and lost.left_out == pytest.approx(0.1)
    # Of a stretch that is not seen at all nothing can be said.
    usable[8:] = False
    with pytest.raises(Unscored, match="8 of 20 frames that should show"):
        _colour_error(np.where(usable, drifting, np.nan), usable)


def test_frames_that_are_not_usable_have_the_state_of_those_around_them() -> None:
    true = _arrays(_states(0.2 + 0.03 * np.arange(20.0)))
    lost = {name: array.copy() for name, array in true.items()}
    lost["place"][[10, 15]] = lost["size"][[10, 15]] = np.nan
    case, state = Case(id="x"), METRICS.get("state_evolution").function
    assert state(case, lost, true).value < 0.9
    lost["usable"][[10, 15]] = False
    found = state(case, lost, true)
    assert found.value == pytest.approx(1.0) and found.left_out == pytest.approx(2 / 15)
    lost["usable"][6:14] = False
    with pytest.raises(Unscored, match="6 of 15") as refused:
        state(case, lost, true)
    assert refused.value.code == TOO_FEW_FRAMES
