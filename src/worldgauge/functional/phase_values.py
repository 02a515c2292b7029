"""Numbers of a clip by phase: which pairs of frames count, and their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import NDArray

from worldgauge.core.errors import InvalidVideo
from worldgauge.functional.pairing import phase_pairs
from worldgauge.functional.phases import Rule, Split, split

Arrays = Mapping[str, NDArray[Any]]
"""`keyframes` (gone, back) of the reference, `lengths` (clip, reference), `pairs` (P, 2) and numbers (P,) by name."""
PhaseChoice = Literal["visible", "gone", "back", "all"]


def phases_of(arrays: Arrays, rule: Rule) -> Split:
    """The phases of the clip that the arrays were read from.

    >>> import numpy as np
    >>> phases_of({"keyframes": np.array([2, 4]), "lengths": np.array([6, 6])}, "disjoint").back_frames
    range(4, 6)
    """
    (gone, back), (frames, reference_frames) = arrays["keyframes"].tolist(), arrays["lengths"].tolist()
    return split(gone, back, reference_frames, frames, rule)


def phase_values(arrays: Arrays, name: str, phase: PhaseChoice, rule: Rule) -> list[float]:
    """The numbers of the pairs that a phase compares; a clip without that phase is invalid."""
    return values_of_pairs(arrays, name, _pairs_of(arrays, phase, rule))


def phase_frames(arrays: Arrays, phase: PhaseChoice, rule: Rule) -> list[int]:
    """The clip's frames that the numbers of `phase_values` belong to."""
    return frames_of_pairs(arrays, _pairs_of(arrays, phase, rule))


def values_of_pairs(arrays: Arrays, name: str, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """The numbers of these pairs, in this order; pairs that were not measured have none."""
    rows = _rows(arrays)
    return [float(arrays[name][rows[pair]]) for pair in pairs if pair in rows]


def frames_of_pairs(arrays: Arrays, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The first frame of each of these pairs that was measured: where the numbers of `values_of_pairs` belong."""
    rows = _rows(arrays)
    return [pair[0] for pair in pairs if pair in rows]


def _pairs_of(arrays: Arrays, phase: PhaseChoice, rule: Rule) -> list[tuple[int, int]]:
    (gone, back), (frames, reference_frames) = arrays["keyframes"].tolist(), arrays["lengths"].tolist()
    pairs = phase_pairs(gone, back, reference_frames, frames, rule)[phase]
    if not pairs:
        raise InvalidVideo(f"the clip of {frames} frames has no {phase} phase")
    return pairs


def _rows(arrays: Arrays) -> dict[tuple[int, int], int]:
    return {(int(i), int(j)): number for number, (i, j) in enumerate(arrays["pairs"])}
