"""Measured twins of rules of physics, beside the judge: from the course of the thing a case is about.

The thing is the case's target, known by its box or mask in the first frame. Twins are there for gravity, impact and
compression, and for processes that run backwards; the other rules have none.
"""

from __future__ import annotations

from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.measured_physics import Verdict, compression, gravity, impact
from worldgauge.benchmarks.worldolympiad.formulas.measured_reversal import NO_DIRECTION, reversal
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import Course, course_of
from worldgauge.benchmarks.worldolympiad.formulas.thing_states import states_of
from worldgauge.benchmarks.worldolympiad.signals.thing_motion import thing_motion
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.core.signal import Arrays

BOTH: dict[str, Any] = {
    "unit": "",
    "higher_is_better": True,
    "bounds": (0, 1),
    "needs": [thing_motion(), thing_motion(of="reference")],
}


@metric(**BOTH, version=2, formula=gravity)
def measured_gravity(case: Case, ours: Arrays, true: Arrays) -> Measurement:
    """1 where what falls gathers speed, 0 where the thing rises without slowing down and nothing lifts it in the
    reference; nothing is said where nothing falls."""
    course = _course(ours)
    return _told(gravity(course, _reference(true)), course)


@metric(**BOTH, formula=impact)
def measured_impact(case: Case, ours: Arrays, true: Arrays) -> Measurement:
    """1 where what carries the thing holds it, 0 where the thing sinks into it, or sinks in the open without falling;
    nothing is said where it moves up or down as a whole."""
    course = _course(ours)
    return _told(impact(course, _reference(true)), course)


@metric(**BOTH, formula=compression)
def measured_compression(case: Case, ours: Arrays, true: Arrays) -> Measurement:
    """0 where the area of the thing, the camera's approach taken out, grows far more than in the reference, else 1."""
    course = _course(ours)
    return _told(compression(course, _reference(true)), course)


@metric(**BOTH, version=3, formula=reversal)
def measured_reversal(case: Case, ours: Arrays, true: Arrays) -> Measurement:
    """0 where the process of the thing goes back on the way that the reference shows, 1 where it does not; nothing is
    said of processes without a direction."""
    states, reference = states_of(ours), states_of(true)
    if isinstance(reference, str):
        raise Unscored(f"in the reference {reference}", code=OF_THE_CASE)
    if isinstance(states, str):
        raise Unscored(states)
    said = reversal(states, reference)
    if said.holds is None:
        raise NotApplicable(said.reason) if said.reason.startswith(NO_DIRECTION) else Unscored(said.reason)
    return Measurement(float(said.holds), None, said.reason)


def _course(found: Arrays) -> Course:
    course = course_of(found)
    if isinstance(course, str):
        raise Unscored(course)
    return course


def _reference(found: Arrays) -> Course:
    course = course_of(found)
    if isinstance(course, str):
        raise Unscored(f"in the reference {course}", code=OF_THE_CASE)
    return course


def _told(said: Verdict, course: Course) -> Measurement:
    if said.holds is None:
        raise NotApplicable(said.reason)
    frames = range(course.first, course.first + len(course))
    return Measurement(float(said.holds), tuple(course.height.tolist()), said.reason, frames=frames)
