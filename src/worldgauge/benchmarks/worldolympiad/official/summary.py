"""The released summary of judge files: `score_summary.json` and `score_cases.csv`, from files alone."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.physical import Counts, counted

DIGITS = 6
COUNTS = ("total", "correct", "incorrect", "irrelevant", "unknown")
CASE_COLUMNS = (
    "id",
    "status",
    "exit_code",
    "error",
    "combined_score",
    "three_d_score",
    "three_d_raw_score",
    "interaction_score",
    "interaction_raw_score",
    "clip_interaction_score",
    *(f"physical_{name}_question_count" for name in COUNTS),
    "output",
)


@dataclass
class Questions:
    """Verdicts counted; `total` are those that are objects, which need not be all of them."""

    counts: Counts = field(default_factory=Counts)
    total: int = 0

    def to_json(self) -> dict[str, int]:
        counts = self.counts
        return {
            "total": self.total,
            "correct": counts.correct,
            "incorrect": counts.incorrect,
            "irrelevant": counts.irrelevant,
            "unknown": counts.unknown,
        }


@dataclass
class CaseScores:
    """What one judge file says."""

    row: Mapping[str, Any]
    error: str = ""
    scores: dict[str, float | None] = field(default_factory=dict)
    questions: Questions | None = None
    by_question: dict[str, Questions] = field(default_factory=dict)

    def to_row(self) -> dict[str, Any]:
        counts = self.questions.to_json() if self.questions is not None else {}
        return {
            "id": self.row.get("id"),
            "status": self.row.get("status"),
            "exit_code": self.row.get("exit_code"),
            "error": self.error,
            "combined_score": self.scores.get("combined"),
            "three_d_score": self.scores.get("three_d"),
            "three_d_raw_score": self.scores.get("three_d_raw"),
            "interaction_score": self.scores.get("interaction"),
            "interaction_raw_score": self.scores.get("interaction_raw"),
            "clip_interaction_score": self.scores.get("clip_interaction"),
            **{f"physical_{name}_question_count": counts.get(name) for name in COUNTS},
            "output": self.row.get("output"),
        }


def summarise(
    rows: Iterable[Mapping[str, Any]], folder: Path, source: str, include_non_ok: bool = False
) -> tuple[dict[str, Any], list[CaseScores]]:
    """The summary of the judge files that a progress file names, relative to `folder`, and what each of them says."""
    cases = [read_case(_numbered(row, number), folder, include_non_ok) for number, row in enumerate(rows, start=1)]
    overall, by_question = Questions(), dict[str, Questions]()
    for case in cases:
        if case.questions is not None:
            _add(overall, case.questions)
        for name, own in case.by_question.items():
            _add(by_question.setdefault(name, Questions()), own)
    errors = Counter(case.error for case in cases if case.error)
    summary = {
        "summary_items": len(cases),
        "status_counts": dict(Counter(case.row["status"] for case in cases)),
        "error_counts": dict(errors),
        "physical_questions": {
            "overall": overall.to_json(),
            "by_question": {name: own.to_json() for name, own in sorted(by_question.items())},
        },
        "scores": {
            name: statistics_of([case.scores.get(name) for case in cases])
            for name in ("three_d", "interaction", "combined", "clip_interaction")
        },
        "source_summary": source,
    }
    return summary, cases


def read_case(row: Mapping[str, Any], folder: Path, include_non_ok: bool = False) -> CaseScores:
    """One judge file; where it gives nothing, `error` says why in the words of the original. Raises `ValueError` where
    it holds JSON that is no object: the original ends there."""
    if row.get("status") != "ok" and not include_non_ok:
        return CaseScores(row, "not_ok")
    output = row.get("output")
    if not output:
        return CaseScores(row, "missing_output_path")
    file = folder / str(output)
    if not file.exists():
        return CaseScores(row, "missing_output")
    try:
        content = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        return CaseScores(row, f"invalid_json: {error}")
    except OSError as error:
        return CaseScores(row, f"read_error: {error}")
    if not isinstance(content, Mapping):
        raise ValueError(f"{file} is no judge file: it holds no object")
    return scores_in(content, row)


def _numbered(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A row with a name: the number of its line where it has none that says anything."""
    return {**row, "id": row.get("id") or number, "status": str(row.get("status") or "")}


def scores_in(content: Any, row: Mapping[str, Any]) -> CaseScores:
    """The scores of a judge file's content. Numbers as text count, truth values do not."""
    case = CaseScores(row)
    case.scores = {
        "combined": number(_at(content, "combined_score")),
        "three_d": number(_at(content, "three_d", "final_score_normalized")),
        "three_d_raw": number(_at(content, "three_d", "final_score_raw")),
        "interaction": number(_at(content, "interaction", "score")),
        "interaction_raw": number(_at(content, "interaction", "overall_raw")),
        "clip_interaction": number(_at(content, "clip_interaction", "summary", "semantic_adherence")),
    }
    physical = _at(content, "physical")
    if isinstance(physical, Mapping):
        case.questions = Questions()
        results = physical.get("results")
        if isinstance(results, list):
            for position, item in enumerate(results):
                _count(case, item, position)
        else:
            case.questions.counts += Counts(unknown=1)
    return case


def _count(case: CaseScores, item: Any, position: int) -> None:
    assert case.questions is not None
    if not isinstance(item, Mapping):
        case.questions.counts += Counts(unknown=1)
        return
    one = Questions(counted(item.get("related"), item.get("compliant")), 1)
    name = str(item.get("question_id") or f"question_{position}")
    _add(case.questions, one)
    _add(case.by_question.setdefault(name, Questions()), one)


def _add(total: Questions, other: Questions) -> None:
    total.counts += other.counts
    total.total += other.total


def number(given: Any) -> float | None:
    """
    >>> number("0.25"), number(True), number(None)
    (0.25, None, None)
    """
    if isinstance(given, bool) or given is None:
        return None
    try:
        return float(given)
    except (TypeError, ValueError):
        return None


def statistics_of(values: Sequence[float | None]) -> dict[str, Any]:
    """Count, mean, median, least and most of the values that are there, six decimals."""
    known = [value for value in values if value is not None]
    if not known:
        return {"count": 0, "mean": None, "median": None, "min": None, "max": None}
    return {
        "count": len(known),
        "mean": round(sum(known) / len(known), DIGITS),
        "median": round(statistics.median(known), DIGITS),
        "min": round(min(known), DIGITS),
        "max": round(max(known), DIGITS),
    }


def _at(content: Any, *keys: str) -> Any:
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content
