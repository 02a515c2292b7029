"""The interaction track: the judge's three levels, both poolings, and CLIP beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.adherence import adherence
from worldgauge.benchmarks.worldolympiad.formulas.interaction import (
    FULL,
    Levels,
    level_value,
    mean_of_levels,
    pooled_levels,
)
from worldgauge.benchmarks.worldolympiad.formulas.protocols import Protocol
from worldgauge.benchmarks.worldolympiad.signals.adherence import caption_similarities
from worldgauge.benchmarks.worldolympiad.signals.interaction import (
    chunk_judgements,
    global_judgement,
    transition_judgements,
)
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.judge.session import answer_in

SHARE: dict[str, Any] = {"unit": "", "higher_is_better": True, "bounds": (0, 1)}


@metric(**SHARE, needs=[chunk_judgements()], formula=level_value)
def chunk_score(case: Case, answers: Arrays) -> Measurement:
    """Mean of the judge's scores of the chunks, as a share of 5."""
    return _level("chunk", answers)


@metric(**SHARE, needs=[transition_judgements()], formula=level_value)
def transition_score(case: Case, answers: Arrays) -> Measurement:
    """Mean of the judge's scores of the boundaries between chunks, as a share of 5; a clip of one chunk has none."""
    return _level("transition", answers)


@metric(**SHARE, needs=[global_judgement()], formula=level_value)
def global_score(case: Case, answers: Arrays) -> Measurement:
    """The judge's score of the whole clip, as a share of 5."""
    return _level("global", answers)


@metric(**SHARE, needs=[chunk_judgements(), transition_judgements(), global_judgement()], formula=pooled_levels)
def interaction_judged(
    case: Case, chunks: Arrays, transitions: Arrays, whole: Arrays, *, protocol: Protocol = "released"
) -> Measurement:
    """The judge's interaction score: the mean of all its answers; by the paper's text the mean of the three levels."""
    levels = Levels(values_of("chunk", chunks), values_of("transition", transitions), values_of("global", whole)[0])
    value = mean_of_levels(levels) if protocol == "paper" else pooled_levels(levels)
    if value is None:
        raise Unscored("the judge was asked nothing")
    return Measurement(value / FULL, tuple(v / FULL for v in levels.chunks), frames=range(len(levels.chunks)))


@metric(
    **SHARE,
    needs=[
        chunk_judgements(half_open=True, equal_spans=True),
        transition_judgements(half_open=True, equal_spans=True),
        global_judgement(equal_spans=True),
    ],
    formula=pooled_levels,
)
def interaction_fair(case: Case, chunks: Arrays, transitions: Arrays, whole: Arrays) -> Measurement:
    """The pooled interaction score with frames of no other chunk, and of the reference those of the same span."""
    levels = Levels(values_of("chunk", chunks), values_of("transition", transitions), values_of("global", whole)[0])
    value = pooled_levels(levels)
    assert value is not None
    return Measurement(value / FULL)


@metric(
    unit="",
    higher_is_better=True,
    bounds=(-1, 1),
    needs=[caption_similarities()],
    requires=("extras.chunks",),
    formula=adherence,
)
def clip_adherence(case: Case, found: Arrays) -> Measurement:
    """Raw CLIP similarity of frames and captions, all frames of all chunks alike; the end of long captions is lost."""
    return _adherence(case, found, told=True)


@metric(
    unit="",
    higher_is_better=True,
    bounds=(-1, 1),
    needs=[caption_similarities(by_sentence=True)],
    requires=("extras.chunks",),
    formula=adherence,
)
def clip_by_sentence(case: Case, found: Arrays) -> Measurement:
    """Raw CLIP similarity of frames and the sentences of their captions, so that no end of a caption is lost."""
    return _adherence(case, found, told=False)


def values_of(level: str, answers: Arrays) -> tuple[float, ...]:
    """The values of a stored level, 0 to 5."""
    return tuple(level_value(level, answer) for answer in answer_in(answers))


def _level(level: str, answers: Arrays) -> Measurement:
    values = values_of(level, answers)
    if not values:
        raise NotApplicable("a clip of one chunk has no transition")
    shares = tuple(value / FULL for value in values)
    return Measurement(sum(shares) / len(shares), shares, frames=range(len(shares)))


def _adherence(case: Case, found: Arrays, told: bool) -> Measurement:
    parts = np.split(found["similarities"], np.cumsum(found["counts"])[:-1]) if len(found["counts"]) else []
    scored = adherence(["x" if len(part) else "" for part in parts], [part.tolist() for part in parts])
    if scored.value is None:
        raise NotApplicable("no chunk has a caption")
    most = int(found["most"])
    long = int((found["tokens"] > most).sum()) if most else 0
    remark = f"{long} of {len(parts)} captions have more than {most} tokens; the rest of them is lost" if long else ""
    return Measurement(scored.value, scored.chunks, remark if told else "", frames=range(len(parts)))
