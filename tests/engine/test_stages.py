"""One network at a time, each after those it builds on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

import stubs
from worldgauge.core.signal import SignalUse
from worldgauge.engine.definitions import Definition, Seats
from worldgauge.engine.stages import Stages


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with stubs.own_registries():
        yield


def _seats(**networks: bool) -> Seats:
    return Seats({seat: stubs.instrument(seat, network) for seat, network in networks.items()}, "stubs")


def _definitions(*uses: SignalUse) -> list[Definition]:
    return [stubs.definition(stubs.make_metric(f"m_{i}_{use.signal}", use)) for i, use in enumerate(uses)]


def test_without_networks_everything_is_stage_zero() -> None:
    plain, seated = stubs.make_signal("s_plain"), stubs.make_signal("s_seated", seat="flow")
    stages = Stages.of(_definitions(plain(), seated()), _seats(flow=False))
    assert stages.networks == ()
    assert stages.count == 1
    assert stages.seats == ("flow",)
    assert set(stages.of_use.values()) == set(stages.of_metric.values()) == {0}


def test_a_network_comes_after_the_networks_it_builds_on_whatever_the_names() -> None:
    # The alphabet alone would put `depth` before `poses` and `aesthetic` before both.
    poses = stubs.make_signal("s_poses", seat="poses")
    depth = stubs.make_signal("s_depth", seat="depth", needs=(poses(),))
    taste = stubs.make_signal("s_taste", seat="aesthetic", needs=(depth(),))
    definitions = _definitions(taste(), depth(), poses())
    stages = Stages.of(definitions, _seats(poses=True, depth=True, aesthetic=True))
    assert stages.networks == ("poses", "depth", "aesthetic")
    assert stages.seats == ("aesthetic", "depth", "poses")
    assert stages.count == 4
    assert stages.of_use == {poses(): 1, depth(): 2, taste(): 3}
    assert [stages.of_metric[d.id] for d in definitions] == [3, 2, 1]


def test_networks_that_do_not_build_on_each_other_are_in_alphabetical_order() -> None:
    uses = [stubs.make_signal(f"s_{seat}", seat=seat)() for seat in ("style", "faces", "quality")]
    stages = Stages.of(_definitions(*uses), _seats(style=True, faces=True, quality=True))
    assert stages.networks == ("faces", "quality", "style")


def test_a_seat_is_placed_by_its_highest_use_and_lower_signals_wait_for_it() -> None:
    """One network serves a first and a third signal: it is loaded once, after the network between them."""
    flow = stubs.make_signal("s_flow", seat="flow")
    first = stubs.make_signal("s_first", seat="depth")
    third = stubs.make_signal("s_third", seat="depth", needs=(flow(),))
    reduced = stubs.make_signal("s_reduced", needs=(first(), flow()))
    definitions = _definitions(first(), third(), reduced())
    for order in permutations(definitions):
        stages = Stages.of(list(order), _seats(flow=True, depth=True))
        assert stages.networks == ("flow", "depth")
        assert stages.of_use == {flow(): 1, first(): 2, third(): 2, reduced(): 2}
        assert [stages.of_metric[d.id] for d in definitions] == [2, 2, 2]


def test_a_metric_waits_for_the_last_of_its_signals() -> None:
    early, late = stubs.make_signal("s_early"), stubs.make_signal("s_late", seat="flow")
    both = stubs.definition(stubs.make_metric("m_both", late(), early()))
    neither = stubs.definition(stubs.make_metric("m_neither"))
    assert Stages.of([both, neither], _seats(flow=True)).of_metric == {"m_both": 1, "m_neither": 0}


def test_an_empty_seat_has_no_stage() -> None:
    lonely = stubs.make_signal("s_lonely", seat="faces")
    stages = Stages.of(_definitions(lonely()), _seats(flow=True))
    assert stages.networks == ()
    assert stages.seats == ("faces",)
    assert stages.of_use == {lonely(): 0}


def test_the_reference_is_perceived_in_the_same_stage_as_the_video() -> None:
    poses = stubs.make_signal("s_poses", seat="poses")
    depth = stubs.make_signal("s_depth", seat="depth", needs=(poses(),))
    stages = Stages.of(_definitions(depth(of="reference")), _seats(poses=True, depth=True))
    assert stages.of_use == {poses(of="reference"): 1, depth(of="reference"): 2}
