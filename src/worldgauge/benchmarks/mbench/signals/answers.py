"""What a judge says of a clip: whether it holds a challenge at all, how far its process goes, and which way."""

from __future__ import annotations

import json

from worldgauge.benchmarks.mbench.data.case_parts import SUBSETS, captions_of, subset_of
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import NotApplicable
from worldgauge.core.signal import Arrays, signal
from worldgauge.judge.forms import Asked, QuestionForm
from worldgauge.judge.instrument import Judge
from worldgauge.judge.rendering import fenced

PACKAGE = "worldgauge.benchmarks.mbench"
TRIGGERS = tuple(f"{PACKAGE}:trigger_{subset}" for subset in SUBSETS)
EVOLUTION = f"{PACKAGE}:evolution"
DIRECTION = f"{PACKAGE}:direction"
TRIGGER_FORM = QuestionForm((Asked("trigger"), Asked("confidence", scale=(0, 100))))
EVOLUTION_FORM = QuestionForm((Asked("state", scale=(1, 5)), Asked("plausibility", scale=(1, 5))))
DIRECTION_FORM = QuestionForm((Asked("direction", choices=("forward", "backward", "none")),))


@signal(version=1, reads=("video", "case"), seat="judge", cost=0.0, memory=0.0, prompts=TRIGGERS)
def trigger_answer(clip: Clip, case: Case, judge: Judge) -> Arrays:
    """Whether the clip holds the memory challenge of its subset, `trigger`, and how sure the judge is, `confidence`."""
    subset = subset_of(case)
    if subset not in SUBSETS:
        raise NotApplicable(f"no challenge is known for a case of the subset '{subset}'")
    return _asked(clip, case, judge, TRIGGERS[SUBSETS.index(subset)], TRIGGER_FORM)


@signal(version=1, reads=("video", "case"), seat="judge", cost=0.0, memory=0.0, prompts=(EVOLUTION,))
def evolution_answers(clip: Clip, case: Case, judge: Judge) -> Arrays:
    """How far the process of the clip moves on, `state`, and how plausibly, `plausibility`; both from 1 to 5."""
    return _asked(clip, case, judge, EVOLUTION, EVOLUTION_FORM)


@signal(version=1, reads=("video", "case"), seat="judge", cost=0.0, memory=0.0, prompts=(DIRECTION,))
def direction_answer(clip: Clip, case: Case, judge: Judge) -> Arrays:
    """Which way the process of the clip runs, `direction`: forward, backward or none."""
    return _asked(clip, case, judge, DIRECTION, DIRECTION_FORM)


def _asked(clip: Clip, case: Case, judge: Judge, prompt: str, form: QuestionForm) -> Arrays:
    texts = captions_of(case) or [case.condition.prompt]
    lines = [json.dumps({"segment": k, "caption": text}, ensure_ascii=False) for k, text in enumerate(texts, start=1)]
    target = case.reference.target
    named = target.name if target is not None and target.name else "the object that the captions are about"
    values = {"captions": fenced("\n".join(lines)), "target": fenced(named)}
    answer, frames = judge.ask(clip, prompt, values, form, prompt.rpartition(":")[2])
    told = [[name, str(given["answer"]), given["reason"]] for name, given in answer.value.items()]
    return answer.arrays(frames, told)
