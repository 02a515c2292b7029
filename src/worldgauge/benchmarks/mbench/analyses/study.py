"""A file of votes and labels held against runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.analyses.trigger_votes import read_labels, trigger_quality
from worldgauge.benchmarks.mbench.analyses.votes import agreement, count_votes, read_records, win_ratios
from worldgauge.benchmarks.mbench.official.metric_ids import SCORES
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status

_NAMES = {name: one.score for one in SCORES for name in (one.score, one.metric, one.column)}
"""How a dimension of the votes may be called, to our score."""


def study(file: Path, runs: Sequence[Run]) -> dict[str, Any]:
    """Counts, win ratios, agreement per dimension and setting, and the quality of the trigger labels."""
    rows = read_records(file)
    counted = count_votes(rows, str(file))
    groups = sorted({(one.dimension, one.setting) for one in counted.decisions})
    scores, judged = _scores(runs), _triggers(runs)
    found, ratios = [], []
    for dimension, setting in groups:
        of_group = [one for one in counted.decisions if (one.dimension, one.setting) == (dimension, setting)]
        models = win_ratios((one.first, one.second, one.winner) for one in of_group)
        ratios.append({"dimension": dimension, "setting": setting, "models": models})
        column = f"{setting}_{_NAMES.get(dimension.rpartition('.')[2], dimension)}"
        agreed = agreement(of_group, scores.get(column, {}))
        if agreed is not None:
            found.append(asdict(agreed))
    subsets = {task: task.partition(":")[0] for _, task in judged}
    quality = trigger_quality(read_labels(rows, str(file)), judged, subsets)
    return {
        "records": counted.records,
        "pairs": counted.pairs,
        "split": counted.split,
        "win_ratios": ratios,
        "agreement": found,
        "triggers": [one.to_json() for one in quality],
    }


def _scores(runs: Sequence[Run]) -> dict[str, dict[tuple[str, str], float]]:
    """Column to model and case to the score of that clip."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for run in runs:
        for column, records in run.columns().items():
            for case, status, value in zip(records.cases, records.statuses, records.values.tolist(), strict=True):
                if status is Status.OK:
                    found.setdefault(column, {})[run.name, case] = value
    return found


def _triggers(runs: Sequence[Run]) -> dict[tuple[str, str], bool]:
    """Model and item id to what the judge says."""
    found: dict[tuple[str, str], bool] = {}
    for run in runs:
        for column, records in run.columns().items():
            if not column.startswith("t_trigger_") or column == "t_trigger_text":
                continue
            for case, status, raw in zip(records.cases, records.statuses, records.raws.tolist(), strict=True):
                if status is Status.OK:
                    found[run.name, case.replace("/", ":")] = raw > 0.5
    return found
