"""The physical track: verdicts about fourteen rules, in the three ways that code, tables and paper have."""

from __future__ import annotations

from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.physical import case_summary, pooled
from worldgauge.benchmarks.worldolympiad.official.judge_files import released_verdict
from worldgauge.benchmarks.worldolympiad.signals.physics import rule_verdicts
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.judge.session import answer_in

NO_ANSWER = "no-answer"
"""Reason code: a rule applies, and nobody could read what was said about it."""
SHARE: dict[str, Any] = {"unit": "", "higher_is_better": True, "bounds": (0, 1)}


@metric(**SHARE, needs=[rule_verdicts()], formula=case_summary)
def physical_case(case: Case, found: Arrays) -> Measurement:
    """Mean over the rules that apply of the judge's confidence where the clip complies, else 0; 0.5 where none does."""
    verdicts = [released_verdict(item) for item in answer_in(found)]
    summary = case_summary(verdicts)
    return Measurement(summary.score, reason=f"{summary.related} of {summary.asked} rules apply")


def _rate(found: Arrays, rule: str, dimension: str) -> Measurement:
    verdicts = [released_verdict(item) for item in answer_in(found)]
    own = [v for v in verdicts if rule in ("", v.rule) and dimension in ("", v.dimension)]
    counts = pooled(own)
    about = rule or dimension or "any rule"
    if counts.rate is None and counts.unknown:
        raise Unscored(f"the judge gave no answer about {about}", code=NO_ANSWER)
    if counts.rate is None:
        raise NotApplicable(f"nothing was asked about {about}: no such rule applies")
    remark = f"{counts.unknown} without an answer" if counts.unknown else ""
    return Measurement(counts.rate, reason=remark, weight=float(counts.judged))


@metric(**SHARE, needs=[rule_verdicts()], formula=pooled)
def physical_rate(case: Case, found: Arrays, *, rule: str = "", dimension: str = "") -> Measurement:
    """Share of the rules that apply and were judged with which the clip complies, of one rule or dimension or of all.

    Pooled over cases: each counts with its number of judgements. A rule that does not apply was not asked about, and
    counts nowhere.
    """
    return _rate(found, rule, dimension)


@metric(**SHARE, needs=[rule_verdicts(mode="none")], formula=pooled)
def physical_rate_one_by_one(case: Case, found: Arrays, *, rule: str = "", dimension: str = "") -> Measurement:
    """As `physical_rate`, every rule asked about alone and in detail."""
    return _rate(found, rule, dimension)


@metric(**SHARE, needs=[rule_verdicts(mode="all")], formula=pooled)
def physical_rate_at_once(case: Case, found: Arrays, *, rule: str = "", dimension: str = "") -> Measurement:
    """As `physical_rate`, all rules asked about at once."""
    return _rate(found, rule, dimension)
