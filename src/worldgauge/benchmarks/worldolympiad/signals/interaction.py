"""What a judge says about a clip chunk by chunk, about every boundary between two, and about the whole."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.evidence import (
    GLOBAL_FRAMES,
    REFERENCE_FRAMES,
    chunk_positions,
    side_positions,
    whole_positions,
)
from worldgauge.benchmarks.worldolympiad.formulas.interaction import FULL, PARTS
from worldgauge.benchmarks.worldolympiad.formulas.time_sampling import judge_positions
from worldgauge.benchmarks.worldolympiad.signals.chunks import TimedChunk, film_of, frame_numbers, timed_chunks
from worldgauge.core.asking import NotUnderstood, OutOfMoney, Unanswered
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.judge.exhibits import Exhibit, Inquiry
from worldgauge.judge.instrument import Judge
from worldgauge.judge.rendering import fenced
from worldgauge.judge.session import Answer
from worldgauge.judge.tables import NumbersForm

PACKAGE = "worldgauge.benchmarks.worldolympiad"
CHUNK, TRANSITION, GLOBAL = (f"{PACKAGE}:{name}" for name in ("chunk", "transition", "global"))
Chunks = Sequence[dict[str, Any]]
_judged = partial(signal, version=1, reads=("video", "reference", "extras.chunks"), seat="judge", cost=0.0, memory=0.0)
"""What the three have in common: they show the clip beside its reference."""


@_judged(version=2, prompts=(CHUNK,))
def chunk_judgements(
    clip: Clip, reference: Clip, chunks: Chunks, judge: Judge, *, half_open: bool = False, equal_spans: bool = False
) -> Arrays:
    """The judge's scores, 0 to 5, of every chunk: visual quality, agreement with action and caption, overall.

    Four frames of the chunk, both ends included, and four of the whole reference. `half_open`: none of them belongs to
    the next chunk. `equal_spans`: reference frames of the main interval alone, which the generated clip covers.
    """
    timed = timed_chunks(clip, chunks)
    inquiries = []
    for one in timed:
        frames = frame_numbers(chunk_positions(film_of(clip), one.span, half_open), clip)
        shown = Exhibit(f"frames of chunk {one.index} of the generated clip", clip, frames)
        values = {"chunk": fenced(_told(one))}
        form = _form("chunk")
        about = f"chunk {one.index}"
        exhibits = (shown, _reference(reference, chunks, equal_spans))
        inquiries.append(Inquiry(exhibits, CHUNK, values, form, about, {"chunk": one.row}))
    return _answered(judge, inquiries)


@_judged(version=2, prompts=(TRANSITION,))
def transition_judgements(
    clip: Clip, reference: Clip, chunks: Chunks, judge: Judge, *, half_open: bool = False, equal_spans: bool = False
) -> Arrays:
    """The judge's scores, 0 to 5, of every boundary between two chunks: smoothness and overall.

    Three frames of the last second before it, three of the first second after it, four of the whole reference.
    """
    timed = timed_chunks(clip, chunks)
    inquiries = []
    for left, right in itertools.pairwise(timed):
        before, after = side_positions(film_of(clip), left.span, right.span, half_open)
        exhibits = (
            Exhibit(f"frames of the end of chunk {left.index}", clip, frame_numbers(before, clip)),
            Exhibit(f"frames of the beginning of chunk {right.index}", clip, frame_numbers(after, clip)),
            _reference(reference, chunks, equal_spans),
        )
        values = {"left": fenced(_told(left)), "right": fenced(_told(right))}
        about = f"transition {left.index} to {right.index}"
        released = {"left": left.row, "right": right.row}
        inquiries.append(Inquiry(exhibits, TRANSITION, values, _form("transition"), about, released))
    return _answered(judge, inquiries)


@_judged(prompts=(GLOBAL,))
def global_judgement(clip: Clip, reference: Clip, chunks: Chunks, judge: Judge, *, equal_spans: bool = False) -> Arrays:
    """The judge's scores, 0 to 5, of the whole clip: consistency over time, agreement with all prompts, overall.

    Twelve frames of the whole clip and four of the whole reference.
    """
    frames = frame_numbers(whole_positions(film_of(clip), GLOBAL_FRAMES), clip)
    asked = [{key: one[key] for key in ("chunk_index", "interval", "action", "caption")} for one in chunks]
    exhibits = (
        Exhibit("frames of the whole generated clip", clip, frames),
        _reference(reference, chunks, equal_spans),
    )
    values = {"prompts": fenced(json.dumps(asked, ensure_ascii=False))}
    released = {"chunks": [one.row for one in timed_chunks(clip, chunks)] if clip.video.beside else chunks}
    return _answered(judge, [Inquiry(exhibits, GLOBAL, values, _form("global"), "global", released)])


def _form(level: str) -> NumbersForm:
    return NumbersForm((*PARTS[level], "overall"), (0.0, FULL))


def _reference(reference: Clip, chunks: Chunks, equal_spans: bool) -> Exhibit:
    film = film_of(reference)
    seconds = [second for one in chunks for second in one["seconds"] if second is not None]
    if equal_spans and seconds and film.fps > 0:
        positions = judge_positions(film, min(seconds), max(seconds), REFERENCE_FRAMES)
    else:
        positions = whole_positions(film, REFERENCE_FRAMES)
    label = "frames of the reference video, for context only"
    return Exhibit(label, reference, frame_numbers(positions, reference))


def _told(chunk: TimedChunk) -> str:
    return json.dumps(
        {
            "chunk": chunk.index,
            "source interval": chunk.source_interval,
            "generated interval": f"{chunk.span.start:.3f} s to {chunk.span.end:.3f} s",
            "action": chunk.action,
            "caption": chunk.caption,
        },
        ensure_ascii=False,
    )


def _answered(judge: Judge, inquiries: Sequence[Inquiry]) -> Arrays:
    """All answers of a level, in order; where one is missing the level has none, and the others are kept."""
    judge.expect(inquiries)
    answers, frames, failed = list[Answer](), list[int](), list[tuple[str, Unanswered]]()
    for inquiry in inquiries:
        try:
            answer, shown = judge.inquire(inquiry)
        except OutOfMoney:
            raise
        except Unanswered as problem:
            failed.append((inquiry.about, problem))
            continue
        answers.append(answer)
        frames += shown
    if failed:
        kind = NotUnderstood if all(isinstance(problem, NotUnderstood) for _, problem in failed) else Unanswered
        about, first = failed[0]
        raise kind(f"{len(failed)} of {len(inquiries)} questions have no answer ({about}: {first})")
    told = [
        [inquiry.about, f"{answer.value['overall']:g}", answer.value["reason"]]
        for inquiry, answer in zip(inquiries, answers, strict=True)
    ]
    joined = Answer(
        [answer.value for answer in answers],
        tuple(text for answer in answers for text in answer.raw),
        answers[0].model if answers else "",
        ballots=[
            {**ballot, "question": f"{inquiry.about}: {ballot['question']}"}
            for inquiry, answer in zip(inquiries, answers, strict=True)
            for ballot in answer.ballots
        ],
    )
    return joined.arrays(frames, told)
