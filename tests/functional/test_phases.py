"""Phase mapping: the examples of the released code, and the paper's disjoint phases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgauge.functional.phases import clamped_boundaries, split


@pytest.mark.parametrize(
    ("keyframes", "frames", "expected"),
    [
        ((100, 180), 81, (27, 49)),
        ((290, 299), 81, (77, 80)),
        ((0, 0), 81, (2, 4)),
        ((150, 100), 81, (40, 42)),
        ((100, 180), 4, (2, 4)),
        ((100, 180), 1, (2, 4)),
    ],
)
def test_clamped_boundaries(keyframes: tuple[int, int], frames: int, expected: tuple[int, int]) -> None:
    assert clamped_boundaries(*keyframes, 300, frames) == expected


def test_released_rounds_halves_to_even() -> None:
    assert [clamped_boundaries(h, 100, 162, 81)[0] for h in (5, 7, 9, 11)] == [2, 4, 4, 6]


def test_released_phases_share_their_boundary_frames_and_may_lack_the_last() -> None:
    phases = split(100, 180, 300, 81, "shared")
    assert (phases.visible_frames, phases.gone_frames, phases.back_frames) == (range(28), range(27, 50), range(49, 81))
    assert len(split(100, 180, 300, 4, "shared").back_frames) == 0


@given(st.integers(1, 400), st.integers(1, 300), st.data())
def test_paper_phases_are_disjoint_and_cover_the_clip(reference: int, frames: int, data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, reference))
    back = data.draw(st.integers(gone, reference))
    phases = split(gone, back, reference, frames, "disjoint")
    joined = [*phases.visible_frames, *phases.gone_frames, *phases.back_frames]
    assert joined == list(range(frames))
