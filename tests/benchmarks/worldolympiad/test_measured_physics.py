"""Measured twins of the rules on tracks whose answers are known in closed form."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from worldgauge.benchmarks.worldolympiad.analyses.agreement import ANY, agreements
from worldgauge.benchmarks.worldolympiad.formulas.measured_physics import compression, gravity, impact
from worldgauge.benchmarks.worldolympiad.formulas.measured_reversal import reversal, way_of
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import Course, course_of
from worldgauge.benchmarks.worldolympiad.formulas.thing_states import states_of
from worldgauge.benchmarks.worldolympiad.metrics.measured import measured_gravity, measured_reversal
from worldgauge.benchmarks.worldolympiad.signals.thing_motion import read_motion
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored, WorldGaugeError

FRAMES, SIZE = 33, 30.0
TIME = np.linspace(0, 1, FRAMES)
REST = np.zeros(FRAMES)


def motion(
    height: np.ndarray = REST, surface: np.ndarray | None = None, tall: np.ndarray | float = 1.0, **given: Any
) -> dict[str, np.ndarray]:
    """A thing of SIZE px whose foot and surface are that high, in sizes, seen by a camera that nods and shakes."""
    surface = height if surface is None else surface
    camera = np.cumsum(np.sin(np.arange(FRAMES)) + 0.5)
    bottom = 100 - SIZE * height + camera
    steps = np.diff(camera - SIZE * surface)
    return {
        "top": bottom - SIZE * tall,
        "bottom": bottom,
        "left": np.full(FRAMES, 40.0),
        "right": np.full(FRAMES, 40.0 + SIZE),
        "area": np.full(FRAMES, SIZE**2),
        "cut": np.zeros((FRAMES, 4), bool),
        "bands": np.full((FRAMES, 8, 3), 100.0),
        "foot": steps,
        "lower": steps,
        "ground": np.diff(camera),
        "zoom": np.zeros(FRAMES - 1),
    } | given


def course(*given: Any, **parts: Any) -> Course:
    found = course_of(motion(*given, **parts))
    assert isinstance(found, Course), found
    return found


def bouncing(drop: float = 2.0, flight: int = 8) -> np.ndarray:
    """Free flight between contacts every `flight` frames after a first fall of half that; no speed is lost."""
    phase = (np.arange(FRAMES) + flight / 2) % flight - flight / 2
    return drop * (1 - (2 * phase / flight) ** 2) - drop


def test_the_camera_is_taken_out() -> None:
    found = course(0.4 * TIME)
    np.testing.assert_allclose(found.height, 0.4 * TIME, atol=1e-12)
    assert found.surface is not None
    np.testing.assert_allclose(found.surface, 0.4 * TIME, atol=1e-12)


def test_what_falls_along_a_parabola_obeys_gravity_and_its_bend_is_told() -> None:
    said = gravity(course(-2 * TIME**2))
    assert said.holds is True
    bend = re.search(r"parabola, (-[0-9.]+)", said.reason)
    assert bend is not None and float(bend.group(1)) == pytest.approx(-4 / (FRAMES - 1) ** 2, abs=5e-4)


def test_what_bounces_obeys_gravity() -> None:
    assert gravity(course(bouncing())).holds is True


@pytest.mark.parametrize(
    ("height", "reason"),
    [(REST, "nothing falls"), (-2 * TIME, "without gathering speed"), (0.2 * np.sin(12 * TIME), "nothing falls")],
    ids=["rest", "constant velocity", "swing"],
)
def test_where_nothing_falls_freely_nothing_is_said(height: np.ndarray, reason: str) -> None:
    said = gravity(course(height))
    assert said.holds is None and reason in said.reason


@pytest.mark.parametrize("height", [0.9 * TIME**2, 1.2 * TIME], ids=["accelerating", "constant velocity"])
def test_what_rises_without_slowing_down_breaks_gravity_unless_the_reference_shows_it(height: np.ndarray) -> None:
    assert gravity(course(height)).holds is False
    assert gravity(course(height), course()).holds is False
    lifted = gravity(course(height), course(height))
    assert lifted.holds is None and "as it is in the reference" in lifted.reason


def test_a_surface_that_rises_tells_of_a_rise_where_the_outline_clings_to_the_shadow() -> None:
    rising = 0.9 * TIME**2
    assert gravity(course(REST, rising)).holds is False
    assert gravity(course(REST, rising), course(REST, rising)).holds is None
    half = course(REST, rising, lower=motion()["lower"])
    assert gravity(half).holds is None, "what shrinks from above draws its surface out, but its lower half stays down"


def test_what_turns_round_ever_higher_in_the_air_breaks_gravity_and_ever_deeper_impact() -> None:
    assert gravity(course(bouncing() + 0.8 * TIME)).holds is False
    assert gravity(course(bouncing() + 0.8 * TIME), course(bouncing() + 0.8 * TIME)).holds is not False
    assert impact(course(bouncing() - 0.8 * TIME)).holds is False
    assert impact(course(bouncing())).holds is None


def test_what_is_thrown_up_slows_down() -> None:
    assert gravity(course(4 * (TIME - TIME**2))).holds is True


def test_a_thing_that_sinks_into_the_ground_breaks_impact() -> None:
    """Its foot stays where the ground is, its surface and its top go on down."""
    said = impact(course(REST, -0.4 * TIME, tall=1 - 0.4 * TIME))
    assert said.holds is False and said.amount == pytest.approx(0.4)


def test_a_thing_that_flattens_on_the_ground_does_not() -> None:
    assert impact(course(REST, REST, tall=1 - 0.6 * TIME)).holds is True


def test_a_thing_at_rest_is_held() -> None:
    assert impact(course()).holds is True


def test_a_fall_is_no_sinking_and_says_nothing_of_contact() -> None:
    said = impact(course(-2 * np.clip(3 * TIME - 1, 0, 1) ** 2))
    assert said.holds is None and "as a whole" in said.reason


def test_sinking_in_the_open_is_excused_by_the_reference_alone() -> None:
    lowered = course(-0.5 * TIME)
    assert impact(lowered).holds is False
    assert impact(lowered, course()).holds is False
    assert impact(lowered, lowered).holds is None


def test_a_surface_nobody_can_follow_says_nothing() -> None:
    said = impact(course(foot=np.full(FRAMES - 1, np.nan)))
    assert said.holds is None and "too few corners" in said.reason


def test_growth_needs_a_cause() -> None:
    grown = {"area": SIZE**2 * (1 + TIME), "zoom": np.zeros(FRAMES - 1)}
    larger = course(**grown)
    said = compression(larger, course())
    # Between the medians of the first and the last three frames.
    assert said.holds is False and said.amount == pytest.approx(1.97 / 1.03, rel=0.05)
    assert compression(larger, larger).holds is True
    # The camera comes closer: everything around grows by the same.
    approach = np.diff(np.log(1 + TIME)) / 2
    assert compression(course(area=SIZE**2 * (1 + TIME), zoom=approach), course()).holds is True


def states(*given: Any, **parts: Any) -> np.ndarray:
    found = states_of(motion(*given, **parts))
    assert not isinstance(found, str), found
    return found


def flattening(share: np.ndarray, **parts: Any) -> np.ndarray:
    return states(REST, REST, tall=np.exp(-share), **parts)


def emptying(share: np.ndarray) -> np.ndarray:
    """A thing whose upper half turns from one colour into another."""
    bands = np.full((FRAMES, 8, 3), 100.0)
    bands[:, :4, 1] += 50 * share[:, None]
    return states(bands=bands)


BACKWARDS = np.concatenate([TIME[:20], TIME[20:31][::-1], TIME[31:]])
BELOW_FROM_20 = np.zeros((FRAMES, 4), bool)
BELOW_FROM_20[20:, 1] = True


def test_a_process_that_runs_back_is_told_with_its_share() -> None:
    said = reversal(emptying(BACKWARDS), emptying(TIME))
    assert said.holds is False
    # Of the seven steps of a stretch six, of 32 less one at each end.
    assert said.amount == pytest.approx(6 / 30)
    assert reversal(flattening(BACKWARDS), flattening(TIME)).holds is False
    assert reversal(flattening(TIME), flattening(TIME)).holds is True
    assert reversal(flattening(TIME**2), flattening(TIME)).holds is True, "another pace is no other direction"
    assert reversal(flattening(REST), flattening(TIME)).holds is True, "nor is a stand"


LITTLE = "little of the thing changes for good"
SWELLING = {"tall": 1 + TIME, "right": 40 + SIZE * (1 + TIME), "area": (SIZE * (1 + TIME)) ** 2}


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (states(), LITTLE),
        (states(**SWELLING), LITTLE),
        (states(0.9 * TIME), LITTLE),
        (flattening(np.round(TIME)), LITTLE),
        (flattening((1 - np.cos(5 * np.pi * TIME)) / 2), LITTLE),
        (flattening(np.minimum(TIME * 1.4, 1.6 - TIME * 0.8)), "the process comes and goes"),
    ],
    ids=["rest", "growth", "lift", "jump", "swing", "return"],
)
def test_what_has_no_direction_says_so(reference: np.ndarray, reason: str) -> None:
    said = reversal(reference, reference)
    assert said.holds is None and said.reason == f"no direction: {reason}"


@pytest.mark.parametrize("seed", range(20))
def test_noise_and_jumps_are_no_way_back(seed: int) -> None:
    """Neither a process that goes on nor one that stands is flagged for noise, nor one that is put back at a stroke."""
    noise = np.random.default_rng(seed).standard_normal(FRAMES)
    put_back = TIME - 0.5 * (np.arange(FRAMES) > 10 + seed % 10)
    for share in (TIME + 0.03 * noise, 0.01 * noise, 0.06 * (np.arange(FRAMES) % 2), put_back):
        assert reversal(flattening(share), flattening(TIME)).holds is True


def test_a_slow_way_back_is_told() -> None:
    """A hundredth of the way in each of eight frames; half of that is not."""
    slow, slower = TIME.copy(), TIME.copy()
    slow[20:] = TIME[20] - 0.01 * np.minimum(np.arange(13), 8)
    slower[20:] = TIME[20] - 0.005 * np.minimum(np.arange(13), 8)
    assert reversal(emptying(slow), emptying(TIME)).holds is False
    assert reversal(emptying(slower), emptying(TIME)).holds is True


def test_in_a_long_clip_a_stretch_is_a_quarter_of_it() -> None:
    time = np.linspace(0, 1, 330)
    longer = np.concatenate([time[:200], time[200:301][::-1], time[301:]])
    ours, true = (np.repeat(share[:, None], 3, axis=1) * [-1, 0, 1] for share in (longer, time))
    said = reversal(ours, true)
    assert said.holds is False and said.amount == pytest.approx(80 / 327, rel=0.02)


def test_numbers_that_come_and_go_tell_little() -> None:
    """A candle: the flame, which changes more than the wax, dances; the wax alone tells which way it goes."""
    flame = np.sin(np.arange(FRAMES))[:, None] * [0.5, 0.5]
    true = np.column_stack([REST, REST, TIME, flame + TIME[:, None]])
    dancing = np.column_stack([REST, REST, TIME, -flame + TIME[:, None]])
    back = np.column_stack([REST, REST, BACKWARDS, flame + TIME[:, None]])
    assert way_of(true).worth[2] > 10 * way_of(true).worth[3]
    assert reversal(dancing, true).holds is True
    assert reversal(back, true).holds is False


def test_a_thing_that_the_lower_edge_cuts_is_told_by_its_upper_side() -> None:
    true = flattening(TIME)
    ours = flattening(BACKWARDS, cut=BELOW_FROM_20)
    np.testing.assert_allclose(ours[:, 0], np.exp(-BACKWARDS) - 1, atol=1e-12)
    assert np.isnan(ours[20:, 1:]).all() and np.isfinite(ours[:20]).all()
    assert reversal(ours, true).holds is False
    assert reversal(flattening(TIME, cut=BELOW_FROM_20), true).holds is True


def test_a_camera_that_comes_closer_does_not_make_a_thing_taller() -> None:
    nearer = 1.01 ** np.arange(FRAMES)
    found = states(REST, REST, tall=nearer, zoom=np.full(FRAMES - 1, 0.01))
    np.testing.assert_allclose(found[:, :2], 0, atol=1e-12)


def test_without_the_ground_heights_are_not_known() -> None:
    found = states(ground=np.full(FRAMES - 1, np.nan))
    assert np.isnan(found[:, :2]).all() and np.isfinite(found[:, 2:]).all()


def test_what_is_never_seen_for_long_has_no_verdict() -> None:
    cut = np.zeros((FRAMES, 4), bool)
    cut[::2, :2] = True
    blinking = flattening(TIME, cut=cut)
    said = reversal(blinking, flattening(TIME))
    assert said.holds is None and "fewer than 8 frames in a row" in said.reason
    case = Case(id="c")
    with pytest.raises(Unscored, match="in a row"):
        measured_reversal.function(case, motion(tall=np.exp(-TIME), cut=cut), motion(tall=np.exp(-TIME)))


def test_frames_that_an_edge_cuts_tell_what_is_left() -> None:
    cut = np.zeros((FRAMES, 4), bool)
    cut[:21, 0] = True
    found = states(cut=cut)
    assert found.shape == (FRAMES, 27) and np.isfinite(found[21:]).all()
    assert np.isfinite(found[:21]).all(axis=0).tolist() == [False, True] + [False] * 25
    beside = np.zeros((FRAMES, 4), bool)
    beside[:21, 2] = True
    assert np.isfinite(states(cut=beside)[:21]).all(axis=0).tolist() == [True, True, False] + [True] * 24
    cut[21, 2] = True
    few = states_of(motion(cut=cut))
    assert isinstance(few, str) and "fewer than 12" in few


def test_a_thing_that_leaves_the_picture_has_no_course() -> None:
    cut = np.zeros((FRAMES, 4), bool)
    cut[5::6, 1] = True
    found = course_of(motion(cut=cut))
    assert isinstance(found, str) and "fewer than 12" in found


def test_columns_have_a_value_or_a_reason() -> None:
    case, rest, rising = Case(id="c"), motion(), motion(0.9 * TIME**2)
    found = measured_gravity.function(case, rising, rest)
    assert found.value == 0 and found.curve is not None and len(found.curve) == FRAMES
    with pytest.raises(NotApplicable, match="nothing falls"):
        measured_gravity.function(case, rest, rest)
    with pytest.raises(NotApplicable, match="no direction"):
        measured_reversal.function(case, rest, rest)
    gone = motion(area=np.full(FRAMES, np.nan))
    with pytest.raises(Unscored, match="its foot is in the picture in 0 frames"):
        measured_gravity.function(case, gone, rest)


def test_surface_outline_and_ground_are_read_off_pictures() -> None:
    """A textured box goes down by 1 px a frame through a slot, before a ground that goes right by 2 px a frame."""
    import cv2

    random = np.random.default_rng(0)

    def texture(height: int, width: int) -> np.ndarray:
        return np.asarray(cv2.GaussianBlur(random.integers(0, 256, (height, width, 3), np.uint8), (0, 0), 1.2))

    ground, thing = texture(120, 220), texture(40, 30)
    frames, masks = [], []
    for k in range(6):
        frame, mask = ground[:, 40 - 2 * k : 200 - 2 * k].copy(), np.zeros((120, 160), bool)
        # The foot rests on row 80; what lies below it is gone.
        top = 40 + k
        frame[top:80, 60:90] = thing[: 80 - top]
        mask[top:80, 60:90] = True
        frames.append(frame)
        masks.append(mask)
    found = read_motion(frames, masks)
    # Corners at the very foot lose what they are known by, so it is a little less than the pixel of the surface.
    np.testing.assert_allclose(found["foot"], 1.0, atol=0.15)
    np.testing.assert_allclose(found["lower"], 1.0, atol=0.1)
    np.testing.assert_allclose(found["ground"], 0.0, atol=0.1)
    np.testing.assert_allclose(found["zoom"], 0.0, atol=0.005)
    np.testing.assert_allclose(np.diff(found["bottom"]), 0.0)
    np.testing.assert_allclose(np.diff(found["top"]), 1.0)
    lab = cv2.cvtColor(np.ascontiguousarray(frames[0]), cv2.COLOR_RGB2LAB)
    np.testing.assert_allclose(found["bands"][0, 1], lab[45:50, 60:90].mean((0, 1)), atol=1e-9)


def record(case: int, metric: str, value: float | None) -> dict[str, Any]:
    status = "skipped" if value is None else "ok"
    return {"case": str(case), "cluster": str(case // 2), "metric": metric, "status": status, "value": value}


def test_agreement_is_kappa_over_the_clips_of_which_both_speak() -> None:
    said = [(1.0, 1.0)] * 20 + [(1.0, 0.0)] * 5 + [(0.0, 1.0)] * 10 + [(0.0, 0.0)] * 15 + [(1.0, None), (None, 0.0)]
    lines = [record(k, "gravity", judged) for k, (judged, _) in enumerate(said)]
    lines += [record(k, "house_measured_gravity", measured) for k, (_, measured) in enumerate(said)]
    lines += [record(k, "melting", 1.0) for k in range(4)] + [
        record(k, "house_measured_reversal", 0.0) for k in (0, 49)
    ]
    found = {one.rule: one for one in agreements(cast(Any, SimpleNamespace(records=lambda: lines)))}
    one = found["gravity"]
    assert (one.judged, one.measured, one.both, one.agree) == (51, 51, 50, 35)
    assert one.kappa == pytest.approx(0.4) and one.low is not None and one.high is not None
    assert one.low < 0.4 < one.high
    assert found["impact"].remark == "no clip has both verdicts" and found["impact"].kappa is None
    assert (
        found["melting"].twin == "" and found["melting"].judged == 4 and "nothing measures" in found["melting"].remark
    )
    # Clip 0 keeps every rule, clip 49 breaks gravity; both run backwards.
    assert (found[ANY].both, found[ANY].agree) == (2, 1)
    assert len(found) == 15


def test_a_run_without_verdicts_is_refused() -> None:
    with pytest.raises(WorldGaugeError, match="neither verdicts"):
        agreements(cast(Any, SimpleNamespace(records=list)))
