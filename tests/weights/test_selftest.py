"""`doctor --selftest`: instruments are tried, and one that is out of order is found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from weights.conftest import Command
from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.engine.selftest import _judged, made_case, relative_difference, selftest


@dataclass(frozen=True)
class Even(Instrument):
    """The mean grey level."""

    seat: ClassVar[str] = "quality"
    name: ClassVar[str] = "even"

    def figures(self, frames: Any) -> dict[str, Any]:
        return {"overall": frames.mean((1, 2, 3)) / 255}


@dataclass(frozen=True)
class Blank(Even):
    """Nothing but NaN."""

    name: ClassVar[str] = "blank"

    def figures(self, frames: Any) -> dict[str, Any]:
        return {"overall": np.full(len(frames), np.nan)}


@dataclass(frozen=True)
class Broken(Even):
    """Falls over."""

    name: ClassVar[str] = "broken"

    def figures(self, frames: Any) -> dict[str, Any]:
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


def test_the_clip_is_made_and_moves(tmp_path: Path) -> None:
    case, clip, reference = made_case(tmp_path)
    assert case.reference.target is not None
    assert clip.digest != reference.digest
    assert made_case(tmp_path)[1].digest == clip.digest


def test_differences() -> None:
    one = np.array([1.0, np.nan, -4.0])
    assert relative_difference(one, one) == 0
    assert relative_difference(one, np.array([2.0, np.nan, -4.0])) == 0.25
    assert relative_difference(one, np.array([1.0, 1.0, -4.0])) == float("inf")
    assert relative_difference(one, one[:2]) == float("inf")
    assert relative_difference(np.array(["a"]), np.array(["b"])) == float("inf")
    assert relative_difference(np.array([True]), np.array([False])) == float("inf")


def test_a_gpu_that_computes_something_else_is_found() -> None:
    one = {"overall": np.array([1.0, 2.0])}
    near, far = {"overall": np.array([1.0, 2.001])}, {"overall": np.array([1.0, 2.5])}
    assert _judged(Even(), "frame_quality", 1.0, {"cpu": one, "cuda": near}).status == "ok"
    found = _judged(Even(), "frame_quality", 1.0, {"cpu": one, "cuda": far})
    assert (found.status, found.told) == ("failed", "GPU and CPU differ by 0.2 of the largest number")


@pytest.mark.nightly
def test_the_pocket_instruments_work() -> None:
    tried = list(selftest())
    assert {one.instrument: one.told for one in tried if one.status == "failed"} == {}
    assert sum(one.status == "ok" for one in tried) >= 8
