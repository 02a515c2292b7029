"""Asking about the rules: relevance first, compliance of what is related, one by one or in batches, with fallbacks.

`none` asks about each rule alone, `dimension` about those of a dimension at once, `all` about all. A batch that cannot
be read is asked again rule by rule: after a failed relevance all of it, after a failed compliance its related rules,
relevance included. Whoever asks decides what becomes of that: a run keeps the relevance it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

from worldgauge.benchmarks.worldolympiad.formulas.physical import DIMENSIONS

Mode = Literal["none", "dimension", "all"]
Verdicts = list[dict[str, Any]]


class Rule(Protocol):
    """What must be known of a rule."""

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> str: ...


R = TypeVar("R", bound=Rule)


class Failed(Exception):
    """There is no answer, or none that can be read."""


class Asker(Protocol):
    """Puts a question and returns what the answer says; raises `Failed`. Batched: `{"results": [...]}`."""

    def relevance(self, rules: Sequence[Any], batched: bool) -> Any: ...

    def compliance(self, rules: Sequence[Any], batched: bool) -> Any: ...


def batches(rules: Sequence[R], mode: Mode) -> list[list[R]]:
    """What is asked at once."""
    if mode == "none":
        return [[rule] for rule in rules]
    if mode == "all":
        return [list(rules)]
    return [own for name in DIMENSIONS if (own := [rule for rule in rules if rule.dimension == name])]


def judge_rules(rules: Sequence[Rule], mode: Mode, asker: Asker) -> Verdicts:
    """A verdict for every rule, as a judge file has them. Raises `ValueError` where a batch has a confidence that is no
    number: the original does not survive that."""
    if mode == "none":
        return [_alone(rule, asker) for rule in rules]
    found: Verdicts = []
    for batch in batches(rules, mode):
        found += _batch(batch, asker)
    return found


def judge_relevance(rules: Sequence[Rule], mode: Mode, asker: Asker) -> dict[str, dict[str, Any]]:
    """Relevance alone, for all models: rule to the answer about it. A rule nobody can answer about raises `Failed`."""
    found: dict[str, dict[str, Any]] = {}
    for batch in batches(rules, mode):
        try:
            found |= _by_rule(asker.relevance(batch, batched=mode != "none"), batch, mode != "none")
        except Failed:
            if mode == "none":
                raise
            for rule in batch:
                found |= _by_rule(asker.relevance([rule], batched=False), [rule], False)
    return found


def _batch(batch: Sequence[Rule], asker: Asker) -> Verdicts:
    try:
        relevance = _by_rule(asker.relevance(batch, batched=True), batch, True)
    except Failed:
        return [_alone(rule, asker) for rule in batch]
    found = {rule.id: _unrelated(rule, relevance[rule.id]) for rule in batch}
    related = [rule for rule in batch if relevance[rule.id].get("related")]
    if not related:
        return list(found.values())
    try:
        compliance = _by_rule(asker.compliance(related, batched=True), related, True)
    except Failed:
        found |= {rule.id: _alone(rule, asker) for rule in related}
    else:
        found |= {rule.id: _judged(rule, relevance[rule.id], compliance[rule.id]) for rule in related}
    return list(found.values())


def _alone(rule: Rule, asker: Asker) -> dict[str, Any]:
    try:
        relevance = _by_rule(asker.relevance([rule], batched=False), [rule], False)[rule.id]
        unrelated = _unrelated(rule, relevance)
    except (Failed, TypeError, ValueError) as error:
        return {**_blank(rule), "related": None, "error": f"relevance_failed: {error}"}
    if not relevance.get("related"):
        return unrelated
    try:
        compliance = _by_rule(asker.compliance([rule], batched=False), [rule], False)[rule.id]
        return _judged(rule, relevance, compliance)
    except (Failed, TypeError, ValueError) as error:
        return {**unrelated, "related": True, "error": f"compliance_failed: {error}"}


def _by_rule(content: Any, wanted: Sequence[Rule], batched: bool) -> dict[str, dict[str, Any]]:
    """The answers by rule. Of two about one rule the last counts, those about no rule of the batch are left out."""
    if not batched:
        if not isinstance(content, Mapping):
            raise Failed("the answer is no object")
        return {wanted[0].id: dict(content)}
    results = content.get("results") if isinstance(content, Mapping) else None
    if not isinstance(results, list):
        raise Failed("the answer has no list of results")
    known = {rule.id for rule in wanted}
    found = {str(one.get("question_id", "")).strip(): dict(one) for one in results if isinstance(one, Mapping)}
    missing = [rule.id for rule in wanted if rule.id not in found]
    if missing:
        raise Failed(f"no answer about {', '.join(missing)}")
    return {name: answer for name, answer in found.items() if name in known}


def _blank(rule: Rule) -> dict[str, Any]:
    return {
        "question_id": rule.id,
        "dimension": rule.dimension,
        "related": False,
        "compliant": None,
        "confidence": 0.0,
        "explanation": "",
    }


def _unrelated(rule: Rule, relevance: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_blank(rule),
        "relevance_confidence": float(relevance.get("confidence", 0.0)),
        "relevance_reason": str(relevance.get("reason", "")),
    }


def _judged(rule: Rule, relevance: Mapping[str, Any], compliance: Mapping[str, Any]) -> dict[str, Any]:
    """As released whatever is not empty is true: the text "false" too."""
    return {
        **_unrelated(rule, relevance),
        "related": True,
        "compliant": bool(compliance.get("compliant")),
        "confidence": float(compliance.get("confidence", 0.0)),
        "explanation": str(compliance.get("explanation", "")),
        "observations": compliance.get("observations", ""),
    }
