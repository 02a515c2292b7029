"""What answers are expected to take, and what is set aside for calls that have no reply yet."""

from __future__ import annotations

from worldgauge.core.asking import Expected, Spending
from worldgauge.core.purse import Purse


def test_what_two_questions_take_adds_up() -> None:
    one, other = Expected(1, 2, (30, 40), (0.5, 0.75)), Expected(3, 4, (100, 200), (0.25, 1.0))
    assert one + other == Expected(4, 6, (130, 240), (0.75, 1.75))
    assert (one + Expected(cost=None)).cost is None


def test_a_reply_gives_back_what_was_set_aside_for_it_alone() -> None:
    purse = Purse(Spending(cost=10.0))
    first, second = purse.reserve(2.0), purse.reserve(1.5)
    purse.settle(first, 0.25)
    assert purse.state() == {"calls": 2, "spent": 0.25, "unknown": 0, "reserved": 1.5}
    purse.settle(second, None)
    assert purse.state() == {"calls": 2, "spent": 0.25, "unknown": 1.5, "reserved": 0}
