"""What a worker holds ready, and what the signals of one case cost."""

from __future__ import annotations

import pytest

import stubs
from worldgauge.core.errors import Unavailable
from worldgauge.engine.definitions import Seats
from worldgauge.engine.perception import Loaded


def _loaded(**networks: bool) -> tuple[Loaded, Seats]:
    seats = Seats({seat: stubs.instrument(seat, network) for seat, network in networks.items()}, "stubs")
    return Loaded(seats, "cpu:7"), seats


def _loads(seats: Seats, seat: str) -> list[str]:
    loads: list[str] = seats.instruments[seat].loads  # type: ignore[attr-defined]
    return loads


def test_an_instrument_is_loaded_once_on_the_device_of_the_worker() -> None:
    loaded, seats = _loaded(flow=False, poses=False)
    assert loaded.get("flow") is loaded.get("flow") is seats.instruments["flow"]
    assert loaded.get("poses") is seats.instruments["poses"]
    assert loaded.get("flow") is seats.instruments["flow"]
    assert _loads(seats, "flow") == ["flow-stub on cpu:7"]


def test_the_next_network_takes_the_place_of_the_last() -> None:
    loaded, seats = _loaded(depth=True, faces=True, flow=False)
    for seat in ("flow", "depth", "faces", "depth", "flow"):
        assert loaded.get(seat) is seats.instruments[seat]
    # The first network was let go, so it is loaded again; what has no weights stays.
    assert len(_loads(seats, "depth")) == 2
    assert len(_loads(seats, "faces")) == 1
    assert len(_loads(seats, "flow")) == 1


def test_an_instrument_without_weights_lets_go_of_nothing() -> None:
    loaded, seats = _loaded(depth=True, flow=False)
    for seat in ("depth", "flow", "depth"):
        loaded.get(seat)
    assert len(_loads(seats, "depth")) == 1


def test_an_empty_seat_and_an_instrument_that_cannot_run_say_why() -> None:
    broken = stubs.instrument("flow", network=True, why_not="needs a driver")
    loaded = Loaded(Seats({"flow": broken}, "stubs"), "cpu")
    with pytest.raises(Unavailable, match="no faces instrument in the 'stubs' set"):
        loaded.get("faces")
    with pytest.raises(Unavailable, match="flow-stub: needs a driver"):
        loaded.get("flow")
    assert broken.loads == []  # type: ignore[attr-defined]
