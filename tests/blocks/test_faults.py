"""Every fault: severity 0 is the oracle, the first frame is given, the dial turns what it claims to turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from worldgauge.blocks import Block, Truth
from worldgauge.blocks.faults import FAULTS, Given, Shown
from worldgauge.blocks.faults.timing import span_before_end
from worldgauge.blocks.render import painter, render_frames
from worldgauge.blocks.subjects import Studio
from worldgauge.core.case import Case, Reference
from worldgauge.functional.pose import geodesic_deg

SEVERITIES = (0.25, 0.5, 0.75, 1.0)


class _Studio(Studio):
    """A studio whose truth is at hand instead of on disk."""

    def __init__(self, truth: Truth, draw: object) -> None:
        case = Case(id="room-0003", reference=Reference(phases=truth.phases))
        self.case, self.given, self._draw, self.truth = case, Given.of(case, truth.world), draw, truth.frames


@pytest.fixture(scope="module")
def studio() -> Iterator[_Studio]:
    truth = Block(seed=3, family="room", path="away_left", process="rolling", size=(160, 90), frames=25).render()
    with painter(truth.world.scene, (160, 90)) as draw:
        yield _Studio(truth, draw)


@pytest.fixture(scope="module")
def shows(studio: _Studio) -> dict[str, list[Shown]]:
    return {name: [studio.perform(fault(), s) for s in SEVERITIES] for name, fault in FAULTS.items()}


def test_painting_the_unchanged_timeline_gives_the_oracles_bytes(studio: _Studio) -> None:
    np.testing.assert_array_equal(render_frames(studio.given.world.scene, studio.given.timeline), studio.truth)


@pytest.mark.parametrize("name", FAULTS)
def test_severity_zero_is_the_oracle(studio: _Studio, name: str) -> None:
    shown = studio.perform(FAULTS[name](), 0.0)
    assert shown.timeline is studio.given.timeline
    np.testing.assert_array_equal(shown.frames, studio.truth)
    assert FAULTS[name]().measure(studio.given, shown) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", FAULTS)
def test_severity_is_monotone_in_the_quantity_it_claims(
    studio: _Studio, shows: dict[str, list[Shown]], name: str
) -> None:
    measured = [FAULTS[name]().measure(studio.given, shown) for shown in shows[name]]
    assert all(a < b for a, b in zip([0.0, *measured], measured, strict=False)), measured


@pytest.mark.parametrize("name", FAULTS)
def test_a_little_severity_changes_little(studio: _Studio, shows: dict[str, list[Shown]], name: str) -> None:
    # The dial has no jump at 0 that the exact zero would hide.
    fault = FAULTS[name]()
    little, full = (fault.measure(studio.given, shown) for shown in (studio.perform(fault, 0.02), shows[name][-1]))
    assert little <= 0.12 * full


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_frame_is_given_and_the_rest_shows_the_fault(
    studio: _Studio, shows: dict[str, list[Shown]], name: str
) -> None:
    shown = shows[name][-1]
    np.testing.assert_array_equal(shown.frames[0], studio.truth[0])
    assert shown.frames.shape == studio.truth.shape
    assert shown.frames.dtype == np.uint8
    assert not np.array_equal(shown.frames, studio.truth)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_deterministic(studio: _Studio, shows: dict[str, list[Shown]], name: str) -> None:
    np.testing.assert_array_equal(studio.perform(FAULTS[name](), 0.75).frames, shows[name][2].frames)


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_declares_what_moves_and_what_stays(name: str) -> None:
    fault = FAULTS[name]
    assert fault.moves
    assert fault.says
    assert fault.quantity
    assert not {m.quality for m in fault.moves} & {s.quality for s in fault.stays}
    assert all(0 < s.up_to <= 1 for s in fault.stays)


def test_frozen_camera_stands_and_wrong_action_mirrors(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    true = studio.given.timeline.camera.rotation
    frozen = shows["frozen_camera"][-1].timeline.camera.rotation
    assert geodesic_deg(frozen, true[0]).max() < 1e-6
    wrong = shows["wrong_action"][-1].timeline.camera.rotation
    # A pan about the vertical and its mirror image cancel.
    turn = true[0].T @ true
    mirrored = wrong[0].T @ wrong
    assert geodesic_deg(turn @ mirrored, np.eye(3)).max() < 1e-6


def test_camera_drift_reaches_45_degrees(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    assert FAULTS["camera_drift"]().measure(studio.given, shows["camera_drift"][-1]) == pytest.approx(45)


def test_vanish_leaves_the_first_phase_alone(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    gone = studio.given.gone
    np.testing.assert_array_equal(shows["vanish"][-1].frames[:gone], studio.truth[:gone])


def test_state_reset_shows_the_state_it_was_last_seen_in(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    given, shown = studio.given, shows["state_reset"][-1].timeline
    np.testing.assert_allclose(shown.position[given.back], given.timeline.position[given.gone], atol=1e-12)


def test_still_life_never_moves(shows: dict[str, list[Shown]]) -> None:
    position = shows["still_life"][-1].timeline.position
    assert np.abs(position - position[0]).max() == 0


def test_chunk_reset_starts_every_chunk_from_the_beginning(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    shown = shows["chunk_reset"][-1].timeline
    for border in studio.given.borders:
        np.testing.assert_allclose(shown.position[border], studio.given.timeline.position[0], atol=1e-12)


def test_identity_drift_leaves_no_paint_behind(studio: _Studio) -> None:
    studio.perform(FAULTS["identity_drift"](), 1.0)
    painted = np.stack([studio._draw.picture(studio.given.timeline, k) for k in range(len(studio.truth))])
    np.testing.assert_array_equal(painted, studio.truth)


def test_background_swap_changes_looks_only_after_the_return(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    given, shown = studio.given, shows["background_swap"][-1].timeline
    assert (shown.material[given.back :] != given.timeline.material[given.back :]).any()
    np.testing.assert_array_equal(shown.material[: given.gone], given.timeline.material[: given.gone])


def test_hand_shake_moves_the_picture_by_the_stated_pixels(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    apart = geodesic_deg(studio.given.timeline.camera.rotation, shows["hand_shake"][1].timeline.camera.rotation)
    # Half way up the dial: 4 px of 180 up and down and as much sideways; a degree is 4.3 px there.
    assert 2.0 < apart.max() * 4.3 <= 4 * np.sqrt(2) * 1.1


def test_time_reversal_shows_a_span_in_reverse_order(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    shown, truth = shows["time_reversal"][-1].frames, studio.truth
    start, end = span_before_end(len(truth), 0.6)
    np.testing.assert_array_equal(shown[start:end], truth[start:end][::-1])
    np.testing.assert_array_equal(shown[end:], truth[end:])


def test_a_loop_shows_half_of_the_clip_twice(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    shown, count = shows["loop"][-1].frames, len(studio.truth)
    again = round(0.5 * count)
    np.testing.assert_array_equal(shown[count - again :], studio.truth[count - 2 * again : count - again])


def test_speed_change_is_ahead_in_the_middle_and_on_time_at_the_end(
    studio: _Studio, shows: dict[str, list[Shown]]
) -> None:
    true, shown = studio.given.timeline, shows["speed_change"][-1].timeline
    ahead = shown.time - true.time
    assert ahead.min() > -1e-9 and ahead[[0, -1]] == pytest.approx(0)
    assert ahead.max() == pytest.approx(0.4 * true.time[-1], rel=0.1)
    # Half of the dial runs at one and a half times the speed.
    half = shows["speed_change"][1].timeline.time
    assert np.diff(half).max() == pytest.approx(1.5 * np.diff(true.time).max(), rel=0.02)


def test_frame_drops_keep_the_order_and_hold_the_last_frame(shows: dict[str, list[Shown]]) -> None:
    shown, truth = shows["frame_drops"][-1].frames, shows["frame_drops"][-1].truth
    source = [0]
    for frame in shown[1:]:
        later = [k for k in range(source[-1], len(truth)) if np.array_equal(frame, truth[k])]
        assert later
        # The held end is the last frame; before it every frame is a later one.
        source.append(later[0] if source[-1] == len(truth) - 1 else next(k for k in later if k > source[-1]))
    assert len(set(source)) == len(truth) - round(len(truth) / 3)


def test_a_flash_leaves_all_other_frames_alone(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    changed = [k for k, frame in enumerate(shows["flash"][-1].frames) if not np.array_equal(frame, studio.truth[k])]
    assert len(changed) == max(1, round(len(studio.truth) / 16))
    assert not shows["flash"][-1].frames[changed[0]].any()


def test_a_ghost_is_half_of_each_moment(studio: _Studio, shows: dict[str, list[Shown]]) -> None:
    truth = studio.truth.astype(np.float64)
    start, end = span_before_end(len(truth), 0.5)
    blend = (truth[start:end] + truth[start - 2 : end - 2]) / 2
    np.testing.assert_allclose(shows["ghosting"][-1].frames[start:end], blend, atol=0.51)


def test_banding_leaves_few_tones_and_mirroring_all(shows: dict[str, list[Shown]]) -> None:
    last = shows["banding"][-1]
    assert len(np.unique(last.frames[-1])) <= 256 // 32 + 1 < len(np.unique(last.truth[-1]))
    shown, (start, end) = shows["mirror"][-1], span_before_end(len(last.truth), 0.4)
    np.testing.assert_array_equal(shown.frames[start:end], shown.truth[start:end, :, ::-1])
