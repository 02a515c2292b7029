"""To be included: a metric that rests on a judge's answers, and one that perceives meanwhile."""

from __future__ import annotations

import time

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays, signal
from worldgauge.judge.instrument import Judge
from worldgauge.judge.question_sets import (
    PROMPT,
    JudgedQuestion,
    ask_questions,
    constant_baselines,
    dimension_score,
    form_of,
    question_values,
)
from worldgauge.judge.rendering import fenced
from worldgauge.judge.session import answer_in
from worldgauge.judge.sittings import repeated_scores

CAPTIONED = "worldgauge.judge:captioned"


@signal(version=1, reads=("video", "prompt"), seat="judge", cost=0.0, memory=0.0, prompts=(PROMPT,))
def told_by_judge(clip: Clip, prompt: str, judge: Judge) -> Arrays:
    """Two answers about the clip."""
    return ask_questions(clip, _questions(prompt), judge)


@signal(version=1, reads=("video", "prompt"), seat="judge", cost=0.0, memory=0.0, prompts=(PROMPT,))
def told_once_more(clip: Clip, prompt: str, judge: Judge) -> Arrays:
    """The same questions, asked by another signal."""
    return ask_questions(clip, _questions(prompt), judge)


@signal(version=1, reads=("video", "prompt"), seat="judge", cost=0.0, memory=0.0, prompts=(CAPTIONED,))
def told_with_caption(clip: Clip, prompt: str, judge: Judge) -> Arrays:
    """The same questions with another prompt file."""
    values = {**question_values(_questions(prompt)), "caption": fenced(prompt)}
    answer, frames = judge.ask(clip, CAPTIONED, values, form_of(_questions(prompt)))
    return answer.arrays(frames)


@signal(version=1, cost=0.0)
def slow_look(clip: Clip) -> Arrays:
    """The mean of the first frame, slowly."""
    time.sleep(0.02)
    return {"mean": np.array([frame.mean() for frame in clip.frames()][:1])}


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[told_by_judge()], requires=("prompt",))
def judged(case: Case, answers: Arrays) -> Measurement:
    """Share of two questions that pass."""
    questions = _questions(case.condition.prompt)
    return Measurement(
        dimension_score(questions, answer_in(answers)),
        constants=constant_baselines(questions),
        repeats=repeated_scores(questions, answers),
    )


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[told_once_more()], requires=("prompt",))
def judged_too(case: Case, answers: Arrays) -> Measurement:
    """The same by another way."""
    return Measurement(dimension_score(_questions(case.condition.prompt), answer_in(answers)))


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[told_with_caption()], requires=("prompt",))
def judged_with_caption(case: Case, answers: Arrays) -> Measurement:
    """The same with another prompt."""
    return Measurement(dimension_score(_questions(case.condition.prompt), answer_in(answers)))


@metric(version=1, unit="", higher_is_better=None, bounds=(0, 255), needs=[slow_look()])
def looked(case: Case, found: Arrays) -> Measurement:
    """Mean of the first frame."""
    return Measurement(float(found["mean"][0]))


def _questions(prompt: str) -> tuple[JudgedQuestion, ...]:
    return (
        JudgedQuestion(id="a", text=f"Does it show {prompt}?"),
        JudgedQuestion(id="b", text=f"Is {prompt} absent?", passes="no"),
    )
