"""What became of every video: how many of each status stand behind a score, and how many count without a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.aggregate import Tree
from worldgauge.core.run_file import RunFile
from worldgauge.core.run_folder import Columns
from worldgauge.core.status import Counting, Status
from worldgauge.report.case_table import CaseTable

PENDING = "pending"
"""Stands among the statuses for videos that have no record yet."""
_ORDER = (*(status.value for status in Status), PENDING)
_NUMBER = {status: number for number, status in enumerate(_ORDER)}
"""A status is a text, so it finds its number by itself."""
_FIRST_TOLD = ("error", "invalid", "missing", "unscored", PENDING)
"""Of several reasons why a video does not count in a group, the one that is told."""


class Videos:
    """What became of every video in every metric, as a matrix of statuses."""

    def __init__(self, tree: Tree, columns: Mapping[str, Columns], table: CaseTable, file: RunFile) -> None:
        self._tree = tree
        # Metrics over the same videos share their lists, and of a large run there are millions of keys.
        lists = {(id(c.cases), id(c.takes)): c for c in columns.values()}
        keys = sorted({key for c in lists.values() for key in zip(c.cases, c.takes, strict=True)})
        row = {key: i for i, key in enumerate(keys)}
        places = {
            shared: np.array([row[key] for key in zip(c.cases, c.takes, strict=True)], dtype=np.int64)
            for shared, c in lists.items()
        }
        self._statuses: NDArray[np.int8] = np.full((len(columns), len(keys)), _NUMBER[PENDING], dtype=np.int8)
        self._counts = np.zeros((len(columns), len(keys)), dtype=bool)
        self._put_in: list[dict[str, tuple[Counting, set[int]]]] = []
        """Per metric, why a video without a number counts to the rule it counts by, and which videos."""
        for m, (name, column) in enumerate(columns.items()):
            at = places[id(column.cases), id(column.takes)]
            self._statuses[m, at] = [_NUMBER[status] for status in column.statuses]
            values = table.of_videos[name].values
            self._counts[m, at] = np.isfinite(values)
            policy, found = file.policy_of(name), dict[str, tuple[Counting, set[int]]]()
            for i in np.flatnonzero(np.isfinite(values) & (self._statuses[m, at] != _NUMBER[Status.OK])).tolist():
                status, code = column.statuses[i], column.codes[i]
                found.setdefault(code or status.value, (policy.rule(status, code), set()))[1].add(int(at[i]))
            self._put_in.append(found)
        # Videos without a record in any metric.
        self._pending = max(0, file.expected - len(keys))

    def of(self, name: str) -> tuple[dict[str, int], int, int]:
        """Statuses, videos that count, and videos expected. In a group a video is scored when every metric is."""
        rows = self._tree.metrics_of(name)
        counts: Counter[str] = Counter({PENDING: self._pending} if self._pending else {})
        if not rows:
            return dict(counts), 0, self._pending
        statuses = self._statuses[rows]
        asked = statuses != _NUMBER[Status.SKIPPED]
        told = np.full(statuses.shape[1], _NUMBER[Status.OK], dtype=np.int8)
        for status in reversed(_FIRST_TOLD):
            told[(statuses == _NUMBER[status]).any(axis=0)] = _NUMBER[status]
        told[~asked.any(axis=0)] = _NUMBER[Status.SKIPPED]
        numbers = np.bincount(told, minlength=len(_ORDER)).tolist()
        counts.update({status: count for status, count in zip(_ORDER, numbers, strict=True) if count})
        found = {status: counts[status] for status in _ORDER if counts[status]}
        counted = int(((self._counts[rows] | ~asked).all(axis=0) & asked.any(axis=0)).sum())
        return found, counted, sum(found.values()) - found.get(Status.SKIPPED, 0)

    def put_in(self, name: str) -> tuple[dict[str, float | str], dict[str, int], int]:
        """Of videos that count without a number: why to the score each is, how many, and how many are the worst.

        In a group each member has a worst of its own.
        """
        rows = self._tree.metrics_of(name)
        scores: dict[str, float | str] = {}
        videos: dict[str, set[int]] = {}
        worst: set[int] = set()
        for row in rows:
            for why, (rule, which) in self._put_in[row].items():
                alone = self._tree.definitions[row].worst if name == self._tree.ids[row] else None
                score = alone if rule == "worst" and alone is not None else rule
                # Members that do not agree on a number agree on its being none of the model's.
                scores[why] = score if scores.get(why, score) == score else "worst"
                videos.setdefault(why, set()).update(which)
                worst |= which if rule == "worst" else set()
        return scores, {why: len(which) for why, which in videos.items()}, len(worst)
