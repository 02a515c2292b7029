"""Rate, reliability, M-Score and counts of every score, by any tag of the cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.official.metric_ids import SUBSETS, scores_of, trigger_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint

TAGS = ("subset", "hiding", "direction")


@dataclass(frozen=True)
class Line:
    """One score over one part of the cases."""

    tag: str
    value: str
    score: str
    reliability: float | None
    trigger_rate: float | None
    m_score: float | None
    scored: int
    triggered: int
    cases: int
    """Cases of the part that the score is about."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def subset_table(run: Run, by: Sequence[str] = TAGS) -> list[Line]:
    """A line for every score and every value of the tags `by`, through the tree of the whole run."""
    joint = Joint([run])
    tags = run.tags()
    lines: list[Line] = []
    for tag in by:
        for value in sorted({of_case[tag] for of_case in tags.values() if tag in of_case}):
            part = joint.part(np.array([tags[case].get(tag) == value for case in joint.cases]))
            lines += _lines(part, tag, value, np.array([tags[case].get("subset", "") for case in part.cases]))
    if not lines:
        raise WorldGaugeError(f"no case of {run.folder} has a tag {' or '.join(by)}", "name others with --by")
    return lines


def _lines(part: Joint, tag: str, value: str, subsets: NDArray[np.str_]) -> list[Line]:
    """`subsets` of the part's cases: action clips of all of them share one trigger column."""
    scores = dict(zip(part.ids, part.scores[0].tolist(), strict=True))
    rows = {definition.id: part.values[0][k] for k, definition in enumerate(part.definitions)}
    found = []
    for setting in ("t", "a"):
        for one in scores_of(setting):
            column = f"{setting}_{one.score}"
            rate = trigger_of(setting, one.score, SUBSETS[one.score])
            if column not in rows or rate not in rows:
                continue
            subset = SUBSETS[one.score]
            about = np.isfinite(rows[rate]) & ((subsets == subset) | (subset == ""))
            if not about.any():
                continue
            triggers = rows[rate][about]
            found.append(
                Line(
                    tag=tag,
                    value=value,
                    score=column,
                    reliability=_number(scores[column]),
                    trigger_rate=_number(scores[rate]),
                    m_score=_number(scores[f"{column}_m"]),
                    scored=int(np.isfinite(rows[column]).sum()),
                    triggered=int((triggers > 0).sum()),
                    cases=len(triggers),
                )
            )
    return found


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
