"""Roll, pitch and field of view against cameras that are known: edges of boxes by projection, and pictures of them."""

import numpy as np
import pytest

from functional.wire_boxes import boxes, camera, drawn_boxes
from worldgauge.functional.perspective import perspective, straight_lines
from worldgauge.instruments.pocket.perspective import VanishingPoints


@pytest.mark.parametrize(
    ("roll", "pitch", "yaw", "fov"),
    [(0, 0, 30, 60), (5, -10, 30, 60), (-8, 20, 20, 40), (15, -3, 40, 80), (0, 15, 2, 60), (0, 0, 45, 30)],
)
def test_a_known_camera(roll, pitch, yaw, fov):
    found = perspective(boxes(roll, pitch, yaw, fov))
    assert found.roll == pytest.approx(roll, abs=0.5)
    assert found.pitch == pytest.approx(pitch, abs=1.5)
    assert found.fov == pytest.approx(fov, abs=5)


def test_a_frontal_view_does_not_tell_the_field_of_view():
    """All level edges lead ahead or across: any lens could have taken it."""
    found = perspective(boxes(0, 0, 1, 60))
    assert found.roll == pytest.approx(0, abs=0.5)
    assert found.pitch == pytest.approx(0, abs=1.5)
    assert found.fov is None


def test_beams_under_a_ceiling_are_not_taken_for_uprights(monkeypatch):
    """Seen from below, lines that lead ahead point upwards in the picture as uprights do; they meet near its middle."""
    starts = np.random.default_rng(0).uniform([-2, -3, 3], [1, -2, 5], (30, 3))
    ends = np.stack([starts, starts + np.array([0, 0, 2])], axis=1) @ camera(0, 30, 16).T
    lines = (ends[..., :2] / ends[..., 2:] / np.tan(np.radians(20))).reshape(-1, 4)
    assert perspective(lines).roll is None
    monkeypatch.setattr("worldgauge.functional.perspective.FAR", 0.0)
    assert abs(perspective(lines).roll) > 10, "what would be said without looking where they meet"


@pytest.mark.parametrize("count", [0, 3, 200])
def test_lines_without_order_tell_nothing(count):
    ends = np.random.default_rng(0).uniform(-1, 1, (count, 4))
    found = perspective(ends)
    assert (found.pitch, found.fov) == (None, None)


def test_the_instrument_reads_a_picture():
    """The same boxes drawn with lines of two pixels; large pictures are looked at in a smaller size."""
    (found,) = VanishingPoints().views(drawn_boxes(6, -12, 35, 60)[None])
    assert found.roll == pytest.approx(6, abs=1)
    assert found.pitch == pytest.approx(-12, abs=3)
    assert found.fov == pytest.approx(60, abs=8)


def test_a_flat_picture_has_no_lines():
    assert len(straight_lines(np.full((40, 60), 90, np.uint8))) == 0
    assert VanishingPoints().view(np.full((40, 60, 3), 90, np.uint8)).roll is None
