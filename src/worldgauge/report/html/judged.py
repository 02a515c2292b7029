"""What a page shows of judges: who answered, what constant answers score, what was not answered, where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from worldgauge.core.evidence import Interview
from worldgauge.core.run_folder import Columns
from worldgauge.core.status import Status
from worldgauge.report.constants import constant_rows, is_judged, unscored_rate
from worldgauge.report.joint import Joint
from worldgauge.report.summary import Summary
from worldgauge.stats.answer_noise import answer_noise

AGAINST, DISAGREE, UNANSWERED = 1, 2, 4
"""Of a case: an answer is not the wanted one; two times or judges do not agree; there is no answer."""


def judged_ids(joint: Joint) -> list[str]:
    """Columns that rest on answers."""
    return [definition.id for definition in joint.definitions if is_judged(definition)]


def judged_json(joint: Joint, summaries: Sequence[Summary]) -> dict[str, Any] | None:
    """For the page of judges; None where no column rests on answers."""
    ids = judged_ids(joint)
    if not ids:
        return None
    constants = constant_rows(summaries)
    return {
        "constants": {name: {key: score.value for key, score in row.items()} for name, row in constants.items()},
        "columns": [
            {
                "id": key,
                "unscored": [
                    unscored_rate(summary.metrics[key]) if key in summary.metrics else None for summary in summaries
                ],
                "noise": _noise([of_run[key] for of_run in joint.columns if key in of_run]),
            }
            for key in ids
        ],
        "judges": [_judge(summary) for summary in summaries],
    }


def interviews_json(interviews: Iterable[Interview]) -> list[dict[str, Any]]:
    return [asdict(interview) for interview in interviews]


def flags_of(interviews: Sequence[Interview], statuses: Iterable[Status]) -> int:
    """What there is to look at in the answers about one case; `statuses` are those of its judged columns."""
    told = [told for interview in interviews for told in interview.told]
    answers: dict[str, set[str]] = {}
    for one in told:
        answers.setdefault(one.question, set()).add(one.answer.casefold())
    against = any(one.wanted and one.answer and one.answer.casefold() != one.wanted.casefold() for one in told)
    disagree = any(len(given) > 1 for given in answers.values())
    unanswered = Status.UNSCORED in statuses or any(not one.answer for one in told)
    return AGAINST * against + DISAGREE * disagree + UNANSWERED * unanswered


def statuses_by_case(columns: dict[str, Columns], ids: Iterable[str]) -> dict[str, set[Status]]:
    """Case to the statuses of its judged columns."""
    found: dict[str, set[Status]] = {}
    for key in ids:
        if key in columns:
            for case, status in zip(columns[key].cases, columns[key].statuses, strict=True):
                found.setdefault(case, set()).add(status)
    return found


def _noise(columns: Sequence[Columns]) -> dict[str, float | None] | None:
    repeats = [np.asarray(column.repeats) for column in columns if column.repeats is not None]
    found = answer_noise(repeats)
    return None if found is None else asdict(found) | {"share": found.share, "share_once": found.share_once}


def _judge(summary: Summary) -> dict[str, Any]:
    """Who was asked in a run, and what all its invocations together took."""
    file = summary.run.file
    signals = [signal for definition in file.definitions for signal in definition.signals]
    instruments = (signal.get("instrument") or {} for signal in signals)
    asked = next((one for one in instruments if one.get("prompts") or one.get("judges")), {})
    counted: dict[str, float] = {}
    for invocation in file.invocations:
        for name, value in invocation.counters.items():
            if name.startswith("judge_"):
                counted[name.removeprefix("judge_")] = counted.get(name.removeprefix("judge_"), 0.0) + value
    known = {key: value for key, value in asked.get("parameters", {}).items() if value not in ("", None)}
    return {"parameters": known, "counted": counted}
