"""Visible, gone, back: keyframes of a reference clip mapped to a clip of another length, and frames picked from phases.

Two rules. `disjoint`: keyframes scale linearly, first frame to first and last to last, as the pairs of frames do;
phases are half-open. `shared`: boundaries are clamped so that no phase is empty, phases are closed on both sides and
share their boundary frames; keyframes in the wrong order are taken as they are.

Source: MemoBench; `shared` is its released code, `disjoint` its paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from worldgauge.core.errors import NotApplicable

Rule = Literal["shared", "disjoint"]


@dataclass(frozen=True)
class Split:
    """Frame numbers of the three phases of a clip."""

    gone: int
    """First frame without the target."""
    back: int
    """First frame with the target fully back."""
    visible_frames: range
    gone_frames: range
    back_frames: range


def clamped_boundaries(gone: int, back: int, reference_frames: int, frames: int) -> tuple[int, int]:
    """Keyframes in a clip of `frames` frames; halves round to even, then clamping. Below five frames `back` is outside.

    >>> clamped_boundaries(100, 180, 300, 81), clamped_boundaries(0, 0, 300, 81), clamped_boundaries(31, 49, 65, 4)
    ((27, 49), (2, 4), (2, 4))
    """
    mapped_gone = max(2, min(round(gone / reference_frames * frames), frames - 4))
    mapped_back = max(mapped_gone + 2, min(round(back / reference_frames * frames), frames - 1))
    return mapped_gone, mapped_back


def linear_boundaries(gone: int, back: int, reference_frames: int, frames: int) -> tuple[int, int]:
    """Keyframes in a clip of `frames` frames: scaled so that both ends meet, rounded half up, kept within the clip.

    The map is the one that pairs frames, so the frame paired with the reference's last is never outside the last phase.

    >>> linear_boundaries(100, 180, 300, 81), linear_boundaries(0, 0, 300, 81), linear_boundaries(100, 299, 300, 81)
    ((27, 48), (0, 0), (27, 80))
    """
    steps, scale = max(reference_frames - 1, 1), frames - 1
    mapped_gone, mapped_back = ((2 * k * scale + steps) // (2 * steps) for k in (gone, back))
    mapped_gone = min(max(mapped_gone, 0), frames)
    return mapped_gone, min(max(mapped_back, mapped_gone), frames)


def split(gone: int, back: int, reference_frames: int, frames: int, rule: Rule) -> Split:
    """The three phases of a clip, from keyframes of its reference.

    >>> split(100, 180, 300, 81, "disjoint").gone_frames, split(100, 180, 300, 81, "shared").gone_frames
    (range(27, 48), range(27, 50))
    """
    if rule == "disjoint":
        if back < gone:
            raise NotApplicable(f"keyframes {gone} and {back}: the target is back before it is gone")
        h, r = linear_boundaries(gone, back, reference_frames, frames)
        return Split(h, r, range(h), range(h, r), range(r, frames))
    h, r = clamped_boundaries(gone, back, reference_frames, frames)
    return Split(h, r, range(h + 1), range(h, r + 1), range(r, frames))


def spread(phase: range, count: int) -> list[int]:
    """`count` frames from the first to the last of a phase, rounded down, repeating in short ones; one if it has one.

    >>> spread(range(10, 20), 3), spread(range(4, 6), 3), spread(range(8, 9), 9)
    ([10, 14, 19], [4, 4, 5], [8])
    """
    if len(phase) <= 1:
        return [phase.start]
    return [phase.start + int(i * (len(phase) - 1) / (count - 1)) for i in range(count)]


def stride_pairs(phase: range, stride: int) -> list[tuple[int, int]]:
    """Consecutive pairs of the frames first, first + stride, ... of a phase.

    >>> stride_pairs(range(0, 10), 4)
    [(0, 4), (4, 8)]
    """
    indices = phase[::stride]
    return list(pairwise(indices))


def spread_pairs(phase: range, count: int, frames: int) -> list[tuple[int, int]]:
    """Consecutive pairs of `count` frames spread over a phase, none when it has fewer than two frames.

    >>> spread_pairs(range(10, 20), 3, frames=30), spread_pairs(range(8, 9), 3, frames=9)
    ([(10, 14), (14, 19)], [])
    """
    return list(pairwise(clamp(spread(phase, count), frames))) if len(phase) > 1 else []


def stretch(first: int, last: int, count: int) -> list[int]:
    """`count` numbers from `first` to `last`, rounded half to even.

    >>> stretch(10, 20, 5), stretch(3, 9, 1)
    ([10, 12, 15, 18, 20], [3])
    """
    if count == 1:
        return [first]
    return [round(first + i * (last - first) / (count - 1)) for i in range(count)]


def clamp(indices: Sequence[int], frames: int) -> list[int]:
    """Indices forced into a clip of `frames` frames.

    >>> clamp([-1, 2, 9], 4)
    [0, 2, 3]
    """
    return [max(0, min(index, frames - 1)) for index in indices]
