"""What was found in a picture is found once, and never mistaken for another picture's."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.instruments.pocket import matches
from worldgauge.instruments.pocket.matches import SiftMatches
from worldgauge.instruments.pocket.remembered import Remembered, digest_of


def test_the_answers_asked_for_least_recently_are_forgotten() -> None:
    asked: list[int] = []
    memory = Remembered[int](2)

    def square(number: int) -> int:
        asked.append(number)
        return number**2

    for number in (1, 2, 1, 3, 1, 2):
        assert memory.of(number, lambda number=number: square(number)) == number**2
    assert asked == [1, 2, 3, 2]


def test_what_fails_is_not_remembered() -> None:
    memory = Remembered[int](2)
    with pytest.raises(ZeroDivisionError):
        memory.of("x", lambda: 1 // 0)
    assert memory.of("x", lambda: 7) == 7


def test_a_digest_tells_sizes_and_pixels_apart() -> None:
    wide = np.zeros((2, 8), np.uint8)
    other = wide.copy()
    other[1, 3] = 1
    found = {digest_of([wide]), digest_of([wide.T]), digest_of([wide.reshape(4, 4)]), digest_of([other])}
    assert len(found) == 4 and digest_of([wide.T]) == digest_of([np.ascontiguousarray(wide.T)])


def test_features_of_the_same_picture_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "_SEEN", Remembered[matches.Features](4))
    frame = np.random.default_rng(0).integers(0, 255, (48, 64), np.uint8).repeat(2, 0).repeat(2, 1)
    first = SiftMatches().features_of(frame)
    assert SiftMatches().features_of(frame.copy()) is first
    assert SiftMatches(most=50).features_of(frame) is not first
    changed = frame.copy()
    changed[40:60, 40:60] = 0
    assert SiftMatches().features_of(changed) is not first
