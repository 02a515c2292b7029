"""Which instrument perceives for which signal: the user's, the benchmark's official one, the set's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from worldgauge.api.machine import chosen_numerics
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.core.manifest import benchmarks
from worldgauge.core.official import OfficialUse, official_instruments, official_uses
from worldgauge.engine.seats import Maker, Numerics, Seats, choose_seats

FLOW = OfficialUse(signal="flow_fields", official="sea_raft_m", parameters={"updates": 3}, what="SEA-RAFT")
NOBODY = OfficialUse(signal="object_track", what="none")
UNKNOWN = OfficialUse(signal="poses", official="a_slam_of_theirs", what="SLAM")
OFFICIAL = (FLOW, NOBODY, UNKNOWN)


def chosen(seats: Seats, *signals: str) -> list[str | None]:
    found = [seats.instrument(signal) for signal in signals]
    return [instrument and instrument.name for instrument in found]


def test_the_pocket_set_knows_no_official_instrument() -> None:
    seats = choose_seats("pocket", (), OFFICIAL)
    assert chosen(seats, "flow_fields", "object_track", "poses") == ["dis", "colour_track", "bundle"]
    assert [seats.reason_empty(name) for name in ("flow_fields", "poses", "pixel_errors")] == [None, None, None]


@pytest.mark.parametrize("name", ["auto", "reference"])
def test_the_official_instrument_sits_where_the_benchmark_names_one(name: str) -> None:
    seats = choose_seats(name, (), OFFICIAL)
    instrument = seats.instrument("flow_fields")
    assert instrument is not None
    assert (instrument.name, instrument.parameters["updates"]) == ("sea_raft_m", 3)
    # Without weights it is told what brings them, and what would do without.
    reason = seats.reason_empty("flow_fields") or ""
    assert reason.startswith("sea_raft_m: ") and reason.endswith(", or --instruments pocket")
    if "torch is not installed" not in reason:
        assert "worldgauge fetch sea_raft_m" in reason
    assert seats.instrument("poses") is None
    assert seats.reason_empty("poses") == (
        "the official instrument 'a_slam_of_theirs' is not part of this version, or --instruments pocket"
    )


def test_where_nobody_is_official_auto_takes_the_pocket_set_and_reference_its_own() -> None:
    auto, reference = choose_seats("auto", (), OFFICIAL), choose_seats("reference", (), OFFICIAL)
    assert chosen(auto, "object_track", "patch_embeddings") == ["colour_track", "patch_statistics"]
    assert chosen(reference, "object_track", "patch_embeddings") == ["sam2_hiera_b_plus_track", "dinov2_b14"]
    assert reference.reason_empty("neighbour_matches") == "no matches instrument in the 'reference' set"
    # Seats that nothing fills without weights have the network in them.
    assert auto.instruments["aesthetic"].name == "laion_aesthetic"


def test_the_users_signal_beats_the_users_seat_which_beats_the_official_one() -> None:
    pytest.importorskip("worldgauge.benchmarks.memobench")
    by_seat = choose_seats("auto", ["flow=dis:preset=fast"], OFFICIAL)
    assert chosen(by_seat, "flow_fields") == ["dis"]
    both = choose_seats("auto", ["flow_fields=raft_large:updates=2", "flow=dis"], OFFICIAL)
    assert chosen(both, "flow_fields", "memobench/phase_warp_errors") == ["raft_large", "dis"]
    assert both.of_signal["flow_fields"].parameters["updates"] == 2
    inside = choose_seats("pocket", ["phase_warp_errors=raft_large"], (), "memobench")
    assert chosen(inside, "memobench/phase_warp_errors", "flow_fields") == ["raft_large", "dis"]


def test_equal_instruments_are_one_object_and_unlike_ones_are_two() -> None:
    pytest.importorskip("worldgauge.benchmarks.memobench")
    same = OfficialUse(signal="memobench/phase_warp_errors", official="sea_raft_m", parameters={"updates": 3}, what="x")
    other = OfficialUse(signal="memobench/timed_warp_errors", official="sea_raft_m", what="x")
    seats = choose_seats("auto", (), (FLOW, same, other))
    flow, alike, unlike = (seats.of_signal[use.signal] for use in (FLOW, same, other))
    assert flow is alike and flow is not unlike
    assert flow.identity() == alike.identity() != unlike.identity()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("flow", "expected SEAT=INSTRUMENT or SIGNAL=INSTRUMENT"),
        ("flow=diss", "unknown instrument 'diss'; did you mean dis"),
        ("flow=bundle", "'bundle' is for the seat 'poses', not 'flow'"),
        ("poses_given_lens=dis", "'dis' is for the seat 'flow', not 'poses'"),
        ("flow=dis:present=fast", "unknown parameter of instrument 'dis' 'present'; did you mean preset"),
        ("flow_pairs=dis", "signal 'flow_pairs' asks no instrument; it rests on flow_fields"),
        ("flaw=dis", "unknown seat or signal 'flaw'; did you mean flow"),
        ("flow=raft_large:updates=many", "updates takes a int, got 'many'"),
    ],
)
def test_a_wrong_choice_is_one_clear_line(override: str, message: str) -> None:
    with pytest.raises(WorldGaugeError) as caught:
        choose_seats("pocket", [override])
    assert message in str(caught.value)


def test_a_wrong_official_parameter_is_one_clear_line() -> None:
    wrong = OfficialUse(signal="flow_fields", official="sea_raft_m", parameters={"halve": True}, what="x")
    with pytest.raises(
        WorldGaugeError, match="unknown parameter of instrument 'sea_raft_m' 'halve'; did you mean half"
    ):
        choose_seats("auto", (), (wrong,))


@pytest.mark.parametrize("name", benchmarks())
def test_what_our_benchmarks_say_is_official_can_be_made(name: str) -> None:
    from worldgauge.core.benchmark import read_benchmark_file

    file: BenchmarkFile = read_benchmark_file(name)
    for protocol in file.protocols:
        seats = choose_seats("auto", (), official_uses(file, protocol), name)
        for use in official_instruments(file).uses:
            told = use.under_protocol(protocol).official
            if told in INSTRUMENTS.names():
                assert told in {instrument.name for instrument in seats.of_signal.values()}


def test_networks_compute_as_asked() -> None:
    half = OfficialUse(signal="flow_fields", official="sea_raft_m", parameters={"dtype": "float16"}, what="SEA-RAFT")
    other = OfficialUse(signal="poses", official="clip_b32", what="CLIP", precise=True)

    def numbers(maker: Maker, *overrides: str) -> list[tuple[str, str]]:
        seats = choose_seats("reference", overrides, (half, other), maker=maker)
        found = [seats.instrument(name) for name in ("flow_fields", "poses")]
        return [(one.parameters["dtype"], one.parameters["tf32"]) for one in found if one is not None]

    plain = ("float32", "default")
    assert numbers(Maker()) == [("float16", "default"), plain]
    # What the faster way would change is left as it is, and exact is exact whatever the authors do.
    assert numbers(Maker("fast")) == [("float16", "on"), plain]
    assert numbers(Maker("exact")) == [("float32", "off"), ("float32", "off")]
    assert numbers(Maker("exact"), "flow_fields=sea_raft_m:dtype=bfloat16")[0] == ("bfloat16", "off")
    on_cpu = Maker()
    on_cpu.on_cpu = True
    assert numbers(on_cpu) == [plain, plain]
    fewer = choose_seats("reference", (), (half,), maker=Maker(batches={"sea_raft_m": 3}))
    assert fewer.of_signal["flow_fields"].parameters["batch"] == 3


@pytest.mark.parametrize(
    ("asked", "device", "protocol", "chosen"),
    [
        (None, "cuda", "released", "official"), (None, "cuda:1", "paper", "fast"), ("exact", "cuda", "paper", "exact"),
        ("fast", "cuda", "released", "fast"), ("fast", "cpu", "released", "official"), (None, "cpu", "x", "official"),
    ],
)  # fmt: skip
def test_which_way_to_compute(asked: Numerics | None, device: str, protocol: str, chosen: str) -> None:
    assert chosen_numerics(asked, device, protocol) == chosen


@dataclass(frozen=True)
class Grown(Instrument):
    """One that got a parameter without a new version."""

    seat: ClassVar[str] = "flow"
    name: ClassVar[str] = "grown"
    added: ClassVar[tuple[str, ...]] = ("extra",)
    step: int = 1
    extra: bool = False


def test_a_parameter_that_came_later_changes_a_key_only_where_it_is_chosen() -> None:
    assert Grown().identity()["parameters"] == {"step": 1}
    assert Grown(extra=True).identity()["parameters"] == {"step": 1, "extra": True}
