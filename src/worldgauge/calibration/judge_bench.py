"""Asking a judge about worlds whose faults are known: each clip with the fault, and the same world without it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from worldgauge.blocks.counting import Progress, StepCounter
from worldgauge.blocks.subjects import Subject, clip_path
from worldgauge.calibration.judge_questions import FAULT_QUESTIONS
from worldgauge.calibration.judge_result import Item, JudgeCalibration, noise_of, summarise
from worldgauge.calibration.measure import Bench
from worldgauge.calibration.responses import Floats
from worldgauge.core.asking import ABOUT, Spending, Unanswered
from worldgauge.core.canonical import digest_of
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.prompts import digest_of_prompt
from worldgauge.core.video import Video
from worldgauge.engine.store import Store
from worldgauge.judge.instrument import Judge
from worldgauge.judge.question_sets import JudgedQuestion, form_of, question_values
from worldgauge.judge.rendering import fenced
from worldgauge.judge.session import answer_in

PROMPT = "worldgauge.judge:captioned"


@dataclass(frozen=True)
class Asking:
    """One question about one clip."""

    case: Case
    subject: Subject
    fault: str
    inverted: bool

    @property
    def truth(self) -> Literal["yes", "no"]:
        present = self.subject.severity > 0 and self.subject.fault == self.fault
        return "yes" if present != self.inverted else "no"

    @property
    def question(self) -> JudgedQuestion:
        target = self.case.reference.target
        text = FAULT_QUESTIONS[self.fault].text(self.inverted, target.name if target is not None else "object")
        return JudgedQuestion(id="1", text=text)


def askings(cases: Sequence[Case], bench: Bench, changed: Mapping[str, Floats]) -> list[Asking]:
    """Every fault at every severity in every world where it changes something, and each such world without it.

    Polarity alternates from world to world, so that half of the answers are yes; a single world is asked about in both.
    """
    found: list[Asking] = []
    for fault in bench.preset.faults:
        faulty = [Subject(fault, severity) for severity in bench.preset.severities]
        shown = {
            number: seen
            for number in range(len(cases))
            if (seen := [subject for subject in faulty if changed[subject.name][number] > 0])
        }
        for place, (number, seen) in enumerate(shown.items()):
            for inverted in (False, True) if len(shown) == 1 else (place % 2 == 1,):
                found += [Asking(cases[number], subject, fault, inverted) for subject in (Subject(), *seen)]
    return found


def calibrate_judge(
    bench: Bench, judge: Judge, spending: Spending, progress: Progress, takes: int = 1
) -> JudgeCalibration:
    """Make the worlds and the faults, and ask each question `takes` times. What was answered is not asked again.

    Accuracy is that of the first time; the others tell how steady the judge is.
    """
    cases = bench.make_worlds(progress)
    changed = bench.make_subjects(cases, bench.preset.subjects(), progress)
    to_ask = [(asking, take) for take in range(takes) for asking in askings(cases, bench, changed)]
    count = StepCounter("answers", len(to_ask), progress)
    store, started = Store(bench.folder / "store"), time.monotonic()
    judge.begin(bench.folder, spending, threading.Event(), lambda _: None)

    def one(work: tuple[Asking, int]) -> Item:
        asking, take = work
        try:
            answer: str | None = _ask(asking, bench, judge.on_take(take), store)
        except Unanswered:
            answer = None
        count()
        severity = asking.subject.severity
        return Item(asking.fault, severity, asking.truth, answer, asking.inverted, asking.case.id, take)

    try:
        with ThreadPoolExecutor(judge.concurrency) as pool:
            items = list(pool.map(one, to_ask))
    finally:
        counted = judge.finish()
    faults, accuracy, kappa, baselines = summarise([item for item in items if item.take == 0])
    priced = judge.settings is not None and judge.settings.price is not None
    return JudgeCalibration(
        judge=judge.parameters,
        worlds=len(cases),
        faults=faults,
        accuracy=accuracy,
        kappa=kappa,
        baselines=baselines,
        noise=noise_of(items),
        calls=int(counted.get("judge_calls", 0)),
        cost=counted.get("judge_spent") if priced else None,
        seconds=round(time.monotonic() - started, 2),
    )


def _ask(asking: Asking, bench: Bench, judge: Judge, store: Store) -> str:
    """The stored answer, or the judge's, which is then stored."""
    video = Video(clip_path(bench.folder / "subjects" / asking.subject.name, asking.case))
    question, caption = asking.question, asking.case.condition.prompt
    identity = {
        "question": question.model_dump(mode="json"),
        "caption": caption,
        "video": video.digest,
        "instrument": judge.identity(),
        "prompts": {PROMPT: digest_of_prompt(PROMPT)},
    }
    key = digest_of(identity)
    entry = store.load(key)
    if entry is None:
        ABOUT.set(f"{asking.case.id}/{asking.subject.name}")
        values = {**question_values([question]), "caption": fenced(caption)}
        given, frames = judge.ask(Clip(video), PROMPT, values, form_of([question]), asking.fault)
        arrays = given.arrays(frames)
        store.save(key, arrays, {"signal": "judge_calibration", "identity": identity, "seconds": 0.0})
    else:
        arrays = dict(entry.arrays)
    return str(answer_in(arrays)["1"]["answer"])
