"""Frames that show nothing count as those around them: losing some of a part of the clip gives it no less weight."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.core.case import Case, Phases, Reference
from worldgauge.core.metric import METRICS, Measurement

LOST = [16, 17]
"""In the part of the clip that differs from the rest."""
USED = np.isin(np.arange(20), LOST, invert=True)
ALL = np.ones(20, bool)


def _presence(used: np.ndarray) -> Measurement:
    case = Case(id="x", reference=Reference(phases=Phases(gone=5, back=10)))
    track = {"usable": used, "visible": used & (np.arange(20) < 14)}
    found: Measurement = METRICS.get("object_presence").function(case, track)
    return found


def _style(used: np.ndarray) -> Measurement:
    apart = np.where(used, np.where(np.arange(20) < 14, 0.2, 1.6), 2.0)[:, None]
    style = {"size": np.ones((20, 1)), "to_first": apart, "usable": used}
    found: Measurement = METRICS.get("style_consistency").function(Case(id="x"), style)
    return found


@pytest.mark.parametrize(("measure", "about"), [(_presence, 10), (_style, 20)])
def test_lost_frames_change_nothing_where_those_around_them_are_alike(measure, about: int) -> None:
    whole, hurt = measure(ALL), measure(USED)
    assert hurt.value == pytest.approx(whole.value, abs=1e-9) and 0.1 < whole.value < 0.9
    assert hurt.left_out == pytest.approx(len(LOST) / about) and "2 of 20 frames left out" in hurt.reason
    assert [k for k, value in zip(hurt.frames or range(20), hurt.curve, strict=True) if value is None] == LOST
