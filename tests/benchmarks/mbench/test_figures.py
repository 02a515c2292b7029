"""What the case page draws: the way of the camera against the script, and which views were compared."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.mbench.test_formulas import yaw
from worldgauge.benchmarks.mbench.figures import control_drawn, pairs_drawn, target_drawn
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case

LEFT_RIGHT = Case(
    id="a", tags={"setting": "A", "condition": "left_then_right"}, extras={"legs": [["left", 0.5], ["right", 0.5]]}
)
THERE_AND_BACK = np.array([0.0, -10, -20, -30, -40, -30, -20, -10, 0])


def drawn(case, degrees):
    (figure,) = control_drawn(case, {"poses": yaw(np.array(degrees, np.float64))})
    return figure


def test_yaw_against_the_ideal_of_the_script():
    exact = drawn(LEFT_RIGHT, THERE_AND_BACK)
    assert exact.found == pytest.approx(THERE_AND_BACK, abs=1e-6)
    assert exact.asked == pytest.approx(THERE_AND_BACK, abs=1e-6)
    assert (exact.title, exact.unit) == ("Yaw over frames", "degrees, right is up")
    assert "does not say how far" in exact.note
    wrong = drawn(LEFT_RIGHT, -THERE_AND_BACK / 2)
    assert wrong.found == pytest.approx(-THERE_AND_BACK / 2, abs=1e-6)
    assert wrong.asked == pytest.approx(THERE_AND_BACK / 2, abs=1e-6), "the right way, as far as the camera goes"


def test_whole_turns_and_the_case_s_own_camera(tmp_path):
    turns = LEFT_RIGHT.model_copy(update={"tags": {"condition": "right_720"}, "extras": {"legs": [["right", 1.0]]}})
    figure = drawn(turns, np.linspace(0, 400, 9))
    assert (figure.found[-1], figure.asked[-1]) == pytest.approx((400, 720))
    CameraPath(yaw(np.linspace(0, -60, 5))).save(tmp_path / "camera.npz")
    own = LEFT_RIGHT.model_copy(
        update={"condition": LEFT_RIGHT.condition.model_copy(update={"camera": "camera.npz"})}
    ).at(tmp_path)
    assert drawn(own, THERE_AND_BACK).asked == pytest.approx(np.linspace(0, -60, 9), abs=1e-6)


def test_a_way_ahead_is_told_in_scene_depths():
    ahead = LEFT_RIGHT.model_copy(update={"tags": {}, "extras": {"legs": [["forward", 0.5], ["backward", 0.5]]}})
    poses = np.tile(np.eye(4), (5, 1, 1))
    poses[:, 2, 3] = (0, 0.2, 0.4, 0.2, 0)
    (figure,) = control_drawn(ahead, {"poses": poses})
    assert figure.found == pytest.approx((0, 0.2, 0.4, 0.2, 0)) and figure.asked == pytest.approx(figure.found)
    assert figure.unit.startswith("scene depths")


@pytest.mark.parametrize("extras", [{}, {"legs": [["wait", 1.0]]}])
def test_nothing_is_drawn_where_nothing_is_asked(extras):
    case = LEFT_RIGHT.model_copy(update={"extras": extras})
    assert list(control_drawn(case, {"poses": yaw(THERE_AND_BACK)})) == []


def in_view(*areas):
    return {"visible": np.array(areas) > 0, "area": np.array(areas, np.float64)}


def test_a_clip_is_held_against_what_its_script_promises():
    (kept,) = target_drawn(
        LEFT_RIGHT, in_view(0.2, 0.1, 0, 0.1, 0.2), {"poses": yaw(np.array([0.0, -30, -60, -30, 0]))}
    )
    assert kept.found == (1.0, 0.5, 0.0, 0.5, 1.0) and kept.note.startswith("As the script promises")
    (frozen,) = target_drawn(LEFT_RIGHT, in_view(0.2, 0.2, 0.2, 0.2, 0.2))
    assert "in view in 1 of 1 waiting frames" in frozen.note
    (lost,) = target_drawn(LEFT_RIGHT, in_view(0.2, 0.1, 0, 0, 0), {"poses": yaw(np.array([0.0, -30, -60, -40, -20]))})
    assert "not back at the end; it ends 20.0 degrees" in lost.note
    text = LEFT_RIGHT.model_copy(update={"extras": {}})
    assert list(target_drawn(text, in_view(0.2, 0.1))) == []


def chosen(rule, turnaround=4, excursion=0.22):
    return {
        "pairs": np.array([(0, 8), (1, 7)]), "step": np.array([0.0, 0.01]), "turn": np.array([0.5, 1.0]),
        "rule": np.array(rule), "turnaround": np.array(turnaround), "excursion": np.array(excursion),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "marks", "note"),
    [
        ("fold", {"turnaround": 4}, "Turnaround at frame 4, 0.220 from the first pose"),
        ("symmetric", {}, "No clear turnaround: frame 4, the farthest, is 0.220"),
        ("early_late", {}, "The most similar poses of the first two and the last two segments."),
    ],
)
def test_pairs_with_their_evidence(rule, marks, note):
    (figure,) = pairs_drawn(LEFT_RIGHT, chosen(rule))
    assert figure.pairs == ((0, 8), (1, 7)) and figure.marks == marks and figure.note.startswith(note)
    assert figure.facts == {"step, scene depths": (0.0, 0.01), "turn, degrees": (0.5, 1.0)}
