"""The simulator of a run against what can be worked out by hand."""

from __future__ import annotations

import random

import pytest

from worldgauge.engine.scale.schedule import (
    CLIP,
    CORES,
    DRIVER,
    GPUS,
    JUDGE,
    START,
    STORE,
    Clip,
    Machines,
    bounds,
    play,
)


@pytest.mark.parametrize("workers", [1, 2, 4, 8, 16, 256])
def test_equal_clips_side_by_side(workers: int) -> None:
    """Perfectly parallel: so many rounds of one clip each."""
    found = play([Clip(cores=3.0)] * 48, Machines(workers, start=5.0))
    rounds = -(-48 // workers)
    assert found.seconds == pytest.approx(5.0 + 3.0 * rounds)
    assert found.busy[CORES] == pytest.approx(48 * 3.0 / workers / found.seconds)
    assert found.busy[GPUS] == found.busy[STORE] == found.busy[JUDGE] == 0.0


@pytest.mark.parametrize("workers", [1, 8, 256])
def test_one_serial_thing_makes_workers_useless(workers: int) -> None:
    """A driver that takes longer for each clip than the clip's work: the last clip's work comes on top."""
    found = play([Clip(cores=0.5)] * 40, Machines(workers, ahead=2, driver=1.0))
    assert found.seconds == pytest.approx(40 * 1.0 + 0.5)
    assert found.bound == DRIVER


def test_a_store_is_shared_by_all() -> None:
    found = play([Clip(cores=1.0, stored=100.0)] * 20, Machines(20, bandwidth=50.0))
    assert found.seconds == pytest.approx(1.0 + 20 * 2.0) and found.bound == STORE
    assert found.busy[STORE] == pytest.approx(40 / 41)


def test_cores_prepare_the_next_clips_while_the_gpu_is_at_work() -> None:
    """A pipeline: after the first clip is prepared the slower of the two sets the pace."""
    clips = [Clip(cores=4.0, gpu=2.0)] * 10
    assert play(clips, Machines(1, cores=4, ahead=5)).seconds == pytest.approx(4.0 + 10 * 2.0)
    assert play(clips, Machines(1, cores=1, ahead=5)).seconds == pytest.approx(10 * 4.0 + 2.0)
    # One clip at a time: nothing overlaps.
    assert play(clips, Machines(1, cores=4, ahead=1)).seconds == pytest.approx(10 * 6.0)


def test_answers_are_waited_for_beside_the_work() -> None:
    clips = [Clip(cores=1.0, answers=6.0)] * 12
    found = play(clips, Machines(2, questions=4))
    assert found.seconds == pytest.approx(12 * 6.0 / 4) and found.bound == JUDGE
    assert play(clips, Machines(2, questions=12)).seconds == pytest.approx(6.0)


def test_a_long_clip_at_the_end_is_a_tail() -> None:
    clips = [Clip(cores=1.0)] * 8 + [Clip(cores=10.0)]
    found = play(clips, Machines(4))
    assert found.seconds == pytest.approx(2.0 + 10.0) and found.bound == CLIP


def test_what_bounds_a_run() -> None:
    clips = [Clip(cores=8.0, gpu=1.0)] * 64
    assert play(clips, Machines(1, cores=16, ahead=20)).bound == GPUS
    assert play(clips, Machines(1, cores=4, ahead=5)).bound == CORES
    assert play(clips, Machines(64, cores=4, start=30.0)).bound == START


def test_no_run_is_shorter_than_its_bounds() -> None:
    """And none longer than everything one after the other."""
    rng = random.Random(0)
    for _ in range(50):
        clips = [Clip(*(rng.random() for _ in range(4))) for _ in range(rng.randint(1, 30))]
        machines = Machines(
            rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 4), rng.random(), rng.random() / 9, 2.0, 3
        )
        least = {name: seconds for name, seconds in bounds(clips, machines).items() if name != START}
        serial = sum(c.cores + c.gpu + c.stored / 2.0 + c.answers + machines.driver for c in clips) + machines.start
        assert max(least.values()) - 1e-9 <= play(clips, machines).seconds <= serial + 1e-9


def test_nothing_takes_no_time() -> None:
    assert play([], Machines(4, start=9.0)).seconds == 0.0
