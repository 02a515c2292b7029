"""`instruments.toml`: every seat a benchmark asks for has its official instrument; mistakes are one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.core.benchmark import BenchmarkFile, read_benchmark_file, resolved_uses
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.manifest import benchmarks
from worldgauge.core.metric import METRICS
from worldgauge.core.official import FILE_NAME, OfficialUse, official_instruments, official_uses, read_instruments
from worldgauge.core.signal import SIGNALS
from worldgauge.engine.definitions import Seats, all_uses, choose_seats


@pytest.mark.parametrize("name", benchmarks())
def test_every_seat_has_an_official_instrument(name: str) -> None:
    file = read_benchmark_file(name)
    known = official_instruments(file)
    asked = {
        (need.signal, protocol)
        for protocol in file.protocols
        for seats in _chosen(official_uses(file, protocol))
        for use in resolved_uses(file, protocol)
        for need in all_uses(METRICS.get(use.use), seats)
        if SIGNALS.get(need.signal).seat is not None
    }
    assert asked
    assert not [(signal, protocol) for signal, protocol in asked if known.of(signal, protocol) is None]
    # What differs in a signal that looks through nothing is told there, too.
    named = {SIGNALS.full_name(use.signal, name) for use in known.uses if use.official or not use.differs}
    assert named == {signal for signal, _ in asked}, "an entry nothing asks for"


def _chosen(official: tuple[OfficialUse, ...]) -> tuple[Seats, ...]:
    """What a signal needs may depend on the instruments: the pocket's, the official ones, and a mixture of both."""
    mixed = choose_seats("reference", ["reconstruction=point_splat"], official)
    return choose_seats(), choose_seats("reference", official=official), mixed


@pytest.mark.parametrize("name", benchmarks())
def test_an_official_instrument_sits_in_the_seat_its_signal_asks_for(name: str) -> None:
    """One that is registered; others are not part of this version, and runs say so."""
    file = read_benchmark_file(name)
    seats = {
        (use.signal, use.official): (SIGNALS.get(use.signal).seat, INSTRUMENTS.get(use.official).seat)
        for protocol in file.protocols
        for use in official_uses(file, protocol)
        if use.official in INSTRUMENTS.names()
    }
    assert {key: both for key, both in seats.items() if both[0] != both[1]} == {}


FILE = BenchmarkFile(name="b", protocols=("old", "new"))
GOOD = """
schema = 1
benchmark = "b"
[[use]]
signal = "flow_fields"
official = "raft"
parameters = { range = "unit" }
what = "RAFT"
under.new = { official = "raft2", parameters = {} }
"""


def written(folder: Path, text: str) -> Path:
    (folder / FILE_NAME).write_text(text)
    return folder


def test_a_protocol_says_only_what_differs(tmp_path: Path) -> None:
    found = read_instruments(written(tmp_path, GOOD), FILE)
    old, new = found.of("flow_fields", "old"), found.of("flow_fields", "new")
    assert old is not None and new is not None
    assert (old.official, old.parameters, old.what) == ("raft", {"range": "unit"}, "RAFT")
    assert (new.official, new.parameters, new.what) == ("raft2", {}, "RAFT")
    assert found.of("poses", "old") is None


def test_a_benchmark_need_not_name_any(tmp_path: Path) -> None:
    assert read_instruments(tmp_path, FILE).uses == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[[use]]", "[[use"), "is not valid TOML"),
        (("what", "wat"), "use.0.what: Field required"),
        (("flow_fields", "flow_feelds"), "unknown signal 'flow_feelds'; did you mean flow_fields"),
        (("flow_fields", "pixel_errors"), "signal 'pixel_errors' asks for no seat"),
        (("under.new", "under.newer"), "unknown protocol of 'flow_fields' 'newer'; did you mean new?"),
        (('benchmark = "b"', 'benchmark = "c"'), "it is about benchmark 'c', not 'b'"),
    ],
)
def test_one_clear_error(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(WorldGaugeError) as caught:
        read_instruments(written(tmp_path, GOOD.replace(*change)), FILE)
    assert message in str(caught.value)
    assert FILE_NAME in str(caught.value)


def test_a_signal_stands_there_once(tmp_path: Path) -> None:
    use = GOOD[GOOD.index("[[use]]") :]
    with pytest.raises(WorldGaugeError, match="signal 'flow_fields' stands there twice"):
        read_instruments(written(tmp_path, f"{GOOD}\n{use}"), FILE)
