"""Metrics on made signals: targets that do not come back, people seen once, cameras that stand still."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.mbench.test_formulas import LENS, noisy_matches, yaw
from worldgauge.benchmarks.mbench.metrics.causes import action
from worldgauge.benchmarks.mbench.metrics.objects import geometry, texture
from worldgauge.benchmarks.mbench.metrics.people import appearance, identity
from worldgauge.benchmarks.mbench.metrics.places import epipolar, lighting, lighting_by_view, reprojection
from worldgauge.benchmarks.mbench.metrics.triggers import geometric_trigger
from worldgauge.core.case import Case, Reference, Target
from worldgauge.core.errors import NotApplicable, Unscored

CASE = Case(id="a", tags={"setting": "A"}, extras={"legs": [["left", 0.5], ["right", 0.5]]})
E = np.eye(4)
CHOSEN = {
    "pairs": np.array([(0, 9), (1, 8)]), "step": np.zeros(2), "turn": np.ones(2), "rule": np.array("fold"),
    "turnaround": np.array(5), "excursion": np.array(0.4),
}  # fmt: skip


def looks(visible, vectors=None):
    shown = np.array(visible, bool)
    rows = np.tile(E[0], (len(shown), 1)) if vectors is None else np.array(vectors)
    return {"vectors": rows * shown[:, None], "visible": shown, "usable": np.ones(len(shown), bool)}


def test_texture_of_frames_that_show_the_target():
    found = texture.function(CASE, looks([1, 0, 1, 1], [E[0], E[0], E[1], E[0]]))
    expected = [2 / math.sqrt(5), 1 / math.sqrt(5), 2 / math.sqrt(5)]
    assert found.curve == (pytest.approx(expected[0]), None, *map(pytest.approx, expected[1:]))
    assert found.value == pytest.approx(sum(expected) / 3)


@pytest.mark.parametrize(
    ("visible", "absent", "value"),
    [
        ([1, 1, 0, 0], "skip", 1.0),
        ([1, 1, 0, 0], "zero", 0.0),
        ([1, 0, 0, 1], "zero", 1.0),
        ([1, 0, 0, 1], "zero_frames", 0.5),
        ([0, 0, 0, 0], "zero", 0.0),
    ],
)
def test_a_target_that_does_not_come_back(visible, absent, value):
    assert texture.function(CASE, looks(visible), absent=absent).value == pytest.approx(value)


def test_a_target_seen_once_is_its_own_mean():
    with pytest.raises(Unscored, match="1 of 4 frames") as caught:
        texture.function(CASE, looks([1, 0, 0, 0]))
    assert caught.value.code == "target-not-there"


def likeness(scores, seen_late, moved=0.0):
    numbers = np.array(scores, np.float64)
    return {
        "masked": numbers, "map": numbers / 2, "whole": np.ones(len(numbers)),
        "area": np.full(len(numbers), 0.1), "seen_late": np.array(seen_late, np.float64),
        "moved": np.full(len(numbers), moved),
    }  # fmt: skip


def test_geometry_over_pairs():
    found = geometry.function(CASE, likeness([0.8, np.nan], [1, 1]), CHOSEN)
    assert (found.value, found.curve, found.frames) == (0.8, (0.8, None), [0, 1])
    assert "1 of 2 pairs" in found.reason and "rule fold, turnaround 5 at 0.400" in found.reason
    assert geometry.function(CASE, likeness([0.8, 0.6], [1, 1]), CHOSEN, region="map").value == pytest.approx(0.35)
    with pytest.raises(Unscored, match="no pair of views"):
        geometry.function(CASE, likeness([np.nan, np.nan], [1, 0]), CHOSEN)


def test_the_record_of_geometry_tells_of_a_target_that_moves():
    still, moved = (geometry.function(CASE, likeness([0.4, 0.4], [1, 1], by), CHOSEN) for by in (0.05, 1.5))
    assert still.value == moved.value and "moved" not in still.reason
    assert "the target moved by 1.50 of its size, and this score is for ones that stand still" in moved.reason
    assert geometry.function(CASE, likeness([0.3, 0.3], [0, 0]), CHOSEN, absent="zero").value == 0.0
    assert geometry.function(CASE, likeness([0.3, 0.8], [0, 1]), CHOSEN, absent="zero_frames").value == 0.4


def faces(frames, vectors, sampled=8):
    rows = np.array(vectors, np.float32).reshape(len(frames), -1 if len(frames) else 1)
    return {"sampled": np.arange(sampled), "frame": np.array(frames, int), "vectors": rows}


def test_identity_over_people():
    found = identity.function(CASE, faces([0, 0, 7, 7], [E[0], E[1], (E[0] + E[2]) / math.sqrt(2), E[1]]))
    assert found.curve == pytest.approx((math.cos(math.pi / 8), 1.0), abs=1e-6)
    assert "2 of 2 tracks" in found.reason


def test_a_person_seen_once_is_no_track():
    """A single face is its own mean and would score 1."""
    once = faces([0, 1, 1], [E[0], E[0], E[1]])
    assert identity.function(CASE, once).reason.startswith("1 of 2 tracks")
    with pytest.raises(Unscored, match="nobody is seen twice"):
        identity.function(CASE, faces([0, 7], [E[0], E[1]]))
    assert identity.function(CASE, faces([0, 7], [E[0], E[1]]), least_length=1).value == 1.0
    assert identity.function(CASE, faces([0, 1], [E[0], E[0]]), absent="zero").value == 0.0
    assert identity.function(CASE, faces([0, 7], [E[0], E[0]]), absent="zero_frames").value == pytest.approx(2 / 8)
    assert identity.function(CASE, faces([], np.zeros((0, 1))), absent="zero").value == 0.0
    with pytest.raises(Unscored):
        identity.function(CASE, faces([], np.zeros((0, 1))))


def test_appearance_follows_the_faces():
    """Bodies are compared within a person; a face without a body has none."""
    found = faces([0, 3, 7], [E[0]] * 3)
    bodies = {"vectors": np.array([E[0], np.zeros(4), E[1]], np.float32)}
    assert appearance.function(CASE, found, bodies).value == pytest.approx(math.sqrt(0.5))


def views(baseline, sigma=0.5):
    points, _, second = noisy_matches(baseline, sigma, count=400)
    poses = np.tile(np.eye(4), (10, 1, 1))
    second[:3, 3] /= 5.0
    poses[8:] = second
    path = {"poses": poses, "intrinsics": LENS, "size": np.array([640, 360])}
    # Poses are in median depths, as are the points then.
    return path, {"points": np.concatenate([points, points]), "starts": np.array([0, 400, 800])}


@pytest.mark.parametrize(("metric", "factor"), [(epipolar, 2.0), (reprojection, 1.0)])
def test_spatial_scores_of_noise(metric, factor):
    path, matches = views(0.1)
    found = metric.function(CASE, path, CHOSEN, matches)
    error = factor / math.sqrt(math.pi) * 0.5
    assert found.value == pytest.approx(math.exp(-error), rel=0.05)
    smaller = metric.function(CASE, path, CHOSEN, matches, long_side=320)
    assert smaller.value == pytest.approx(math.exp(-error / 2), rel=0.05)


@pytest.mark.parametrize("metric", [epipolar, reprojection])
def test_without_a_baseline_there_is_no_number_or_a_turn(metric):
    path, matches = views(1e-9)
    with pytest.raises(Unscored, match=r"2 of 2 pairs have a baseline below 0\.02") as caught:
        metric.function(CASE, path, CHOSEN, matches)
    assert caught.value.code == "baseline"
    turned = metric.function(CASE, path, CHOSEN, matches, degenerate="rotation")
    assert turned.value == pytest.approx(math.exp(-math.sqrt(math.pi) * 0.5), rel=0.05)
    kept = metric.function(CASE, path, CHOSEN, matches, degenerate="keep")
    assert 0 <= kept.value < 1


def test_too_few_matches_are_told():
    path, matches = views(0.1)
    few = {"points": matches["points"][:8], "starts": np.array([0, 4, 8])}
    with pytest.raises(Unscored) as caught:
        epipolar.function(CASE, path, CHOSEN, few)
    assert caught.value.code == "too-few-matches"


def test_lighting_by_time_and_by_view():
    """Both ways of pairing see a lamp that is brighter on the way back, none sees one that is brighter at the turn."""
    means = np.tile([50.0, 0.0, 0.0], (10, 1))
    means[6:, 0] += 8.0
    light = {"means": means}
    assert lighting.function(CASE, light, tau=10).value == pytest.approx(math.exp(-0.4))
    assert lighting_by_view.function(CASE, light, CHOSEN, tau=10).value == pytest.approx(math.exp(-0.4))
    means[6:, 0] -= 8.0
    means[4:6, 0] += 8.0
    assert lighting.function(CASE, light).value == 1.0


def test_action_of_a_clip():
    there_and_back = {"poses": yaw(-np.concatenate([np.arange(5), np.arange(3, -1, -1)]) * 4.0)}
    assert action.function(CASE, there_and_back).value == pytest.approx(1.0)
    assert action.function(CASE, {"poses": yaw(np.zeros(9))}).value == 0.0
    still = CASE.model_copy(update={"extras": {"legs": [["wait", 1.0]]}})
    with pytest.raises(NotApplicable):
        action.function(still, there_and_back)


def triggered(poses, box=None):
    target = None if box is None else Target(name="", box=box)
    case = CASE.model_copy(update={"reference": Reference(target=target)})
    path = {"poses": poses, "intrinsics": LENS, "size": np.array([640, 360])}
    return geometric_trigger.function(case, path).value


OUT = np.concatenate([np.linspace(0, 1, 20), np.linspace(1, 0, 20)])
LEFT_BOX, RIGHT_BOX = (10, 100, 100, 200), (540, 100, 630, 200)


def rolled(degrees):
    """A camera that turns about its own line of sight."""
    angle = np.radians(degrees)
    poses = np.tile(np.eye(4), (len(angle), 1, 1))
    poses[:, 0, 0] = poses[:, 1, 1] = np.cos(angle)
    poses[:, 0, 1], poses[:, 1, 0] = -np.sin(angle), np.sin(angle)
    return poses


def moved(axis, steps):
    poses = np.tile(np.eye(4), (len(steps), 1, 1))
    poses[:, axis, 3] = steps
    return poses


@pytest.mark.parametrize(
    ("poses", "box", "value"),
    [
        (yaw(np.zeros(40)), None, 0.0),
        (yaw(-70 * OUT[:20]), None, 0.0),
        (yaw(-70 * OUT), None, 1.0),
        (yaw(70 * OUT), None, 1.0),
        # Half a view: what is left of the middle stays in a picture that turns left.
        (yaw(-40 * OUT), None, 0.0),
        (yaw(-40 * OUT), LEFT_BOX, 0.0),
        (yaw(40 * OUT), LEFT_BOX, 1.0),
        (yaw(-40 * OUT), RIGHT_BOX, 1.0),
        (rolled(180 * OUT), None, 0.0),
        (rolled(180 * OUT), (200, 100, 260, 200), 0.0),
        (moved(0, 2.0 * OUT), None, 1.0),
        (moved(2, 0.9 * OUT), LEFT_BOX, 1.0),
        (moved(2, 0.5 * OUT), (300, 150, 340, 200), 0.0),
        (moved(1, 0.5 * OUT), None, 0.0),
    ],
)
def test_the_geometric_trigger(poses, box, value):
    """The target's box, or the whole first view, leaves the picture and comes back, whichever way."""
    assert triggered(poses, box) == value
