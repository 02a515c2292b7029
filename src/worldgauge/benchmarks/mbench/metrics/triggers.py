"""Trigger rates: does a clip hold the challenge to memory that it was made for?"""

from __future__ import annotations

from worldgauge.benchmarks.mbench.data.case_parts import legs_of
from worldgauge.benchmarks.mbench.formulas.geometric_trigger import (
    excursion_of,
    leaves_and_returns,
    turn_that_hides,
)
from worldgauge.benchmarks.mbench.signals.answers import trigger_answer
from worldgauge.benchmarks.mbench.signals.frames import clip_length
from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.judge.session import answer_in
from worldgauge.signals.poses import poses


@metric(unit="share", higher_is_better=True, bounds=(0, 1), needs=[trigger_answer()])
def trigger(case: Case, answers: Arrays, *, least_confidence: int = 0) -> Measurement:
    """1 where the judge sees the challenge of the case's subset in the clip, else 0.

    The curve holds the judge's confidence, 0 to 1; a yes of less than `least_confidence` percent is a no.

    Source: MBench, Eq. 1.
    """
    given = answer_in(answers)
    word, sure = given["trigger"]["answer"], given["confidence"]["answer"]
    value = float(word == "yes" and sure >= least_confidence)
    return Measurement(value, curve=(sure / 100,), reason=f"{word}, confidence {sure}", frames=[0])


@metric(unit="share", higher_is_better=True, bounds=(0, 1), needs=[clip_length()])
def always_triggered(case: Case, length: Arrays) -> Measurement:
    """1 for every clip that can be read: the action script, or the captions, are the challenge.

    Source: MBench, 4.1 and Eq. 1.
    """
    return Measurement(1.0, reason=f"{int(length['count'])} frames")


@metric(
    unit="share",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[poses()],
    requires=("extras.legs",),
    formula=leaves_and_returns,
)
def geometric_trigger(
    case: Case, path: Arrays, *, step: float = 0.5, home_turn: float = 10.0, home_step: float = 0.15
) -> Measurement:
    """1 where the camera really leaves the first view, or the target's box in it, and comes back; ours, for actions."""
    went = excursion_of(path["poses"])
    target = case.reference.target
    width, height = (int(side) for side in path["size"])
    box = target.box if target is not None else None
    rightward = legs_of(case)[0][0] == "right"
    hides = turn_that_hides(path["intrinsics"], (width, height), box, rightward)
    value = leaves_and_returns(went, hides, step=step, home_turn=home_turn, home_step=home_step)
    told = f"turned {went.turn:.1f} degrees of {hides:.1f}, moved {went.step:.3f}"
    return Measurement(float(value), reason=f"{told}, ended {went.turn_left:.1f} degrees and {went.step_left:.3f} off")
