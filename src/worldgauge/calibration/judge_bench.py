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
from worldgauge.calibration.judge_result import Item, JudgeCalibration, summarise
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

    Polarity alternates from world to world, so that half of the answers are yes.
    """
    found: list[Asking] = []
    for fault in bench.preset.faults:
        inverted = False
        for number, case in enumerate(cases):
            faulty = [Subject(fault, severity) for severity in bench.preset.severities]
            shown = [subject for subject in faulty if changed[subject.name][number] > 0]
            if shown:
                found += [Asking(case, subject, fault, inverted) for subject in (Subject(), *shown)]
                inverted = not inverted
    return found


def calibrate_judge(bench: Bench, judge: Judge, spending: Spending, progress: Progress) -> JudgeCalibration:
    """Make the worlds and the faults, and ask. What was answered before is not asked again."""
    cases = bench.make_worlds(progress)
    changed = bench.make_subjects(cases, bench.preset.subjects(), progress)
    to_ask = askings(cases, bench, changed)
    count = StepCounter("answers", len(to_ask), progress)
    store, started = Store(bench.folder / "store"), time.monotonic()
    judge.begin(bench.folder, spending, threading.Event(), lambda _: None)

    def one(asking: Asking) -> Item:
        try:
            answer: str | None = _ask(asking, bench, judge, store)
        except Unanswered:
            answer = None
        count()
        return Item(asking.fault, asking.subject.severity, asking.truth, answer, asking.inverted)

    try:
        with ThreadPoolExecutor(judge.concurrency) as pool:
            items = list(pool.map(one, to_ask))
    finally:
        counted = judge.finish()
    faults, accuracy, kappa, baselines = summarise(items)
    priced = judge.settings is not None and judge.settings.price is not None
    return JudgeCalibration(
        judge=judge.parameters,
        worlds=len(cases),
        faults=faults,
        accuracy=accuracy,
        kappa=kappa,
        baselines=baselines,
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
