"""What a judge says about the rules of physics: which apply to a case, and whether a clip keeps to them.

Relevance rests on the reference alone, so it is asked once for all models; frozen with the data it is not asked at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.rules import Rule, rules
from worldgauge.benchmarks.worldolympiad.formulas.judge_loop import (
    Failed,
    Mode,
    batches,
    judge_relevance,
    judge_rules,
)
from worldgauge.benchmarks.worldolympiad.signals.objects import moving_boxes, with_overlay
from worldgauge.core.asking import NotUnderstood
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.judge.exhibits import Exhibit, Inquiry
from worldgauge.judge.instrument import Judge
from worldgauge.judge.rendering import fenced
from worldgauge.judge.session import Answer, answer_in
from worldgauge.judge.tables import VerdictsForm

PACKAGE = "worldgauge.benchmarks.worldolympiad"
RELEVANCE, COMPLIANCE = (f"{PACKAGE}:{name}" for name in ("relevance", "compliance"))
FROZEN = "frozen with the data"


@signal(
    version=1,
    reads=("reference", "extras.relevance|extras.description"),
    needs=(moving_boxes(of="reference"),),
    seat="judge",
    cost=0.0,
    memory=0.0,
    prompts=(RELEVANCE,),
)
def rule_relevance(
    reference: Clip, known: Mapping[str, bool] | str, boxes: Arrays | None, judge: Judge, *, mode: Mode = "dimension"
) -> Arrays:
    """Which of the fourteen rules apply to a case, by a judge that sees eight frames of the reference with boxes.

    The same for every model. Where the data set has it frozen nobody is asked.
    """
    if not isinstance(known, str):
        frozen = {"confidence": 1.0, "reason": FROZEN}
        given = {rule.id: {"related": bool(known.get(rule.id)), **frozen} for rule in rules()}
        return Answer(given, (), FROZEN).arrays()
    asker = _Asker(judge, (with_overlay("frames of the reference video", reference, boxes),), known)
    judge.expect([asker.inquiry(RELEVANCE, batch, mode != "none") for batch in batches(rules(), mode)])
    try:
        found = judge_relevance(rules(), mode, asker)
    except Failed as problem:
        raise NotUnderstood(str(problem)) from problem
    told = [[rule, "applies" if one["related"] else "does not apply", one["reason"]] for rule, one in found.items()]
    return asker.answer(found).arrays(asker.frames, told)


@signal(
    version=1,
    reads=("video", "reference", "extras.description"),
    needs=(rule_relevance(), moving_boxes(), moving_boxes(of="reference")),
    seat="judge",
    cost=0.0,
    memory=0.0,
    prompts=(COMPLIANCE,),
)
def rule_verdicts(
    clip: Clip,
    reference: Clip,
    description: str,
    relevance: Arrays | None,
    boxes: Arrays | None,
    reference_boxes: Arrays | None,
    judge: Judge,
    *,
    mode: Mode = "dimension",
) -> Arrays:
    """Whether a clip keeps to the rules that apply, by a judge that sees eight frames of it and eight of the reference.

    A list as `physical.results` of a judge file has it. A rule whose question cannot be answered keeps `error`; the
    signal is unscored where no rule that applies has an answer.
    """
    exhibits = (
        with_overlay("frames of the generated clip", clip, boxes),
        with_overlay("frames of the reference video", reference, reference_boxes),
    )
    known = {rule.id: {"related": True} for rule in rules()} if relevance is None else answer_in(relevance)
    asker = _Asker(judge, exhibits, description, known)
    applying = [rule for rule in rules() if known[rule.id]["related"]]
    judge.expect([asker.inquiry(COMPLIANCE, batch, mode != "none") for batch in batches(applying, mode)])
    found = judge_rules(rules(), mode, asker)
    failed = [one for one in found if one.get("error")]
    if failed and len(failed) == len(applying):
        raise NotUnderstood(f"no rule has an answer ({failed[0]['error']})")
    told = [[one["question_id"], _in_words(one), one["explanation"]] for one in found if one["related"]]
    return asker.answer(found).arrays(asker.frames, told)


class _Asker:
    """Puts questions about rules; relevance that is known is not asked again, whatever a fallback wants."""

    def __init__(
        self,
        judge: Judge,
        exhibits: tuple[Exhibit, ...],
        description: str,
        known: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.raw: list[str] = []
        self.frames: list[int] = []
        self.ballots: list[Mapping[str, Any]] = []
        self.model = ""
        self._judge, self._exhibits, self._description, self._known = judge, exhibits, description, known

    def relevance(self, asked: Sequence[Rule], batched: bool) -> Any:
        if self._known is not None:
            return _in_batch({rule.id: dict(self._known[rule.id]) for rule in asked}, batched)
        return _in_batch(self._ask(RELEVANCE, asked, batched), batched)

    def compliance(self, asked: Sequence[Rule], batched: bool) -> Any:
        found = self._ask(COMPLIANCE, asked, batched)
        return _in_batch({name: {**one, "explanation": one["reason"]} for name, one in found.items()}, batched)

    def inquiry(self, prompt: str, asked: Sequence[Rule], batched: bool) -> Inquiry:
        """One question about one rule, in detail, or about several in short."""
        lines = []
        for rule in asked:
            line = {"id": rule.id, "question": rule.asks, "holds when": rule.holds}
            lines.append(json.dumps(line if batched else {**line, "also": rule.also}, ensure_ascii=False))
        values = {"description": fenced(self._description), "rules": fenced("\n".join(lines))}
        form = VerdictsForm(
            tuple(rule.id for rule in asked), "related" if prompt == RELEVANCE else "compliant", "question_id"
        )
        about = f"{prompt.rpartition(':')[2]} of {', '.join(rule.id for rule in asked)}"
        released = {"description": self._description, "rules": [rule.id for rule in asked], "batched": batched}
        return Inquiry(self._exhibits, prompt, values, form, about, released)

    def answer(self, found: Any) -> Answer:
        """What was found, with all that was said."""
        return Answer(found, tuple(self.raw), self.model, ballots=self.ballots)

    def _ask(self, prompt: str, asked: Sequence[Rule], batched: bool) -> dict[str, dict[str, Any]]:
        try:
            answer, frames = self._judge.inquire(self.inquiry(prompt, asked, batched))
        except NotUnderstood as problem:
            # Whatever else went wrong, such as an empty purse, says nothing about the rules: it is tried again.
            raise Failed(str(problem)) from problem
        self.raw += answer.raw
        about = prompt.rpartition(":")[2]
        self.ballots += [{**ballot, "question": f"{about}: {ballot['question']}"} for ballot in answer.ballots]
        self.frames += frames
        self.model = answer.model
        found: dict[str, dict[str, Any]] = answer.value
        if any(rule.id not in found for rule in asked):
            raise Failed("the votes are even")
        return found


def _in_batch(found: Mapping[str, Mapping[str, Any]], batched: bool) -> Any:
    if not batched:
        return dict(next(iter(found.values())))
    return {"results": [{"question_id": name, **one} for name, one in found.items()]}


def _in_words(verdict: Mapping[str, Any]) -> str:
    if verdict.get("error"):
        return "no answer"
    return "complies" if verdict["compliant"] else "breaks the rule"
