"""What a judge answers to the questions of a clip's bank, all of them in one request."""

from __future__ import annotations

import json
from collections.abc import Sequence

from worldgauge.benchmarks.memobench.data.answer_form import COMPLETED, BankForm, released_question
from worldgauge.core.case import Question
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.judge.instrument import Judge
from worldgauge.judge.rendering import fenced

PROMPT = "worldgauge.benchmarks.memobench:answers"
LONG, LONG_RATE, SHORT_RATE = 100, 24.0, 16.0
"""A folder of more frames than that is shown at 24 frames per second, a shorter one at 16."""


@signal(version=1, reads=("video", "questions"), seat="judge", cost=0.0, memory=0.0, prompts=(PROMPT,))
def clip_answers(clip: Clip, questions: Sequence[Question], judge: Judge) -> Arrays:
    """The judge's answers to every question about the clip: those of its first reply, and the completed ones."""
    form = BankForm(tuple(question.id for question in questions))
    lines = [json.dumps({"id": one.id, "question": one.text}, ensure_ascii=False) for one in questions]
    values = {"questions": fenced("\n".join(lines)), "count": str(len(lines))}
    released = {"questions": [released_question(one) for one in questions]}
    about = f"{len(lines)} questions"
    answer, frames = judge.ask(clip, PROMPT, values, form, about, played_rate(clip), released=released)
    texts = {question.id: question.text for question in questions}
    told = [[texts[item["id"]], item["answer"], item["reason"]] for item in answer.value[COMPLETED]]
    return answer.arrays(frames, told)


def played_rate(clip: Clip) -> float | None:
    """Frames per second at which the released code shows a folder of frames; a video file keeps its own (None)."""
    path = clip.video.on_disk
    if path is not None and path.is_file():
        return None
    return LONG_RATE if clip.count > LONG else SHORT_RATE
