"""Blocks as a whole: determinism across processes, phases against id maps, redraws, physics."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from worldgauge.blocks import Block, Truth, block
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.core.errors import WorldGaugeError

Render = Callable[..., Truth]
_DIGEST = """
import hashlib
from worldgauge.blocks import Block
t = Block(seed=3, family="hall", path="away_right", process="tower", size=(160, 90), frames=21, fps=5).render()
h = hashlib.sha256()
for a in (t.frames, t.depth, t.ids, t.amodal, t.flow, t.occluded, t.camera.poses, t.states.low):
    h.update(a.tobytes())
print(h.hexdigest())
"""


def test_two_processes_give_the_same_bytes() -> None:
    digests = {
        subprocess.run([sys.executable, "-c", _DIGEST], capture_output=True, text=True, check=True, timeout=120).stdout
        for _ in range(2)
    }
    assert len(digests) == 1 and len(next(iter(digests)).strip()) == 64


@pytest.mark.slow
def test_phases_agree_with_the_id_maps_of_ten_cases() -> None:
    phases_agree_with_id_maps(10)


@pytest.mark.nightly
def test_phases_agree_with_the_id_maps_of_fifty_cases() -> None:
    phases_agree_with_id_maps(50)


def phases_agree_with_id_maps(cases: int) -> None:
    small = Choice(size=(96, 54), frames=25, fps=5.0)
    for each in choose_blocks(cases, seed=1000, choice=small):
        truth = each.render()
        area = (truth.ids == truth.world.scene.target.id).sum((1, 2))
        gone = next(k for k, pixels in enumerate(area) if pixels == 0)
        back = next(k for k in range(gone, 25) if _whole(truth, k))
        assert truth.phases is not None and (truth.phases.gone, truth.phases.back) == (gone, back), each
        # Each case has a visible, a gone and a back phase.
        assert gone >= 2 and (area[:gone] > 0).all() and back > gone and (area[back:] > 0).all(), each


def _whole(truth: Truth, frame: int) -> bool:
    """Nine tenths of the silhouette are seen, and the silhouette keeps off the picture's rim."""
    shape = truth.amodal[frame]
    rim = np.ones_like(shape)
    rim[1:-1, 1:-1] = False
    seen = int((truth.ids[frame] == truth.world.scene.target.id).sum())
    return seen > 0 and not (shape & rim).any() and seen >= 0.9 * int(shape.sum())


def test_rejected_draws_are_redrawn_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    small = Block(seed=2, size=(96, 54), frames=25, fps=5.0)
    first = small.world()
    verdicts = iter(["too bad", "", "too bad", ""])
    monkeypatch.setattr(block, "complaint", lambda *_: next(verdicts))
    again, once_more = small.world(), small.world()
    assert first.attempt == 0 and again.attempt == 1
    assert not np.array_equal(first.timeline.position[0, -5:], again.timeline.position[0, -5:])
    np.testing.assert_array_equal(again.timeline.position, once_more.timeline.position)


def test_a_seed_that_never_works_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block, "ATTEMPTS", 2)
    with pytest.raises(WorldGaugeError, match="take another seed"):
        Block(seed=1, frames=2, size=(96, 54)).render()  # two frames cannot leave and come back


def test_a_pinned_attempt_is_that_draw() -> None:
    free = Block(seed=2, size=(96, 54), frames=25, fps=5.0)
    pinned = Block(seed=2, size=(96, 54), frames=25, fps=5.0, attempt=0)
    np.testing.assert_array_equal(free.world().timeline.position, pinned.world().timeline.position)


def test_the_same_seed_furnishes_the_same_place_for_another_process() -> None:
    a = Block(seed=5, family="yard", process="rolling", size=(96, 54), frames=25, fps=5.0).world()
    b = Block(seed=5, family="yard", process="windmill", size=(96, 54), frames=25, fps=5.0).world()
    for one, other in zip(a.scene.instances, b.scene.instances, strict=False):
        if one.kind in ("prop", "wall", "ground"):
            assert one.name == other.name
            np.testing.assert_array_equal(a.timeline.position[0, one.geoms], b.timeline.position[0, other.geoms])


def test_worlds_hold_eight_to_twenty_props() -> None:
    from worldgauge.blocks.families import FAMILIES

    for family in FAMILIES:
        world = Block(seed=9, family=family, path="fixed", size=(96, 54), frames=2).world()
        assert 8 <= sum(i.kind == "prop" for i in world.scene.instances) <= 20, family
        assert len({i.name for i in world.scene.instances}) == len(world.scene.instances)


def test_falling_is_free_fall() -> None:
    world = Block(seed=3, family="hall", path="fixed", process="falling", size=(96, 54), frames=81).world()
    z = world.timeline.position[:, world.scene.target.geoms[0], 2]
    start = int(np.argmax(z < z[0] - 1e-6))
    falling = z[start : start + 4]
    acceleration = np.diff(falling, 2) * 16.0**2
    np.testing.assert_allclose(acceleration, -9.81, rtol=0.02)
    assert z[-1] < 0.5 and [c for c in world.contacts if "ground" in (c.first, c.second)]


def test_a_bouncing_ball_keeps_the_stated_share_of_its_speed() -> None:
    world = Block(seed=3, family="hall", path="fixed", process="bouncing", size=(96, 54), frames=160, fps=60.0).world()
    z = world.timeline.position[:, world.scene.target.geoms[0], 2] - 0.3
    lows = [k for k in range(1, len(z) - 1) if z[k] <= z[k - 1] and z[k] < z[k + 1]]
    peak = z[lows[0] : lows[1]].max()
    # Speed share 0.9 means height share 0.81 of the drop from 1.2 m.
    assert peak / 1.2 == pytest.approx(0.81, abs=0.05)


def test_a_pendulum_keeps_its_energy() -> None:
    world = Block(seed=3, family="hall", path="fixed", process="pendulum", size=(96, 54), frames=81).world()
    z = world.timeline.position[:, world.scene.target.geoms[-1], 2]
    assert z[40:].max() == pytest.approx(z[0], abs=0.02)


def test_collision_hands_over_the_motion() -> None:
    world = Block(seed=3, family="hall", path="fixed", process="collision", size=(96, 54), frames=81).world()
    hit = next(
        c for c in world.contacts if "grey striped ball" in (c.first, c.second) and "ground" not in (c.first, c.second)
    )
    grey = world.timeline.position[:, world.scene.named("grey striped ball").geoms[0], 0]
    assert abs(grey[hit.frame - 1] - grey[0]) < 0.01 < 0.2 < abs(grey[-1] - grey[0])
    assert hit.frame == pytest.approx(0.45 * 81, abs=4)


def test_tower_falls_only_after_the_hit() -> None:
    world = Block(seed=3, family="room", path="fixed", process="tower", size=(96, 54), frames=81).world()
    top = world.timeline.position[:, world.scene.target.geoms[-1], 2]
    hit = next(
        c.frame
        for c in world.contacts
        if "grey iron ball" in (c.first, c.second) and "ground" not in (c.first, c.second)
    )
    assert np.abs(top[: hit - 1] - top[0]).max() < 0.02 and top[-1] < 0.6 * top[0]


def test_events_tell_when_the_target_leaves_returns_and_melts(rendered: Render) -> None:
    truth = rendered(
        seed=6, family="shelf", path="exit_wait_reenter", process="melting", size=(160, 90), frames=41, fps=8.0
    )
    kinds = {e.kind: e.frame for e in truth.events if e.kind != "progress"}
    assert truth.phases is not None
    assert kinds["left_view"] == truth.phases.gone and kinds["returned"] == truth.phases.back
    shares = [(e.value, e.frame) for e in truth.events if e.kind == "progress"]
    assert [s for s, _ in shares] == [0.2, 0.4, 0.6, 0.8]
    height = truth.states.high[:, truth.states.names.index(truth.target), 2]
    melted = next(f for s, f in shares if s == 0.4)
    # The lump sinks by 85 % of the melted share.
    assert height[melted] / height[0] == pytest.approx(1 - 0.85 * 0.4, abs=0.02)
    assert len({e.frame for e in truth.events}) > 3 and truth.events == tuple(
        sorted(truth.events, key=lambda e: e.frame)
    )
