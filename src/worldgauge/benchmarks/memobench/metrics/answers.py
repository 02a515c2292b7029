"""The four question columns: shares of a clip's questions that a judge answers as the truth wants them answered."""

from __future__ import annotations

from collections.abc import Sequence

from worldgauge.benchmarks.memobench.data.answer_form import COMPLETED, FIRST, released_items, released_question
from worldgauge.benchmarks.memobench.formulas.protocols import Protocol
from worldgauge.benchmarks.memobench.official.vqa import score_clip
from worldgauge.benchmarks.memobench.signals.answers import clip_answers
from worldgauge.core.case import Case, Question
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.judge.session import answer_in
from worldgauge.judge.sittings import Sitting, sittings_in


@metric(
    version=2,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[clip_answers()],
    requires=("questions",),
)
def question_rate(
    case: Case, answers: Arrays, *, dimension: str = "Instruction Following", protocol: Protocol = "released"
) -> Measurement:
    """Share of the questions of one dimension that pass: yes where a question is positive, no where it is negative."""
    questions = case.reference.questions
    asked = sum(question.dimension == dimension for question in questions)
    if not asked:
        raise NotApplicable(f"the clip has no question on {dimension.lower()}")
    given = answer_in(answers)[FIRST if protocol == "released" else COMPLETED]
    bank = [released_question(question) for question in questions]
    items = [item for item in released_items(given, questions) if item["Dimension"] == dimension]
    rates = score_clip(items, bank, protocol).rates
    if dimension not in rates:
        raise Unscored(f"none of the {asked} questions on {dimension.lower()} is answered")
    answered = len({item["ID"] for item in items})
    positive = sum(one.dimension == dimension and one.answer == "yes" for one in questions) / asked
    return Measurement(
        rates[dimension],
        reason="" if answered == asked else f"{answered} of {asked} questions answered",
        repeats=_repeats(sittings_in(answers), questions, dimension),
        constants={"always yes": positive, "always no": 1 - positive, "coin": 0.5},
    )


def _repeats(sittings: Sequence[Sitting], questions: Sequence[Question], dimension: str) -> tuple[float, ...]:
    """The share of each time of asking that answered any question of the dimension, over those it answered."""
    shares = []
    for sitting in sittings:
        asked = [one for one in questions if one.dimension == dimension and one.id in sitting]
        if asked:
            shares.append(sum(str(sitting[one.id]).lower() == one.answer for one in asked) / len(asked))
    return tuple(shares)
