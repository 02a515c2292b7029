"""Children that are killed, hang or lie: each ends as one error in time, and no process is left."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from isolated.gone import wait_until_gone
from worldgauge.core.errors import Unscored
from worldgauge.instruments.isolated import network, process
from worldgauge.instruments.isolated.network import IsolatedNetwork, NotLoaded
from worldgauge.instruments.isolated.process import Child, ChildFailed, Died, Hello, Hung, Lied, Refused

LIAR = Path(__file__).with_name("liar.py")
EXPECTED = {"x": ("<f8", (2,))}


def started(*arguments: object) -> Child:
    return Child([sys.executable, "-S", str(LIAR), *map(str, arguments)], "liar")


def isolated(*arguments: object, seconds: float = 20) -> IsolatedNetwork:
    command = [sys.executable, "-S", str(LIAR), *map(str, arguments)]
    return IsolatedNetwork(command, "liar", Hello("", {}), ({}, {}, "cpu"), seconds)


@pytest.mark.parametrize(
    ("kind", "error", "told"),
    [
        ("shape", Lied, "liar: its process sends x <f8 3, not x <f8 2"),
        ("huge", Lied, "sends x <f8 1099511627776, not x <f8 2"),
        ("nothing", Lied, "sends nothing, not x"),
        ("strange kind", Lied, "a wrong list of arrays"),
        ("number", Lied, "answers 2, asked was 1"),
        ("prints", Lied, "begins with b'Load'"),
        ("long header", Lied, "a header of 2147483648 bytes"),
        ("torn", Lied, "ends after 9 of 16 bytes"),
        ("dies", Died, "its process ended by SIGKILL; it wrote last: terminate called: bad allocation"),
        ("fails", Refused, "liar: RuntimeError: CUDA out of memory"),
        ("undecided", Unscored, "liar: no two frames overlap"),
    ],
)
def test_what_goes_wrong_is_one_line(kind: str, error: type[Exception], told: str) -> None:
    asked = started(kind)
    with pytest.raises(error, match=re.escape(told)) as caught:
        asked.ask({}, {}, EXPECTED, 20)
    assert "\n" not in str(caught.value)
    if error in (Lied, Died):
        wait_until_gone(asked.pid)
    asked.stop()
    wait_until_gone(asked.pid)


@pytest.mark.parametrize(
    ("kind", "told"),
    [("other protocol", "speaks protocol 99, not 1"), ("garbage", "is no message")],
)
def test_a_wrong_greeting_is_refused(kind: str, told: str) -> None:
    with pytest.raises(Lied, match=told):
        started(kind)


def test_one_that_fails_at_once_is_not_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    monkeypatch.setattr(process._Errors, "__init__", lambda self, started: begun.append(started.pid))
    with pytest.raises(Refused, match="ImportError: no module named torch"):
        started("fails at once")
    wait_until_gone(begun[0])


def test_what_cannot_be_started_is_one_line() -> None:
    with pytest.raises(Died, match="cannot be started"):
        Child(["/no/such/python"], "liar")


@pytest.mark.parametrize("kind", ["hangs", "leaves a holder of its pipe"])
def test_nothing_waits_for_ever(kind: str) -> None:
    asked = started(kind)
    begun = time.monotonic()
    with pytest.raises(Hung, match=r"an answer took longer than 0\.5 s"):
        asked.ask({}, {}, EXPECTED, 0.5)
    assert time.monotonic() - begun < 5
    wait_until_gone(asked.pid)


def test_a_child_that_does_not_read_is_not_waited_for() -> None:
    """Frames are larger than a pipe holds."""
    asked = started("hangs")
    frames = np.zeros((4, 256, 256, 3), np.uint8)
    with pytest.raises(Hung):
        asked.ask({"frames": frames}, {}, EXPECTED, 0.5)
    wait_until_gone(asked.pid)


def test_a_child_that_does_not_greet_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START_SECONDS", 0.4)
    with pytest.raises(Hung, match="its greeting took longer"):
        started("no greeting")


def test_one_crash_is_made_good(tmp_path: Path) -> None:
    asked = isolated("dies once", tmp_path / "died")
    assert asked.answer({}, {}, EXPECTED)["x"].tolist() == [1.0, 2.0]
    assert asked.answer({}, {}, EXPECTED)["x"].tolist() == [1.0, 2.0]
    assert asked.starts == 2
    asked.stop()


def test_restarts_are_bounded() -> None:
    asked = isolated("dies")
    for _ in range(network.GIVE_UP):
        with pytest.raises(Died):
            asked.answer({}, {}, EXPECTED)
    assert asked.starts == network.GIVE_UP * network.ATTEMPTS
    with pytest.raises(ChildFailed, match="given up after 3 clips without an answer; last liar: its process ended"):
        asked.answer({}, {}, EXPECTED)
    assert asked.starts == network.GIVE_UP * network.ATTEMPTS


def test_a_liar_is_not_asked_the_same_again() -> None:
    asked = isolated("shape")
    with pytest.raises(Lied):
        asked.answer({}, {}, EXPECTED)
    assert asked.starts == 1


def test_one_that_says_what_went_wrong_stays() -> None:
    asked = isolated("fails")
    for _ in range(network.GIVE_UP + 1):
        with pytest.raises(Refused):
            asked.answer({}, {}, EXPECTED)
    assert asked.starts == 1
    asked.stop()


def test_one_that_cannot_load_is_told_and_given_up() -> None:
    asked = isolated("cannot load")
    for _ in range(network.GIVE_UP):
        with pytest.raises(NotLoaded, match="the weights do not fit"):
            asked.answer({}, {}, EXPECTED)
    with pytest.raises(ChildFailed, match="given up"):
        asked.answer({}, {}, EXPECTED)


def test_packages_that_change_under_a_run_are_noticed() -> None:
    command = [sys.executable, "-S", str(LIAR), "good"]
    asked = IsolatedNetwork(command, "liar", Hello("", {"torch": "1"}), ({}, {}, "cpu"), 20)
    with pytest.raises(Lied, match="the packages of its environment changed"):
        asked.answer({}, {}, EXPECTED)


def test_it_is_gone_with_the_one_who_held_it() -> None:
    held = started("good")
    pid = held.pid
    assert held.ask({}, {}, EXPECTED, 20)["x"].tolist() == [1.0, 2.0]
    del held
    wait_until_gone(pid)
