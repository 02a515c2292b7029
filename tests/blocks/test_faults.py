"""Every fault: severity 0 is the oracle, the first frame is given, the dial turns what it claims to turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from worldgauge.blocks import Block, Truth
from worldgauge.blocks.faults import FAULTS, Given, Shown
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
