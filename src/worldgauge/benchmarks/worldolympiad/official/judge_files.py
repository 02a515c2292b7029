"""Verdicts as a judge file has them, in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.physical import NOTHING_RELATED, Verdict, case_summary

ROUNDED = 4
"""Decimals of the scores in a judge file."""


def released_verdict(item: Mapping[str, Any]) -> Verdict:
    """One entry of `physical.results`. Only true itself is true; of a rule that applies a confidence that is no number
    raises, as in the original, whatever the verdict is."""
    applies = item.get("related") is True
    return Verdict(
        str(item.get("question_id")),
        str(item.get("dimension")),
        item.get("related") if isinstance(item.get("related"), bool) else None,
        item.get("compliant") if isinstance(item.get("compliant"), bool) else None,
        float(item.get("confidence", 0.0)) if applies else 0.0,
    )


def physical_summary(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`physical` of a judge file without its list of results."""
    summary = case_summary([released_verdict(item) for item in results])
    return {
        "score": round(summary.score, ROUNDED),
        "score_scale": "0-1",
        "default_if_no_related": NOTHING_RELATED,
        "question_count": summary.asked,
        "related_question_count": summary.related,
        "compliant_question_count": summary.compliant,
        "dimension_scores": dict(summary.dimensions),
    }
