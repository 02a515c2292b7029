"""Targets that something else than the camera hides: a screen that passes, the dark; and one that stands still."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.blocks.block import Block, Truth
from worldgauge.blocks.choose import choose_blocks
from worldgauge.blocks.faults.base import Given
from worldgauge.blocks.faults.clock import StillLife
from worldgauge.blocks.faults.scenery import GeometryWobble
from worldgauge.blocks.hiding import SCREEN
from worldgauge.blocks.paths import ALL_PATHS, LATER_PATHS, PATHS, find_path
from worldgauge.blocks.questions import questions

SIZE, FRAMES, FPS = (96, 54), 17, 5.0


@pytest.fixture(scope="module")
def screened() -> Truth:
    return Block(5, "yard", "behind_screen", "melting", SIZE, FRAMES, FPS).render()


@pytest.fixture(scope="module")
def darkened() -> Truth:
    return Block(6, "hall", "lights_out", "draining", SIZE, FRAMES, FPS).render()


def given(truth: Truth) -> Given:
    return Given(truth.world, truth.phases.gone, truth.phases.back, (), 0)


def test_the_deck_of_paths_is_dealt_as_before():
    names = "away_left away_right tilt head_turn u_turn walk_past vertical exit_wait_reenter fixed push_in pull_out"
    assert " ".join(PATHS).startswith(names) and not set(PATHS) & set(LATER_PATHS)
    assert {block.path for block in choose_blocks(40)} == {path.name for path in PATHS.values() if path.leaves}
    assert find_path("lights_out") is ALL_PATHS["lights_out"]


def test_a_screen_hides_the_target_and_goes_on(screened):
    hidden = range(screened.phases.gone, screened.phases.back)
    assert np.ptp(screened.camera.poses, axis=0).max() == 0
    assert not screened.visible[FRAMES // 2].any() and screened.amodal[FRAMES // 2].any()
    assert screened.visible[[0, -1]].any((1, 2)).all() and FRAMES // 2 in hidden
    screen = screened.world.scene.named(SCREEN).id
    assert (screened.ids[FRAMES // 2] == screen).mean() > 0.2
    assert not (screened.ids[[0, -1]] == screen).any()


def test_the_dark_hides_the_target(darkened):
    level = darkened.frames.mean((1, 2, 3))
    assert level[FRAMES // 2] == 0 and level[0] > 30
    assert level[-1] == pytest.approx(level[0], rel=0.1)
    assert not darkened.visible[FRAMES // 2].any() and darkened.phases.gone <= FRAMES // 2 < darkened.phases.back


def test_captions_and_questions_say_what_hides_it(screened, darkened):
    from worldgauge.blocks.describe import segment_captions

    for truth, words in ((screened, "is hidden behind the screen"), (darkened, "cannot be seen in the dark")):
        assert words in segment_captions(truth)["segment_3"]
        asked = {question.text: question.answer for question in questions(truth)}
        assert asked["Does the camera turn or travel?"] == "no"
        assert asked[f"Is the {truth.target} hidden for a while?"] == "yes"


def test_the_screen_keeps_the_clips_time_when_the_worlds_clock_stops(screened):
    still = StillLife().act(given(screened), 1.0)
    screen, wax = (screened.world.scene.named(name).geoms for name in (SCREEN, screened.target))
    assert np.ptp(still.position[:, screen], axis=0).max() > 1.0
    assert np.ptp(still.linear[:, wax], axis=0).max() == 0


def test_a_target_that_stands_still_sways_with_everything_else():
    block = Block(7, "room", "away_left", "standing", SIZE, FRAMES, FPS)
    world = block.world()
    own = world.scene.target.geoms
    assert np.ptp(world.timeline.position[:, own], axis=0).max() == 0
    swaying = GeometryWobble().act(Given(world, 5, 12, (), 0), 1.0)
    assert np.ptp(swaying.position[:, own], axis=0).max() > 0.01


def test_a_target_that_moves_does_not_sway(screened):
    own = screened.world.scene.target.geoms
    swaying = GeometryWobble().act(given(screened), 1.0)
    np.testing.assert_array_equal(swaying.position[:, own], screened.world.timeline.position[:, own])
