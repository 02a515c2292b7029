"""Causal consistency: does the world move on, rightly, and does the model do what it is told?"""

from __future__ import annotations

from worldgauge.benchmarks.mbench.data.case_parts import legs_of
from worldgauge.benchmarks.mbench.formulas.action import ToUnit, action_scores, ideal_twists, twists
from worldgauge.benchmarks.mbench.formulas.control import control_of, way_along
from worldgauge.benchmarks.mbench.formulas.evolution import Gate, evolution_correctness, state_evolution
from worldgauge.benchmarks.mbench.signals.answers import direction_answer, evolution_answers
from worldgauge.benchmarks.mbench.signals.rendering import caption_similarities
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.judge.session import answer_in
from worldgauge.signals.poses import poses


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[evolution_answers()], formula=state_evolution)
def state(case: Case, answers: Arrays) -> Measurement:
    """How far the judge sees the state move on, 1 to 5 brought to 0 to 1."""
    given = answer_in(answers)["state"]
    return Measurement(state_evolution(given["answer"]), reason=f"state {given['answer']}")


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[evolution_answers()], formula=evolution_correctness)
def correctness(case: Case, answers: Arrays, *, gate: Gate = "gated") -> Measurement:
    """How plausible the judge finds the evolution, times how far it goes; `plain_fifths` leaves the latter out."""
    given = answer_in(answers)
    grades = given["state"]["answer"], given["plausibility"]["answer"]
    value = evolution_correctness(*grades, gate)
    return Measurement(value, reason=f"state {grades[0]}, plausibility {grades[1]}")


@metric(
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[evolution_answers(), direction_answer()],
    formula=state_evolution,
)
def state_forward(case: Case, answers: Arrays, direction: Arrays) -> Measurement:
    """State evolution that counts only where the process runs forward: what runs backwards is no evolution."""
    grade, way = answer_in(answers)["state"]["answer"], answer_in(direction)["direction"]["answer"]
    value = state_evolution(grade) if way == "forward" else 0.0
    return Measurement(value, reason=f"state {grade}, the process runs {way}")


@metric(unit="cosine", higher_is_better=True, bounds=(-1, 1), needs=[caption_similarities()])
def text(case: Case, found: Arrays) -> Measurement:
    """Mean cosine of frames and the captions of their segments.

    Source: MBench, Eq. 15.
    """
    return Measurement.from_curve(found["cosine"], frames=found["frame"].tolist())


@metric(
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[poses()],
    requires=("extras.legs",),
    formula=action_scores,
)
def action(
    case: Case, path: Arrays, *, to_unit: ToUnit = "half", rotation_only: bool = False, least: float = 1e-6
) -> Measurement:
    """Mean likeness of the camera's motion to the direction asked for, over the steps that ask for one."""
    found = twists(path["poses"])
    if not len(found):
        raise InvalidVideo("a motion needs two frames")
    ideal = ideal_twists(legs_of(case), len(found))
    if not (ideal != 0).any():
        raise NotApplicable("the action script asks for no motion")
    scores = action_scores(found, ideal, to_unit=to_unit, rotation_only=rotation_only, least=least)
    return Measurement.from_curve(scores)


@metric(
    unit="share", higher_is_better=True, bounds=(0, 1), needs=[poses()], requires=("extras.legs",), formula=control_of
)
def executed_share(case: Case, path: Arrays) -> Measurement:
    """Share of the steps that ask for a motion in which the camera goes that way; lag, wrong way and early stop beside.

    The curve is how far the camera has come along the first direction asked for: degrees, or scene depths.
    """
    found = twists(path["poses"])
    if not len(found):
        raise InvalidVideo("a motion needs two frames")
    ideal = ideal_twists(legs_of(case), len(found))
    if not (ideal != 0).any():
        raise NotApplicable("the action script asks for no motion")
    seen = control_of(found, ideal)
    axis = ideal[(ideal != 0).any(axis=1)][0]
    curve = way_along(found, axis)
    told = f"wrong way {seen.wrong:.2f}, lag {seen.lag:.2f} of the clip, stops {seen.stops_early:.2f} of it early"
    return Measurement(seen.executed, curve=tuple(curve.tolist()), reason=told)
