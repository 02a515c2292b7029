"""The estimate of a plan, against the sum written out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

import stubs
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.signal import Signal
from worldgauge.core.video import Video, VideoInfo
from worldgauge.engine.definitions import Seats
from worldgauge.engine.plan import RATES_FILE, CaseWork, Plan, _estimate, read_rates
from worldgauge.engine.stages import Stages
from worldgauge.engine.store import Store


class _Clip:
    """A video of which only the size is known, and whether anybody asked."""

    def __init__(self, frames: int, width: int = 1000, height: int = 1000) -> None:
        self._info, self.asked = VideoInfo(frames, width, height, 24.0), 0

    @property
    def info(self) -> VideoInfo:
        self.asked += 1
        if self._info.frames == 0:
            raise InvalidVideo("no frames")
        return self._info


@pytest.fixture
def signals() -> Iterator[tuple[Signal, Signal]]:
    with stubs.own_registries():
        yield stubs.make_signal("s_cheap", cost=0.5), stubs.make_signal("s_dear", cost=4.0, seat="flow")


def _plan(clips: list[_Clip | None], *signals: Signal, networks: tuple[float, ...] = ()) -> Plan:
    """`networks`: gigabytes of those that are loaded together."""
    uses = tuple(signal() for signal in signals)
    works = [
        CaseWork(Case(id=str(i)), 0, cast(Video, clip), ("m",), uses if clip else (), stored=i)
        for i, clip in enumerate(clips)
    ]
    loaded = tuple(stubs.instrument("flow", True, size) for size in networks)
    return Plan(len(works), works, [], Stages((loaded, ()), dict.fromkeys(uses, 0), {}))


def _seats(**gigabytes: float) -> Seats:
    return Seats({seat: stubs.instrument(seat, False, memory) for seat, memory in gigabytes.items()}, "stubs")


def test_seconds_are_declared_costs_times_megapixels_times_uses(tmp_path: Path, signals: tuple[Signal, Signal]) -> None:
    plan = _plan([_Clip(10), _Clip(30), None], *signals)
    seconds, _ = _estimate(plan, _seats(), Store(tmp_path))
    # Two clips of 20 megapixels in the mean; each signal is computed for both.
    assert seconds == pytest.approx(0.5 * 20 * 2 + 4.0 * 20 * 2)
    assert plan.signals() == {"s_cheap": 2, "s_dear": 2}
    assert plan.records == 3
    assert plan.stored == 0 + 1 + 2


def test_a_measured_rate_replaces_the_declared_cost(tmp_path: Path, signals: tuple[Signal, Signal]) -> None:
    (tmp_path / RATES_FILE).write_text(json.dumps({"s_dear": 0.25}))
    seconds, _ = _estimate(_plan([_Clip(20)], *signals), _seats(), Store(tmp_path))
    assert seconds == pytest.approx(0.5 * 20 + 0.25 * 20)


def test_memory_is_that_of_the_largest_clip_and_the_networks_of_a_pass(
    tmp_path: Path, signals: tuple[Signal, Signal]
) -> None:
    clips: list[_Clip | None] = [_Clip(10, 640, 480), _Clip(20, 1920, 1080), _Clip(20, 640, 480)]
    _, gigabytes = _estimate(_plan(clips, *signals, networks=(2.0, 1.0)), _seats(), Store(tmp_path))
    frames, at_work = 20 * 1920 * 1080 * 3 / 2**30, 110 * 1920 * 1080 / 2**30
    assert gigabytes == pytest.approx(frames + at_work + 3.0 + 0.15)


def test_few_clips_are_looked_into_spread_over_all(tmp_path: Path, signals: tuple[Signal, Signal]) -> None:
    clips = [_Clip(frames) for frames in range(1, 641)]
    seconds, _ = _estimate(_plan([*clips], *signals[:1]), _seats(), Store(tmp_path))
    looked_into = [clip._info.frames for clip in clips if clip.asked]
    assert looked_into == list(range(1, 641, 10))
    assert seconds == pytest.approx(0.5 * (sum(looked_into) / 64) * 640)


def test_an_unreadable_clip_is_taken_to_be_like_the_others(tmp_path: Path, signals: tuple[Signal, Signal]) -> None:
    seconds, _ = _estimate(_plan([_Clip(0), _Clip(10)], *signals[:1]), _seats(), Store(tmp_path))
    assert seconds == pytest.approx(0.5 * 10 * 2)


def test_nothing_to_do_costs_nothing(tmp_path: Path, signals: tuple[Signal, Signal]) -> None:
    assert _estimate(_plan([_Clip(10)]), _seats(flow=3.0), Store(tmp_path)) == (0.0, 0.0)
    assert _estimate(_plan([None, _Clip(0)], *signals), _seats(flow=3.0), Store(tmp_path)) == (0.0, 0.0)


def test_a_damaged_rates_file_is_no_rates_file(tmp_path: Path) -> None:
    (tmp_path / RATES_FILE).write_text("{")
    assert read_rates(tmp_path) == {}
    assert read_rates(tmp_path / "nowhere") == {}
