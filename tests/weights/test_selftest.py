"""`doctor --selftest`: instruments are tried, and one that is out of order is found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from weights.conftest import Command
from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.engine.selftest import made_case, relative_difference, selftest


@dataclass(frozen=True)
class Even(Instrument):
    """Grey levels instead of filter responses."""

    seat: ClassVar[str] = "style_features"
    name: ClassVar[str] = "even"

    def grams(self, frames: Any) -> tuple[Any, ...]:
        return (frames.mean((1, 2))[:, :1, None],) * 5


@dataclass(frozen=True)
class Blank(Even):
    """Nothing but NaN."""

    name: ClassVar[str] = "blank"

    def grams(self, frames: Any) -> tuple[Any, ...]:
        return (np.full((len(frames), 1, 1), np.nan, np.float32),) * 5


@dataclass(frozen=True)
class Broken(Even):
    """Falls over."""

    name: ClassVar[str] = "broken"

    def grams(self, frames: Any) -> tuple[Any, ...]:
        raise RuntimeError("no such kernel")


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No instruments but these; the pocket ones stay in their seats."""
    made = {kind.name: kind for kind in (Even, Blank, Broken)}
    others = INSTRUMENTS.get
    monkeypatch.setattr(INSTRUMENTS, "names", lambda: sorted(made))
    monkeypatch.setattr(INSTRUMENTS, "get", lambda name: made.get(name) or others(name))


def test_broken_ones_are_found(only: None, command: Command) -> None:
    found = {tried.instrument: tried for tried in selftest()}
    assert {name: tried.status for name, tried in found.items()} == {
        "blank": "failed",
        "broken": "failed",
        "even": "ok",
    }
    assert found["broken"].told == "RuntimeError: no such kernel"
    assert "holds no number at all" in found["blank"].told
    code, out, _ = command("doctor", "--selftest", "--json")
    assert code == 1
    assert {one["instrument"] for one in json.loads(out)} == {"even", "blank", "broken"}
    assert "1 of 3 instruments work, 2 fail" in command("doctor", "--selftest")[1]


def test_the_clip_is_made_and_moves() -> None:
    case, clip, reference = made_case()
    assert case.reference.target is not None
    assert clip.digest != reference.digest
    assert made_case()[1].digest == clip.digest


def test_differences() -> None:
    one = np.array([1.0, np.nan, -4.0])
    assert relative_difference(one, one) == 0
    assert relative_difference(one, np.array([2.0, np.nan, -4.0])) == 0.25
    assert relative_difference(one, np.array([1.0, 1.0, -4.0])) == float("inf")
    assert relative_difference(one, one[:2]) == float("inf")
    assert relative_difference(np.array(["a"]), np.array(["b"])) == float("inf")
    assert relative_difference(np.array([True]), np.array([False])) == float("inf")


@pytest.mark.nightly
def test_the_pocket_instruments_work() -> None:
    tried = list(selftest())
    assert {one.instrument: one.told for one in tried if one.status == "failed"} == {}
    assert sum(one.status == "ok" for one in tried) >= 8
