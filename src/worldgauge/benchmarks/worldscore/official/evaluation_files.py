"""The official result files: `evaluation.json` per case, `worldscore.json` per model, the leaderboard's CSV row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from worldgauge.benchmarks.worldscore.official.aspects import (
    ASPECTS,
    DYNAMIC_ASPECTS,
    STATIC_ASPECTS,
    Raw,
    is_skipped,
    normalised,
)
from worldgauge.core.errors import WorldGaugeError

Movement = Literal["static", "dynamic"]
Evaluation = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Aspect to official metric to `score` and `score_normalized`."""
Scores = Mapping[str, float | None]
"""Aspect or total to its score, None where it was not measured."""

STATIC: Final = "WorldScore-Static"
DYNAMIC: Final = "WorldScore-Dynamic"
LEADERBOARD_COLUMNS: Final = (
    *("Model Type", "Model Name", "Ability", "Sampled by", "Evaluated by", "Accessibility", "Date"),
    *(STATIC, DYNAMIC, "Camera Control", "Object Control", "Content Alignment", "3D Consistency"),
    *("Photometric Consistency", "Style Consistency", "Subjective Quality"),
    *("Motion Accuracy", "Motion Magnitude", "Motion Smoothness"),
)


def evaluation(raws: Mapping[str, Raw], movement: Movement, layouts: Sequence[str]) -> dict[str, Any]:
    """`evaluation.json` of a case from the raw numbers of its official metrics; those without a number are left out."""
    aspects = STATIC_ASPECTS if movement == "static" else DYNAMIC_ASPECTS
    content: dict[str, Any] = {}
    for aspect, metrics in aspects.items():
        entries = {
            metric: {"score": _plain(raws[metric]), "score_normalized": normalised(metric, raws[metric])}
            for metric in metrics
            if metric in raws
        }
        if entries and not (movement == "static" and is_skipped(aspect, layouts)):
            content[aspect] = entries
    return content


def failed_entry(metric: str) -> dict[str, Any]:
    """What the released code stores when a metric raises: a sentinel and the score 0.

    For the two metrics with several numbers it crashes instead, and with it the run.
    """
    if metric in ("camera_error", "motion_smoothness"):
        raise WorldGaugeError(f"the released code has no entry for a failed {metric}: it aborts the run")
    lower_is_better = metric in ("reprojection_error", "optical_flow_aepe", "gram_matrix")
    return {"score": 100 if lower_is_better else -100, "score_normalized": 0.0}


def worldscore(
    static: Sequence[Evaluation], dynamic: Sequence[Evaluation] = (), absent_as_zero: Sequence[str] = tuple(ASPECTS)
) -> Scores:
    """`worldscore.json`: ten aspects from 0 to 100 and the two totals, rounded as the official analysis does.

    An aspect of `absent_as_zero` is 0 where it has no data, and made of the metrics that are there where it has some:
    so does the released code with all of them. Of the others nothing is said where a metric was not measured.
    """
    result: dict[str, float | None] = {}
    for aspect, metrics in ASPECTS.items():
        contents = static if aspect in STATIC_ASPECTS else dynamic
        found = [_mean(contents, aspect, metric) for metric in metrics]
        means = [mean for mean in found if mean is not None]
        if aspect in absent_as_zero:
            result[aspect] = round(100.0 * float(np.mean(means)), 2) if means else 0
        else:
            result[aspect] = round(100.0 * float(np.mean(means)), 2) if len(means) == len(metrics) else None
    return {**result, **totals(result)}


def totals(aspects: Scores) -> Scores:
    """The two totals of ten aspect scores; none over an aspect that has none."""
    return {STATIC: _total(aspects, STATIC_ASPECTS), DYNAMIC: _total(aspects, ASPECTS)}


def _total(aspects: Scores, names: Iterable[str]) -> float | None:
    found = [aspects[name] for name in names]
    present = [score for score in found if score is not None]
    return round(float(np.mean(present)), 2) if len(present) == len(found) else None


def raw_means(static: Sequence[Evaluation], dynamic: Sequence[Evaluation] = ()) -> dict[str, list[Any]]:
    """`worldscore_raw.json`: per aspect, the mean raw number (or numbers) of each of its metrics."""
    result: dict[str, list[Any]] = {}
    for aspect, metrics in ASPECTS.items():
        contents = static if aspect in STATIC_ASPECTS else dynamic
        for metric in metrics:
            raws = [entry["score"] for entry in _entries(contents, aspect, metric) if "score" in entry]
            if raws:
                result.setdefault(aspect, []).append(np.mean(np.asarray(raws, np.float64), axis=0).tolist())
    return result


def leaderboard_row(scores: Scores, card: Mapping[str, str]) -> dict[str, str]:
    """One line of the official leaderboard's CSV; `card` fills the columns that are not scores."""
    keys = (STATIC, DYNAMIC, *ASPECTS)
    cells = ["" if scores[key] is None else f"{scores[key]:.2f}" for key in keys]
    numbers = dict(zip(LEADERBOARD_COLUMNS[7:], cells, strict=True))
    return {column: numbers.get(column, card.get(column, "")) for column in LEADERBOARD_COLUMNS}


def _mean(contents: Sequence[Evaluation], aspect: str, metric: str) -> float | None:
    scores = [entry["score_normalized"] for entry in _entries(contents, aspect, metric) if "score_normalized" in entry]
    return float(np.mean(scores)) if scores else None


def _entries(contents: Sequence[Evaluation], aspect: str, metric: str) -> list[Mapping[str, Any]]:
    return [content[aspect][metric] for content in contents if metric in content.get(aspect, {})]


def _plain(raw: Raw) -> Raw:
    return list(raw) if isinstance(raw, Sequence) else raw
