"""Answers that pay no heed to the clip: what always yes, always no and a coin would score beside the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from worldgauge.core.aggregate import Tree, by_case, weighted_means
from worldgauge.core.asking import is_asked
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Columns
from worldgauge.core.status import Status
from worldgauge.report.case_table import CaseTable

if TYPE_CHECKING:
    from worldgauge.report.summary import Score, Summary


def is_judged(definition: DefinitionFile) -> bool:
    """Whether a column rests on answers."""
    return any(map(is_asked, definition.signals))


def constant_scores(tree: Tree, table: CaseTable, columns: Mapping[str, Columns]) -> dict[str, dict[str, float]]:
    """Per metric and group: name of a constant answer to its score, on the videos that have an answer and no others."""
    names = dict.fromkeys(name for column in columns.values() for name in column.constants)
    found: dict[str, dict[str, float]] = {}
    for name in names:
        values, weights = np.full_like(table.values, np.nan), np.zeros_like(table.weights)
        for m, definition in enumerate(table.definitions):
            column = columns.get(definition.id)
            if column is not None and name in column.constants:
                of_videos = table.of_videos[definition.id]
                rows, numbers = table.rows[definition.id], column.constants[name]
                values[m], weights[m] = by_case(rows, numbers, of_videos.weights, len(table.cases))
        for key, score in zip(tree.ids, tree.combine(weighted_means(values, weights)), strict=True):
            if isfinite(score):
                found.setdefault(key, {})[name] = float(score)
    return found


def constant_rows(summaries: Sequence[Summary]) -> dict[str, dict[str, Score]]:
    """Name of a constant answer to its scores by column; of several runs, over the videos of the one with most."""
    from worldgauge.report.summary import Score

    found: dict[str, dict[str, Score]] = {}
    for key in dict.fromkeys(key for summary in summaries for key in summary.scores):
        told = [score for summary in summaries if (score := summary.scores.get(key)) and score.constants]
        if not told:
            continue
        most = max(told, key=lambda score: score.scored)
        for name, value in most.constants.items():
            statuses = {Status.OK.value: most.scored}
            found.setdefault(name, {})[key] = Score(key, value, None, most.counted, most.expected, statuses)
    return found


def judged_notes(summaries: Sequence[Summary]) -> list[str]:
    """What constant answers are, and how often each model's clips have no answer."""
    judged = {d.id for summary in summaries for d in summary.run.file.definitions if is_judged(d)}
    notes = []
    if names := list(constant_rows(summaries)):
        columns = dict.fromkeys(k for s in summaries for k, score in s.metrics.items() if score.constants)
        notes.append(f"{', '.join(names)}: what such answers score without a look at the clips ({', '.join(columns)}).")
    rates = [_rate(summary, judged) for summary in summaries]
    if judged and any(rates):
        notes.append(f"Without an answer that could be read, of the judge's numbers: {', '.join(filter(None, rates))}.")
    return notes


def unscored_rate(score: Score) -> float | None:
    """Share of the expected videos for which a judge has no answer."""
    return score.statuses.get(Status.UNSCORED, 0) / score.expected if score.expected else None


def _rate(summary: Summary, judged: set[str]) -> str:
    """`MyModel 4.4 % (2 of 45)`, over all judged columns together."""
    scores = [score for key, score in summary.metrics.items() if key in judged]
    expected = sum(score.expected for score in scores)
    unscored = sum(score.statuses.get(Status.UNSCORED, 0) for score in scores)
    return f"{summary.run.name} {100 * unscored / expected:.1f} % ({unscored} of {expected})" if expected else ""
