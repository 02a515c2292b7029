"""Phases from visibility: closed examples, no rendering."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks.phases import Visibility, complaint, find_phases
from worldgauge.core.case import Phases


def _masks(*columns: slice | None) -> np.ndarray:
    """One frame per entry: a bar over the given columns of a 10 x 20 picture."""
    out = np.zeros((len(columns), 10, 20), bool)
    for frame, span in zip(out, columns, strict=True):
        if span is not None:
            frame[3:6, span] = True
    return out


def test_back_waits_until_nothing_is_cut() -> None:
    seen = _masks(slice(8, 12), slice(16, 20), None, None, slice(18, 20), slice(14, 18), slice(8, 12))
    assert find_phases(Visibility.of(seen, seen)) == Phases(gone=2, back=5)


def test_back_waits_until_it_is_unhidden() -> None:
    whole = _masks(slice(8, 12), slice(8, 12), slice(8, 12), slice(8, 12))
    seen = _masks(slice(8, 12), None, slice(8, 10), slice(8, 12))
    assert find_phases(Visibility.of(seen, whole)) == Phases(gone=1, back=3)


def test_no_phases_without_absence_or_return() -> None:
    always = _masks(slice(8, 12), slice(8, 12))
    lost = _masks(slice(8, 12), None, None)
    assert find_phases(Visibility.of(always, always)) is None
    assert find_phases(Visibility.of(lost, lost)) is None


def test_complaints() -> None:
    def says(*columns: slice | None, leaves: bool = True, smallest: int = 1) -> str:
        masks = _masks(*columns)
        return complaint(Visibility.of(masks, masks), leaves, smallest)

    here = slice(8, 12)
    assert says(here, here, None, here) == ""
    assert "first frame" in says(None, here)
    assert "too small" in says(here, here, None, here, smallest=13)
    assert "never leaves" in says(here, here, here)
    assert "come back" in says(here, here, None, None)
    assert "stay in view" in says(here, None, here)
    assert "stay in view" in says(here, here, None, here, None)
    assert says(here, here, here, leaves=False) == ""
