"""What judging takes, told from the cases alone: calls, pictures, tokens and money of each track and mode.

Once per case are questions about the reference and the text: they are the same for every model. The released code asks
most of them anew for each; only the names of what moves in the reference are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.formulas.evidence import (
    CHUNK_FRAMES,
    GLOBAL_FRAMES,
    REFERENCE_FRAMES,
    SIDE_FRAMES,
)
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import JUDGE_FRAMES
from worldgauge.benchmarks.worldolympiad.formulas.judge_loop import Mode, batches
from worldgauge.core.case import Case
from worldgauge.core.prompts import read_prompt
from worldgauge.judge.request import Usage
from worldgauge.judge.tokens import OVERHEAD, Price, bounds_of_picture, bounds_of_text

PACKAGE = "worldgauge.benchmarks.worldolympiad"
MODES: tuple[Mode, ...] = ("dimension", "none", "all")
SIDE = 512
"""Px of a judged view."""
WORDS_OUT = (20, 200)
"""Tokens of an answer to one question, at the least and at the most."""


@dataclass(frozen=True)
class Amount:
    """What some questions take; tokens and cost as the least and the most."""

    calls: int = 0
    images: int = 0
    tokens_in: tuple[int, int] = (0, 0)
    tokens_out: tuple[int, int] = (0, 0)

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            self.calls + other.calls,
            self.images + other.images,
            _plus(self.tokens_in, other.tokens_in),
            _plus(self.tokens_out, other.tokens_out),
        )

    def times(self, count: int) -> Amount:
        return Amount(self.calls * count, self.images * count, _by(self.tokens_in, count), _by(self.tokens_out, count))

    def cost(self, price: Price | None) -> tuple[float, float] | None:
        if price is None:
            return None
        ends = zip(self.tokens_in, self.tokens_out, strict=True)
        low, high = (price.of(Usage(given, taken)) for given, taken in ends)
        return low, high


@dataclass(frozen=True)
class Track:
    """One track in one mode."""

    track: str
    mode: str
    once: Amount
    """Asked once per case, whatever the number of models."""
    per_model: Amount
    released_once: Amount
    """What the released code keeps for all models,"""
    released_per_model: Amount
    """and what it asks anew for each."""

    def ours(self, models: int) -> Amount:
        return self.once + self.per_model.times(models)

    def released(self, models: int) -> Amount:
        return self.released_once + self.released_per_model.times(models)

    def row(self, models: int, price: Price | None) -> dict[str, Any]:
        total, theirs = self.ours(models), self.released(models)
        return {
            "track": self.track,
            "mode": self.mode,
            "once_calls": self.once.calls,
            "model_calls": self.per_model.calls,
            "calls": total.calls,
            "images": total.images,
            "tokens": list(_plus(total.tokens_in, total.tokens_out)),
            "cost": total.cost(price),
            "released_calls": theirs.calls,
            "released_cost": theirs.cost(price),
        }


def tracks(cases: Sequence[Case], size: tuple[int, int]) -> list[Track]:
    """Every track of these cases, physics in its three modes; `size` is that of the frames as they are sent."""
    nothing = Amount()
    text = _sum(_amount("static_scene", [_text(case)], 0, size) for case in cases)
    views = _sum(
        _amount("views", [_text(case)], 8, (SIDE, SIDE)) + _amount("meta_view", [_text(case)], 1, (SIDE, SIDE))
        for case in cases
    )
    levels = _sum(_interaction(case, size) for case in cases)
    return [
        *(_physics(cases, mode, size) for mode in MODES),
        Track("geometry", "", text, views, nothing, text + views),
        Track("interaction", "", nothing, levels, nothing, levels),
    ]


def _physics(cases: Sequence[Case], mode: Mode, size: tuple[int, int]) -> Track:
    """Relevance belongs to the case: it is asked by dimension whatever the mode of the verdicts, and not at all where
    it is frozen. The released code asks for it in the mode, and for every model."""
    named = _sum(_amount("objects", [_text(case)], JUDGE_FRAMES, size) for case in cases)
    open_cases = [case for case in cases if not case.extras.get("relevance")]
    relevance = _sum(_relevance(case, "dimension", size) for case in open_cases)
    verdicts = _sum(_verdicts(case, mode, size) for case in cases)
    anew = _sum(_relevance(case, mode, size) for case in cases)
    return Track("physics", mode, named + relevance, verdicts, named, anew + verdicts)


def _relevance(case: Case, mode: Mode, size: tuple[int, int]) -> Amount:
    """Which rules apply."""
    return _sum(
        _amount("relevance", [_text(case), _told(batch)], JUDGE_FRAMES, size, len(batch))
        for batch in batches(rules(), mode)
    )


def _verdicts(case: Case, mode: Mode, size: tuple[int, int]) -> Amount:
    """Naming what moves in the clip, and the rules that apply: all of them where nobody knows yet."""
    known = case.extras.get("relevance") or None
    applying = [rule for rule in rules() if known is None or known.get(rule.id)]
    return _amount("objects", [_text(case)], JUDGE_FRAMES, size) + _sum(
        _amount("compliance", [_text(case), _told(batch)], 2 * JUDGE_FRAMES, size, len(batch))
        for batch in batches(applying, mode)
    )


def _interaction(case: Case, size: tuple[int, int]) -> Amount:
    captions = [str(one.get("caption", "")) for one in case.extras.get("chunks") or ()]
    one = _sum(_amount("chunk", [text], CHUNK_FRAMES + REFERENCE_FRAMES, size) for text in captions)
    boundary = 2 * SIDE_FRAMES + REFERENCE_FRAMES
    two = _sum(_amount("transition", captions[k : k + 2], boundary, size) for k in range(len(captions) - 1))
    return one + two + _amount("global", captions, GLOBAL_FRAMES + REFERENCE_FRAMES, size)


def _amount(prompt: str, texts: Iterable[str], images: int, size: tuple[int, int], asked: int = 1) -> Amount:
    low, high = OVERHEAD, 2 * OVERHEAD
    for text in (read_prompt(f"{PACKAGE}:{prompt}"), *texts):
        low, high = low + bounds_of_text(text)[0], high + bounds_of_text(text)[1]
    picture = bounds_of_picture(*size)
    taken = (low + images * picture[0], high + images * picture[1])
    return Amount(1, images, taken, (WORDS_OUT[0] * asked, WORDS_OUT[1] * asked))


def _told(batch: Sequence[Any]) -> str:
    return "\n".join(f"{rule.id} {rule.asks} {rule.holds}" for rule in batch)


def _text(case: Case) -> str:
    return str(case.extras.get("description", "")) or case.condition.prompt


def _sum(amounts: Iterator[Amount] | Iterable[Amount]) -> Amount:
    total = Amount()
    for one in amounts:
        total += one
    return total


def _plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


def _by(a: tuple[int, int], count: int) -> tuple[int, int]:
    return a[0] * count, a[1] * count
