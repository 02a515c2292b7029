"""Frame specs: which frames, which size, which key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgauge.core.case import Phases
from worldgauge.core.errors import InvalidVideo, NotApplicable, WorldGaugeError
from worldgauge.core.frames import FrameSpec


@pytest.mark.parametrize(
    ("spec", "count", "expected"),
    [
        (FrameSpec(), 4, [0, 1, 2, 3]),
        (FrameSpec.every(3), 8, [0, 3, 6]),
        (FrameSpec.uniform(4), 10, [0, 3, 6, 9]),
        (FrameSpec.uniform(1), 10, [0]),
        (FrameSpec.uniform(9), 3, [0, 1, 2]),
        (FrameSpec.at(0, -1, 2), 5, [0, 4, 2]),
    ],
)
def test_indices(spec: FrameSpec, count: int, expected: list[int]) -> None:
    assert spec.indices(count) == expected


def test_phases_split_the_clip() -> None:
    phases = Phases(gone=3, back=6)
    parts = [FrameSpec.during(name).indices(9, phases) for name in ("visible", "gone", "back")]
    assert parts == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_phase_beyond_a_short_clip_is_empty() -> None:
    assert FrameSpec.during("back").indices(5, Phases(gone=3, back=6)) == []


def test_a_case_without_phases_is_not_applicable() -> None:
    with pytest.raises(NotApplicable, match="no phases"):
        FrameSpec.during("gone").indices(5)


def test_frame_outside_the_clip_is_the_subjects_fault() -> None:
    with pytest.raises(InvalidVideo, match="frame 7 is asked for, the clip has 5"):
        FrameSpec.at(7).indices(5)


def test_unknown_interpolation_is_refused() -> None:
    with pytest.raises(WorldGaugeError, match="unknown interpolation 'cubic'"):
        FrameSpec().resized(4, 4, "cubic")  # type: ignore[arg-type]


@given(st.integers(1, 200), st.integers(1, 300))
def test_uniform_spans_the_clip_without_repeats(number: int, count: int) -> None:
    indices = FrameSpec.uniform(number).indices(count)
    assert indices == sorted(set(indices))
    assert len(indices) == min(number, count)
    assert indices[0] == 0
    assert indices[-1] == (count - 1 if number > 1 else 0)


@given(st.integers(1, 4000), st.integers(1, 4000), st.integers(1, 1000))
def test_max_side_is_kept_and_never_enlarges(width: int, height: int, side: int) -> None:
    out = FrameSpec().within(side).output_size(width, height)
    assert max(out) <= max(side, 1)
    assert out[0] <= width
    assert out[1] <= height


def test_key_leaves_out_what_changes_nothing() -> None:
    assert FrameSpec(interpolation="bicubic").to_json() == FrameSpec().to_json()
    assert FrameSpec().within(9).to_json() != FrameSpec().within(9, "bicubic").to_json()
