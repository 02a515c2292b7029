"""The processes that are asked for by name: laws they follow, and that the deck is dealt as before."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from worldgauge.blocks import Block
from worldgauge.blocks.block import World
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.processes import ALL_PROCESSES, PROCESSES, RESTING, STATE_CHANGES

FRAMES = 41


def draw(process: str, seed: int = 6) -> World:
    # A pinned draw is not looked at: nothing is rendered here.
    return Block(seed, "room", "fixed", process, (96, 54), FRAMES, 8.0, attempt=0).world()


@cache
def world_of(process: str) -> World:
    return draw(process)


def progress_of(world: World) -> np.ndarray:
    assert world.act.progress is not None
    return np.array([world.act.progress(float(t)) for t in world.timeline.time])


def scales_of(world: World, geom: int) -> np.ndarray:
    """(N, 3, 3) what the process has made of a part since the first frame."""
    linear = world.timeline.linear[:, geom]
    return np.asarray(linear @ np.linalg.inv(linear[0]))


def test_the_deck_is_dealt_as_before() -> None:
    names = "rolling crossing bouncing pendulum windmill falling collision tower conveyor"
    names += " melting inflating draining mixing burning freezing"
    assert list(PROCESSES) == names.split()
    assert {block.process for block in choose_blocks(60)} == set(PROCESSES)
    assert not set(PROCESSES) & set(STATE_CHANGES)
    named = choose_blocks(5, choice=Choice(processes=list(STATE_CHANGES)))
    assert sorted(block.process for block in named) == sorted(STATE_CHANGES)
    assert list(ALL_PROCESSES) == [*PROCESSES, *STATE_CHANGES, *RESTING]


@pytest.mark.parametrize("process", list(STATE_CHANGES))
def test_progress_only_grows_and_the_target_changes(process: str) -> None:
    world = world_of(process)
    done = progress_of(world)
    assert done[0] < 0.05 and done[-1] > 0.85 and (np.diff(done) >= 0).all()
    geoms = world.scene.target.geoms
    changed = [world.timeline.linear[:, geoms], world.timeline.rgba[:, geoms]]
    assert max(float(np.abs(a[-1] - a[0]).max()) for a in changed) > 0.2


@pytest.mark.parametrize(
    "process", ["foaming", *(pytest.param(p, marks=pytest.mark.nightly) for p in STATE_CHANGES if p != "foaming")]
)
def test_the_seed_decides(process: str) -> None:
    world, again, other = world_of(process), draw(process), draw(process, seed=7)
    for name in ("position", "linear", "rgba"):
        np.testing.assert_array_equal(getattr(world.timeline, name), getattr(again.timeline, name))
    assert world.act.target.name == again.act.target.name
    assert world.timeline.position.shape != other.timeline.position.shape or not np.array_equal(
        world.timeline.position, other.timeline.position
    )


def test_what_is_left_of_the_salt_has_the_volume_that_is_not_dissolved() -> None:
    world = world_of("dissolving")
    salt = world.scene.target.geoms[-1]
    volume = np.linalg.det(scales_of(world, salt))
    np.testing.assert_allclose(volume, 1 - progress_of(world), atol=1e-9)
    water = world.timeline.rgba[:, world.scene.target.geoms[1], :3].astype(float)
    share = (water - water[0]) / (water[-1] - water[0])
    np.testing.assert_allclose(share[:, 0], progress_of(world) / progress_of(world)[-1], atol=1e-6)


def test_slime_creeps_as_the_cube_root_of_time() -> None:
    world = world_of("oozing")
    drops = [g for g in world.scene.target.geoms if np.ptp(world.timeline.position[:, g, 2]) > 0.05]
    age = 0.02 + world.timeline.time / (FRAMES / 8.0)
    for drop in drops:
        fallen = world.timeline.position[0, drop, 2] - world.timeline.position[:, drop, 2]
        law = np.cbrt(age) - np.cbrt(age[0])
        np.testing.assert_allclose(fallen / fallen[-1], law / law[-1], atol=1e-6)


def test_foam_decays_exponentially_and_every_bubble_goes_with_it() -> None:
    world = world_of("foaming")
    head = world.scene.target.geoms[-27]
    left = scales_of(world, head)[:, 2, 2]
    rates = np.diff(np.log(left)) * 8.0
    np.testing.assert_allclose(rates, -1 / (0.45 * FRAMES / 8.0), rtol=1e-6)
    sizes = np.linalg.det(world.timeline.linear[:, world.scene.target.geoms[-26:]])
    alive = (sizes > 1e-6).sum(1)
    assert alive[0] == 26 and alive[-1] <= 8 and (np.diff(alive) <= 0).all()


def test_ink_rises_as_the_square_root_of_time() -> None:
    world = world_of("absorbing")
    strips = world.scene.target.geoms[-7:]
    high = np.array([scales_of(world, g)[:, 2, 2] for g in strips])
    age = 0.015 + world.timeline.time / (FRAMES / 8.0)
    law = (np.sqrt(age) - np.sqrt(age[0])) / (np.sqrt(age[-1]) - np.sqrt(age[0]))
    np.testing.assert_allclose((high - 1) / (high[:, -1:] - 1), np.broadcast_to(law, high.shape), atol=1e-6)


def test_the_lid_stays_on_the_can_while_it_folds() -> None:
    world = world_of("crushing")
    lid, can = world.scene.target.geoms
    tall = scales_of(world, can)[:, 2, 2]
    np.testing.assert_allclose(tall, 1 - 0.75 * progress_of(world), atol=1e-9)
    unit = world.scene.stage.unit
    fallen = world.timeline.position[0, lid, 2] - world.timeline.position[:, lid, 2]
    np.testing.assert_allclose(fallen, 1.1 * unit * (1 - tall), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    "process", ["dissolving", *(pytest.param(p, marks=pytest.mark.nightly) for p in list(STATE_CHANGES)[1:])]
)
def test_a_block_shows_it_before_and_after_an_absence(process: str) -> None:
    truth = Block(11, "hall", "away_left", process, (96, 54), 25, 5.0).render()
    assert truth.phases is not None
    before, after = truth.frames[0], truth.frames[-1]
    target = truth.visible[0] | truth.visible[-1]
    changed = np.abs(before.astype(int) - after).max(-1) > 24
    assert (changed & target).sum() > 0.15 * target.sum()
    assert any(event.kind == "progress" and event.frame >= truth.phases.gone for event in truth.events)
