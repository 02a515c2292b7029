"""Writing a question bank: questions from first frame and caption, then what holds on the truth and on the failure.

A start over is bounded, and is told which questions have not served. Every step is in the official file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.memobench.data.question_filter import filtered, gaps
from worldgauge.benchmarks.memobench.data.question_form import Polarity, WrittenQuestions
from worldgauge.benchmarks.memobench.data.questions import FAILURES, FOLDER, Bank, Items, whole_number
from worldgauge.benchmarks.memobench.signals.answers import PROMPT, played_rate
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table
from worldgauge.core.video import Video
from worldgauge.judge.forms import Asked, QuestionForm
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.rendering import fenced

WRITE = "worldgauge.benchmarks.memobench:write_questions"
HINTED = "worldgauge.benchmarks.memobench:hinted_answers"


@dataclass(frozen=True)
class Material:
    """What a bank is written from."""

    scene: str
    number: int
    clip: str
    """Folder of the clip."""
    caption: str
    hint: str
    """What people saw in the failure."""
    first: Path
    truth: Video
    failure: Video


@dataclass(frozen=True)
class Written:
    """A bank and how it came about."""

    bank: Bank
    attempts: int
    lacking: tuple[tuple[str, int], ...]
    """Dimensions with fewer than two questions, and how many they have."""


def materials(
    data: Path, cases: Sequence[Case], failures: dict[str, Video], clips: Sequence[str] = ()
) -> tuple[list[Material], dict[str, str]]:
    """What is there for each clip of the failure table; and for each that lacks something, what."""
    file = data / FOLDER / FAILURES
    known = {case.id: case for case in cases}
    rows = read_table(file, ("scene", "video_id", "hint", "folder", "prompt"))
    unknown = sorted(set(clips) - {row["folder"] for row in rows})
    if unknown:
        raise WorldGaugeError(f"{file} has no clip '{unknown[0]}'", "name a clip by its folder")
    found, lacking = [], {}
    for row in rows:
        clip = row["folder"]
        if clips and clip not in clips:
            continue
        case = known.get(clip)
        video = case.reference.video if case is not None else None
        image = case.condition.image if case is not None else None
        if case is None or video is None or image is None:
            lacking[clip] = "the data set has no frames of it"
        elif clip not in failures:
            lacking[clip] = "there is no failure clip of it"
        else:
            caption = row["prompt"].strip() or case.condition.prompt
            hint = row["hint"].strip().strip('"') or "It fails; nobody has said how."
            number = whole_number(row["video_id"], file)
            truth = Video(case.path(video))
            found.append(Material(row["scene"], number, clip, caption, hint, case.path(image), truth, failures[clip]))
    return found, lacking


def write_bank_of(
    material: Material, asking: KeptAnswers, keep: str = "stable", polarity: Polarity = "mixed", restarts: int = 3
) -> Written:
    """Write, filter, and start over until every dimension has two questions or `restarts` are used up.

    The bank with the fewest gaps counts.
    """
    earlier: list[str] = []
    best: Written | None = None
    for attempt in range(1 + restarts):
        bank = _attempt(material, asking, keep, polarity, earlier, attempt)
        lacking = tuple((name, count) for _, name, count in gaps([bank]))
        if best is None or len(lacking) < len(best.lacking):
            best = Written(bank, attempt + 1, lacking)
        if not lacking:
            break
        kept = {item["Question"] for item in bank.final}
        earlier += [item["Question"] for item in bank.start if item["Question"] not in kept]
    assert best is not None
    return best


def _attempt(
    material: Material, asking: KeptAnswers, keep: str, polarity: Polarity, earlier: Sequence[str], attempt: int
) -> Bank:
    form = WrittenQuestions(polarity)
    values = {
        "caption": fenced(material.caption),
        "polarity": form.in_words(),
        "earlier": fenced("\n".join(earlier) or "none"),
    }
    start: Items = asking.of_picture(material.first, WRITE, values, form, material.clip, take=attempt)
    on_truth = _judged(material.truth, start, asking, material.clip)
    held = [item for item in start if _verdict_of(on_truth, item["ID"]) == "Pass"]
    on_failure = _judged(material.failure, held, asking, material.clip)
    hinted = _judged(material.failure, held, asking, material.clip, hint=material.hint)
    bank = Bank(material.clip, start, on_truth, on_failure, hinted, [], material.scene, material.number)
    return filtered(bank, keep)


def _judged(video: Video, questions: Items, asking: KeptAnswers, about: str, hint: str = "") -> Items:
    """The questions with a judge's answers about a clip, in the released keys."""
    if not questions:
        return []
    lines = [json.dumps({"id": str(q["ID"]), "question": q["Question"]}, ensure_ascii=False) for q in questions]
    values = {"questions": fenced("\n".join(lines)), "count": str(len(lines))}
    prompt = PROMPT
    if hint:
        values["hint"], prompt = fenced(hint), HINTED
    form = QuestionForm(tuple(Asked(str(q["ID"]), ("Yes", "No")) for q in questions))
    given: dict[str, Any] = asking.of_clip(video, prompt, values, form, about, rate=played_rate(Clip(video)))
    found = []
    for question in questions:
        said = given[str(question["ID"])]
        right = "Yes" if question["Dimension Polarity"] == "Positive" else "No"
        verdict = "Pass" if said["answer"] == right else "Fail"
        found.append(question | {"Answer": said["answer"], "Verdict": verdict, "Reasoning": said["reason"]})
    return found


def _verdict_of(items: Items, number: int) -> str:
    return next((str(item["Verdict"]) for item in items if item["ID"] == number), "")
