"""Looks of a returned target beside the true one: painted pictures whose difference is known."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.functional.return_evidence import colour_histogram
from worldgauge.signals.return_evidence import SAMPLES, _compare, _sampled

ROWS, COLUMNS = np.mgrid[:60, :80]
GREEN, RED, WHITE = (60, 130, 50), (200, 40, 40), (230, 230, 230)
CANDLE = (abs(COLUMNS - 30) < 8) & (abs(ROWS - 30) < 16)


def picture(candle: np.ndarray) -> np.ndarray:
    """A red candle on white feet before green."""
    painted = np.full((60, 80, 3), GREEN, np.uint8)
    painted[candle] = RED
    painted[candle & (ROWS >= 40)] = WHITE
    return painted


def looks(ours: np.ndarray, mask: np.ndarray) -> tuple[float, float]:
    """`looks_true` and `looks_there` beside the true candle."""
    theirs = picture(CANDLE)
    then = colour_histogram(theirs, CANDLE)
    row = _compare(ours, theirs, mask, CANDLE, (then, then))
    return row["looks_true"], row["looks_there"]


def test_what_a_track_leaves_out_is_no_other_look() -> None:
    without_feet = CANDLE & (ROWS < 40)
    looks_true, looks_there = looks(picture(CANDLE), without_feet)
    assert looks_true > 0.2
    assert looks_there == pytest.approx(0.0, abs=1e-6)


def test_a_shorter_candle_looks_otherwise_though_its_colours_are_the_same() -> None:
    shorter = CANDLE & (ROWS > 22)
    assert looks(picture(shorter), shorter)[1] > 0.2


def test_elsewhere_only_the_target_itself_is_compared() -> None:
    aside = np.roll(CANDLE, 30, 1)
    assert looks(picture(aside), aside) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_a_frame_that_is_not_usable_is_sampled_next_to_it_and_the_others_stay() -> None:
    used = np.ones(40, bool)
    before = _sampled(range(10, 31), used)
    used[[before[2], before[2] + 1]] = False
    after = _sampled(range(10, 31), used)
    assert len(before) == SAMPLES and after[2] == before[2] - 1
    assert after[:2] + after[3:] == before[:2] + before[3:]
    assert _sampled(range(10, 31), np.zeros(40, bool)) == []


def test_a_frame_right_behind_a_gap_is_sampled_only_where_no_other_is_left() -> None:
    used = np.ones(40, bool)
    used[13] = False
    assert 14 in _sampled(range(10, 31), np.ones(40, bool))
    assert 14 not in _sampled(range(10, 31), used) and 15 in _sampled(range(10, 31), used)
    used[:] = np.arange(40) == 14
    assert set(_sampled(range(10, 31), used)) == {14}
