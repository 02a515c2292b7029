"""What a worker holds ready."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import stubs
from worldgauge.core.errors import Unavailable
from worldgauge.engine.definitions import Seats
from worldgauge.engine.loaded import Loaded


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with stubs.own_registries():
        for seat in ("flow", "poses", "depth", "faces"):
            stubs.make_signal(f"s_{seat}", seat=seat)
        stubs.make_signal("s_flow_too", seat="flow")
        yield


def _loaded(**networks: bool) -> tuple[Loaded, Seats]:
    seats = Seats({seat: stubs.instrument(seat, network) for seat, network in networks.items()}, "stubs")
    return Loaded(seats, "cpu:7"), seats


def _loads(seats: Seats, seat: str) -> list[str]:
    loads: list[str] = seats.instruments[seat].loads  # type: ignore[attr-defined]
    return loads


def test_an_instrument_is_loaded_once_on_the_device_of_the_worker() -> None:
    loaded, seats = _loaded(flow=False, poses=False)
    assert loaded.get("s_flow") is loaded.get("s_flow") is seats.instruments["flow"]
    assert loaded.get("s_poses") is seats.instruments["poses"]
    assert loaded.get("s_flow_too") is seats.instruments["flow"]
    assert _loads(seats, "flow") == ["flow-stub on cpu:7"]


def test_networks_stay_until_a_pass_does_not_ask_them() -> None:
    loaded, seats = _loaded(depth=True, faces=True, flow=False)
    for name in ("s_flow", "s_depth", "s_faces", "s_depth", "s_flow"):
        loaded.get(name)
    assert _loads(seats, "depth") == ["depth-stub on cpu:7"]
    loaded.keep_only([seats.instruments["faces"]])
    assert _loads(seats, "depth") == ["depth-stub on cpu:7", "depth-stub released"]
    assert _loads(seats, "faces") == ["faces-stub on cpu:7"]
    # What has no weights takes no room.
    assert _loads(seats, "flow") == ["flow-stub on cpu:7"]
    loaded.keep_only()
    assert _loads(seats, "faces")[-1] == "faces-stub released"


def test_signals_of_one_seat_may_ask_different_instruments() -> None:
    usual, other = stubs.instrument("flow", network=False), stubs.instrument("flow", network=True)
    loaded = Loaded(Seats({"flow": usual}, "stubs", {"s_flow_too": other}), "cpu")
    assert loaded.get("s_flow") is usual
    assert loaded.get("s_flow_too") is other


def test_an_empty_seat_and_an_instrument_that_cannot_run_say_why() -> None:
    broken = stubs.instrument("flow", network=True, why_not="needs a driver")
    loaded = Loaded(Seats({"flow": broken}, "stubs"), "cpu")
    with pytest.raises(Unavailable, match="no faces instrument in the 'stubs' set"):
        loaded.get("s_faces")
    with pytest.raises(Unavailable, match="flow-stub: needs a driver"):
        loaded.get("s_flow")
    assert broken.loads == []  # type: ignore[attr-defined]
