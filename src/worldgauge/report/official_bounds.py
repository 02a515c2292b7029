"""Bounds beside official files, whose own formats have no place for them: what every official score could be."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint
from worldgauge.report.places import possible_ranks
from worldgauge.report.plain import csv_text, plain

FILE_NAME = "bounds.csv"
HEADER = ("Model", "Column", "Score", "Lowest", "Highest", "Rank", "LastRank")
Ends = tuple[float, float]
"""The lowest and the highest that a score could be; infinite where nothing bounds it."""


@dataclass(frozen=True)
class OfficialScores:
    """One model's official scores, and between which numbers each lies."""

    model: str
    scores: Mapping[str, float | None]
    """By official name."""
    bounds: Mapping[str, Ends]
    """Of those that rest on clips without a number, for a reason that a model can cause."""

    def ends(self, column: str) -> Ends | None:
        """What the score could be; None where there is none."""
        score = self.scores.get(column)
        return None if score is None else self.bounds.get(column, (score, score))


def bounds_of_run(run: Run, columns: Mapping[str, tuple[str, float]]) -> dict[str, Ends]:
    """Official name to the bounds of its score; `columns` gives each our id and what our score is multiplied by."""
    joint = Joint([run])
    low, high = joint.bounds
    found = {}
    for name, (column, factor) in columns.items():
        if column not in joint.ids or not joint.unknown[0, joint.tree.metrics_of(column)].any():
            continue
        i = joint.ids.index(column)
        if not math.isnan(low[0, i]):
            found[name] = (factor * float(low[0, i]), factor * float(high[0, i]))
    return found


def bounds_csv(models: Sequence[OfficialScores], better: Mapping[str, bool | None], decimals: int = 2) -> str:
    """A line per model and official column: score, bounds, and from the second model on the ranks it can have.

    `better` tells of every column whether larger is; empty cells: all is known, or there is no score.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADER)
    for column, higher in better.items():
        ranks = possible_ranks({k: model.ends(column) for k, model in enumerate(models)}, higher)
        for k, model in enumerate(models):
            score, bounds = model.scores.get(column), model.bounds.get(column)
            ends = ["", ""] if bounds is None else [_told(end, decimals) for end in bounds]
            told = "" if score is None else _told(score, decimals)
            writer.writerow([csv_text(plain(model.model)), column, told, *ends, *ranks.get(k, ("", ""))])
    return stream.getvalue()


def bounds_remarks(model: OfficialScores, decimals: int = 2) -> list[str]:
    """One line per column that has bounds."""
    between = {column: " to ".join(_told(end, decimals) for end in ends) for column, ends in model.bounds.items()}
    return [f"{column}: {ends} if clips without a score counted as worst or best" for column, ends in between.items()]


def _told(number: float, decimals: int) -> str:
    return f"{number:.{decimals}f}" if math.isfinite(number) else "unbounded"
