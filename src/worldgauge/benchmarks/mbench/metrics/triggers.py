"""Trigger rates: does a clip hold the challenge to memory that it was made for?"""

from __future__ import annotations

from worldgauge.benchmarks.mbench.formulas.geometric_trigger import excursion_of, leaves_and_returns
from worldgauge.benchmarks.mbench.formulas.returns import share_in_view
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
    version=2,
    unit="share",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[poses()],
    requires=("extras.legs", "case"),
    formula=leaves_and_returns,
)
def geometric_trigger(case: Case, path: Arrays, *, back: float = 0.5) -> Measurement:
    """1 where the target's box, or without one the whole first view, leaves the picture and comes back; for actions.

    Ours, from the measured poses. Which way the camera goes does not matter here: `executed_share` judges that. The
    curve is the share in view, frame by frame.
    """
    target = case.reference.target
    width, height = (int(side) for side in path["size"])
    box = target.box if target is not None else None
    place = box or (0.0, 0.0, float(width), float(height))
    shares = share_in_view(path["poses"], path["intrinsics"], (width, height), place, 0, 0.0)
    went = excursion_of(path["poses"])
    what = "the first view" if box is None else "the target's box"
    told = f"at least {shares.min():.0%} of {what} stays in view, {shares[-1]:.0%} is there at the end"
    value = float(leaves_and_returns(shares, back=back))
    return Measurement(value, tuple(shares.tolist()), f"{told}; turned {went.turn:.1f} degrees, moved {went.step:.3f}")
