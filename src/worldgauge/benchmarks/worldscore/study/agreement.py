"""Do metrics prefer the video that people prefer? Two-alternative forced choice (paper, C.4 and Table S5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.study.votes import Question, Scores
from worldgauge.stats.bootstrap import Interval, cluster_replicates, percentile_interval

Floats = NDArray[np.float64]

COMBINATIONS: Final[dict[str, tuple[str, ...]]] = {
    "CLIP-IQA": ("CLIP-IQA",),
    "CLIP-IQA+": ("CLIP-IQA+",),
    "QAlign Quality": ("QAlign Quality",),
    "QAlign Video Quality": ("QAlign Video Quality",),
    "MUSIQ": ("MUSIQ",),
    "CLIP Aesthetic": ("CLIP Aesthetic",),
    "QAlign Aesthetic": ("QAlign Aesthetic",),
    "QAlign Video Aesthetic": ("QAlign Video Aesthetic",),
    "CLIP-IQA+ & QAlign Quality": ("CLIP-IQA+", "QAlign Quality"),
    "CLIP Aesthetic & QAlign Video Aesthetic": ("CLIP Aesthetic", "QAlign Video Aesthetic"),
    "CLIP-IQA+ & CLIP Aesthetic": ("CLIP-IQA+", "CLIP Aesthetic"),
}
"""The rows of Table S5, larger is better in each."""
UPPER_BOUND: Final = "Upper Bound"
TWO_PEOPLE: Final = "Two people"
REPLICATES: Final = 2000


@dataclass(frozen=True)
class Agreement:
    """One row: mean agreement over questions, and how many questions it rests on."""

    name: str
    value: float | None
    """None where no question has numbers."""
    interval: Interval | None
    """95 %, bootstrap over questions."""
    questions: int

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "value": self.value, "interval": self.interval, "questions": self.questions}


def study(questions: Sequence[Question], scores: Scores, more: Sequence[str] = ()) -> list[Agreement]:
    """The 11 rows of Table S5, further metrics of `scores` and combinations `more` ("A & B"), and the two bounds."""
    rows = dict(COMBINATIONS)
    rows |= {metric: (metric,) for metric in scores if metric not in rows}
    rows |= {name: tuple(part.strip() for part in name.split("&")) for name in more}
    per_question = {name: metric_agreement(questions, scores, members) for name, members in rows.items()}
    per_question[UPPER_BOUND] = majority_agreement(questions)
    per_question[TWO_PEOPLE] = pair_agreement(questions)
    return [_summary(name, values) for name, values in per_question.items()]


def metric_agreement(questions: Sequence[Question], scores: Scores, members: Sequence[str]) -> Floats:
    """Per question the share of people who side with the mean of the members; a tie counts half, NaN: no numbers.

    Members of a combination are standardised over the videos of the study first: the paper names no common scale.

    Source: arXiv 2504.00983, C.4.
    """
    videos = sorted({video for question in questions for video in (question.first, question.second)})
    table = np.array([[scores.get(member, {}).get(video, np.nan) for video in videos] for member in members])
    if len(members) > 1:
        table = np.array([_standardised(row) for row in table])
    mean = dict(zip(videos, table.mean(axis=0), strict=True))
    found = []
    for question in questions:
        lead = mean[question.first] - mean[question.second]
        found.append({1.0: question.share, -1.0: 1 - question.share, 0.0: 0.5}.get(float(np.sign(lead)), np.nan))
    return np.array(found)


def majority_agreement(questions: Sequence[Question]) -> Floats:
    """What a metric gets per question that always sides with the majority: no metric can get more.

    The fewer votes a question has, the higher it is by chance: 1 with a single one.
    """
    return np.array([max(question.share, 1 - question.share) for question in questions])


def pair_agreement(questions: Sequence[Question]) -> Floats:
    """How often two people agree who answered the same question; NaN where only one did."""
    found = []
    for question in questions:
        n, k = question.votes, question.for_first
        found.append((k * (k - 1) + (n - k) * (n - k - 1)) / (n * (n - 1)) if n > 1 else np.nan)
    return np.array(found)


def _standardised(row: Floats) -> Floats:
    present = row[np.isfinite(row)]
    spread = present.std() if present.size else 0.0
    return np.asarray((row - present.mean()) / spread) if spread > 0 else row * 0.0


def _summary(name: str, values: Floats) -> Agreement:
    present = values[np.isfinite(values)]
    if not present.size:
        return Agreement(name, None, None, 0)
    drawn = cluster_replicates(present[None], np.arange(present.size), REPLICATES)[0]
    interval = percentile_interval(drawn, clusters=present.size)
    return Agreement(name, float(present.mean()), interval, int(present.size))
