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


def _tones(used: np.ndarray) -> Measurement:
    tones = np.where(used, np.where(np.arange(20) < 14, 0.9, 0.1), 1.0)
    found: Measurement = METRICS.get("tonal_smoothness").function(Case(id="x"), {"tones": tones}, {"usable": used})
    return found


def _moments(name: str, shown: np.ndarray, true: np.ndarray, used: np.ndarray) -> Measurement:
    glimpses = np.where(used[:, None, None, None], shown, 0.0)
    found: Measurement = METRICS.get(name).function(
        Case(id="x"), {"glimpses": glimpses}, {"glimpses": true}, {"usable": used}
    )
    return found


def _pan() -> np.ndarray:
    """Glimpses of a camera that pans over a rough scene."""
    scene = np.random.default_rng(1).uniform(30, 220, (27, 200, 3))
    return np.stack([scene[:, 3 * k : 3 * k + 48] for k in range(20)])


def _double(used: np.ndarray) -> Measurement:
    true = _pan()
    ghosted = np.concatenate([true[:14], (true[14:] + true[13:19]) / 2])
    return _moments("double_images", ghosted, true, used)


def _out_of_step(used: np.ndarray) -> Measurement:
    true = _pan()
    return _moments("out_of_step", np.concatenate([true[:14], true[4:10]]), true, used)


@pytest.mark.parametrize(
    ("measure", "about"), [(_presence, 10), (_style, 20), (_tones, 20), (_double, 20), (_out_of_step, 20)]
)
def test_lost_frames_change_nothing_where_those_around_them_are_alike(measure, about: int) -> None:
    whole, hurt = measure(ALL), measure(USED)
    assert hurt.value == pytest.approx(whole.value, abs=1e-9) and 0.1 < whole.value < 0.9
    assert hurt.left_out == pytest.approx(len(LOST) / about) and "2 of 20 frames left out" in hurt.reason
    assert [k for k, value in zip(hurt.frames or range(20), hurt.curve, strict=True) if value is None] == LOST
