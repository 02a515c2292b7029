"""Networks packed into passes: as few as memory allows, each after those it builds on, and nothing computed twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

import stubs
from worldgauge.core.signal import Signal, SignalUse
from worldgauge.engine.definitions import Definition, Seats
from worldgauge.engine.stages import Stages


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with stubs.own_registries():
        yield


def _seats(**networks: float) -> Seats:
    """Seat to gigabytes; 0 for an instrument without weights."""
    return Seats({seat: stubs.instrument(seat, size > 0, size) for seat, size in networks.items()}, "stubs")


def _definitions(seats: Seats, *uses: SignalUse) -> list[Definition]:
    return [stubs.definition(stubs.make_metric(f"m_{i}_{use.signal}", use), seats) for i, use in enumerate(uses)]


def _passes(stages: Stages) -> list[list[str]]:
    """The seats of the networks of each pass."""
    return [sorted(network.seat for network in networks) for networks in stages.networks]


def test_without_networks_there_is_one_pass() -> None:
    plain, seated = stubs.make_signal("s_plain"), stubs.make_signal("s_seated", seat="flow")
    seats = _seats(flow=0)
    stages = Stages.of(_definitions(seats, plain(), seated()), seats)
    assert stages.networks == ((),)
    assert stages.count == 1
    assert set(stages.of_use.values()) == set(stages.of_metric.values()) == {0}
    assert Stages.of([], seats).count == 1


def _chain() -> tuple[Signal, Signal, Signal]:
    # The alphabet alone would put `depth` before `poses` and `aesthetic` before both.
    poses = stubs.make_signal("s_poses", seat="poses")
    depth = stubs.make_signal("s_depth", seat="depth", needs=(poses(),))
    return poses, depth, stubs.make_signal("s_taste", seat="aesthetic", needs=(depth(),))


@pytest.mark.parametrize(
    ("budget", "passes"),
    [
        (None, [["aesthetic", "depth", "poses"]]),
        (6.0, [["aesthetic", "depth", "poses"]]),
        (5.9, [["depth", "poses"], ["aesthetic"]]),
        (4.0, [["poses"], ["aesthetic", "depth"]]),
        (3.0, [["poses"], ["depth"], ["aesthetic"]]),
        (0.5, [["poses"], ["depth"], ["aesthetic"]]),
    ],
)
def test_a_pass_takes_what_fits_in_the_order_of_what_builds_on_what(
    budget: float | None, passes: list[list[str]]
) -> None:
    poses, depth, taste = _chain()
    seats = _seats(poses=2.5, depth=2.0, aesthetic=1.5)
    definitions = _definitions(seats, taste(), depth(), poses())
    for order in permutations(definitions):
        stages = Stages.of(order, seats, budget)
        assert _passes(stages) == passes
        of_seat = {seat: k for k, of_pass in enumerate(passes) for seat in of_pass}
        assert stages.of_use == {poses(): of_seat["poses"], depth(): of_seat["depth"], taste(): of_seat["aesthetic"]}
        assert [stages.of_metric[d.id] for d in definitions] == [max(of_seat.values()), of_seat["depth"], 0]


def test_independent_networks_fill_up_the_first_pass_with_room() -> None:
    uses = [stubs.make_signal(f"s_{seat}", seat=seat)() for seat in ("style", "faces", "quality", "track")]
    seats = _seats(style=3.0, faces=1.0, quality=2.0, track=2.0)
    stages = Stages.of(_definitions(seats, *uses), seats, 4.0)
    # The larger ones first: two passes are the least for eight gigabytes.
    assert _passes(stages) == [["faces", "style"], ["quality", "track"]]
    assert stages.loaded_gigabytes(uses) == 4.0
    assert stages.loaded_gigabytes([]) == 0.0


def test_one_network_of_two_signals_is_loaded_once_after_the_one_between_them() -> None:
    flow = stubs.make_signal("s_flow", seat="flow")
    first = stubs.make_signal("s_first", seat="depth")
    third = stubs.make_signal("s_third", seat="depth", needs=(flow(),))
    reduced = stubs.make_signal("s_reduced", needs=(first(), flow()))
    seats = _seats(flow=1.0, depth=1.0)
    definitions = _definitions(seats, first(), third(), reduced())
    for order in permutations(definitions):
        stages = Stages.of(order, seats, 1.0)
        assert _passes(stages) == [["flow"], ["depth"]]
        assert stages.of_use == {flow(): 0, first(): 1, third(): 1, reduced(): 1}
        assert [stages.of_metric[d.id] for d in definitions] == [1, 1, 1]


def test_a_metric_waits_for_the_last_of_its_signals() -> None:
    poses, depth, _ = _chain()
    seats = _seats(poses=1.0, depth=1.0)
    both = stubs.definition(stubs.make_metric("m_both", depth(), poses()), seats)
    neither = stubs.definition(stubs.make_metric("m_neither"), seats)
    assert Stages.of([both, neither], seats, 1.0).of_metric == {"m_both": 1, "m_neither": 0}


def test_what_cannot_run_takes_no_room() -> None:
    lonely, present = stubs.make_signal("s_lonely", seat="faces"), stubs.make_signal("s_present", seat="flow")
    beside = stubs.make_signal("s_beside", seat="depth", needs=(lonely(),))
    seats = _seats(flow=1.0, depth=1.0)
    stages = Stages.of(_definitions(seats, lonely(), beside(), present()), seats, 1.0)
    # Nobody sits in `faces`, so nothing will be asked of `depth` either.
    assert _passes(stages) == [["flow"]]
    assert set(stages.of_use) == {lonely(), beside(), present()}


def test_the_reference_is_perceived_in_the_same_pass_as_the_video() -> None:
    poses, depth, _ = _chain()
    seats = _seats(poses=1.0, depth=1.0)
    stages = Stages.of(_definitions(seats, depth(of="reference")), seats, 1.0)
    assert stages.of_use == {poses(of="reference"): 0, depth(of="reference"): 1}


def test_what_is_not_kept_and_crosses_passes_is_spilled() -> None:
    flow = stubs.make_signal("s_flow", seat="flow", kept=False)
    early = stubs.make_signal("s_early", needs=(flow(),))
    late = stubs.make_signal("s_late", seat="depth", needs=(flow(),))
    seats = _seats(flow=1.0, depth=1.0)
    definitions = _definitions(seats, early(), late())
    assert Stages.of(definitions, seats, 1.0).spilled == {flow()}
    assert Stages.of(definitions, seats, 2.0).spilled == frozenset()


def test_what_no_network_makes_and_nobody_keeps_is_made_in_the_pass_that_asks_for_it() -> None:
    guess = stubs.make_signal("s_guess", kept=False)
    flow, judged = (
        stubs.make_signal("s_flow", seat="flow"),
        stubs.make_signal("s_judged", seat="depth", needs=(guess(),)),
    )
    base = stubs.make_signal("s_base", needs=(flow(),))
    wide = stubs.make_signal("s_wide", seat="depth", needs=(base(),))
    seats = _seats(flow=1.0, depth=1.0)
    stages = Stages.of(_definitions(seats, judged(), wide()), seats, 1.0)
    assert _passes(stages) == [["flow"], ["depth"]]
    assert stages.of_use[guess()] == 1
    assert stages.spilled == frozenset()
    plain = stubs.make_signal("s_plain", needs=(guess(),))
    both = Stages.of(_definitions(seats, judged(), wide(), plain()), seats, 1.0)
    assert both.of_use[guess()] == 0
    assert both.spilled == {guess()}


def test_a_value_too_large_to_wait_is_made_in_the_last_pass_that_reads_it_with_all_its_readers() -> None:
    """By the judge's answers a second reader comes a pass later: without this rule the value would wait in a file."""
    answer = stubs.make_signal("s_answer", seat="judge")
    scene = stubs.make_signal("s_scene", seat="reconstruction", kept=False, waits=False)
    camera = stubs.make_signal("s_camera", needs=(scene(),))
    above = stubs.make_signal("s_above", needs=(camera(),))
    views = stubs.make_signal("s_views", needs=(answer(), scene()))
    seats = _seats(judge=0, reconstruction=3.0)
    both = Stages.of(_definitions(seats, above(), views()), seats)
    assert {use.signal: stage for use, stage in both.of_use.items()} == dict.fromkeys(
        ("s_answer", "s_scene", "s_camera", "s_above", "s_views"), both.asking
    )
    assert both.spilled == frozenset() and _passes(both)[-1] == ["reconstruction"]
    alone = Stages.of(_definitions(seats, above()), seats)
    assert set(alone.of_use.values()) == {0}, "nothing else reads it"
