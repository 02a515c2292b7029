"""Causal consistency: does the world move on, rightly, and does the model do what it is told?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.data.case_parts import legs_of, seconds_of
from worldgauge.benchmarks.mbench.formulas.action import (
    ToUnit,
    action_scores,
    followed_cosines,
    ideal_twists,
    twists,
)
from worldgauge.benchmarks.mbench.formulas.control import (
    control_of,
    purpose,
    smoothed_twists,
    way_along,
    window_of,
)
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
    found, ideal = _steps_and_script(case, path)
    scores = action_scores(found, ideal, to_unit=to_unit, rotation_only=rotation_only, least=least)
    return Measurement.from_curve(scores)


@metric(
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[poses()],
    requires=("extras.legs", "case"),
    formula=followed_cosines,
)
def action_followed(case: Case, path: Arrays) -> Measurement:
    """Mean cosine of the camera's motion over half a second to the direction asked for, not below 0; turns by turns.

    Ours. Motion that is no more than the unrest of the poses counts as none. The curve is the cosine at each step.
    """
    motion = _ScriptedMotion.of(case, path)
    cosines = followed_cosines(motion.smooth, motion.ideal)
    curve = tuple(None if np.isnan(cosine) else float(cosine) for cosine in cosines)
    value = max(0.0, float(np.nanmean(cosines))) * motion.purpose
    return Measurement(value, curve, reason=f"mean cosine {np.nanmean(cosines):.3f}, {motion.told}")


@metric(
    version=2,
    unit="share",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[poses()],
    requires=("extras.legs", "case"),
    formula=control_of,
)
def executed_share(case: Case, path: Arrays) -> Measurement:
    """Share of the steps in which the camera goes the way asked for, less those the opposite way, over half a second.

    Ours. Motion that is no more than the unrest of the poses counts as none. The record has the share of the wrong way,
    the lag and an early stop. The curve is how far the camera has come along the first direction asked for: degrees,
    or scene depths.
    """
    motion = _ScriptedMotion.of(case, path)
    seen = control_of(motion.smooth, motion.ideal)
    axis = motion.ideal[(motion.ideal != 0).any(axis=1)][0]
    curve = way_along(motion.steps, axis)
    told = f"wrong way {seen.wrong:.2f}, lag {seen.lag:.2f} of the clip, stops {seen.stops_early:.2f} of it early"
    return Measurement(seen.executed * motion.purpose, curve=tuple(curve.tolist()), reason=f"{told}, {motion.told}")


@dataclass(frozen=True, eq=False)
class _ScriptedMotion:
    """A camera's motion and what its script asks of it, both (N-1, 6)."""

    steps: NDArray[np.float64]
    smooth: NDArray[np.float64]
    """The mean of each half second."""
    ideal: NDArray[np.float64]
    purpose: float

    @classmethod
    def of(cls, case: Case, path: Arrays) -> _ScriptedMotion:
        steps, ideal = _steps_and_script(case, path)
        window = window_of(len(steps), seconds_of(case))
        return cls(steps, smoothed_twists(path["poses"], ideal, window), ideal, purpose(steps, ideal, window))

    @property
    def told(self) -> str:
        return f"{self.purpose:.2f} beyond chance"


def _steps_and_script(case: Case, path: Arrays) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The camera's twist at each step, and the ideal one."""
    found = twists(path["poses"])
    if not len(found):
        raise InvalidVideo("a motion needs two frames")
    ideal = ideal_twists(legs_of(case), len(found))
    if not (ideal != 0).any():
        raise NotApplicable("the action script asks for no motion")
    return found, ideal
