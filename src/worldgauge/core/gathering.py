"""Records become columns. Flat in memory: 68 bytes a record, whatever its line holds, and one copy of each text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.columns import Columns
from worldgauge.core.reasons import UNAVAILABLE
from worldgauge.core.status import Status

T = TypeVar("T")

_ROW = Struct("=8iq3d")
_ROWS = np.dtype(
    [(name, "=i4") for name in ("video", "invocation", "cluster", "tags", "code", "status", "take", "file")]
    + [("offset", "=i8")]
    + [(name, "=f8") for name in ("value", "raw", "weight")]
)
"""The same bytes as numpy sees them."""
_STATUSES = list(Status)
_STATUS_NUMBER = {status.value: number for number, status in enumerate(_STATUSES)}
_UNSCORED, _INVALID = Status.UNSCORED.value, Status.INVALID.value
_NAN = float("nan")
_Beside = tuple[dict[str, float], list[float]]
"""Constants and repeats of a record that rests on answers."""


class Gathering:
    """Takes records one by one, in the order of writing, and hands out the current ones of each metric."""

    def __init__(self, metrics: Iterable[str]) -> None:
        self._rows: dict[str, bytearray] = {metric: bytearray() for metric in metrics}
        self._beside: dict[str, dict[int, _Beside]] = {metric: {} for metric in self._rows}
        self._videos: dict[tuple[str, int], int] = {}
        self._texts: dict[str, int] = {"": 0}
        self._tags: dict[Any, int] = {(): 0}
        self._tag_sets: list[Mapping[str, str]] = [{}]
        # One metric's videos are asked for many times in a row.
        self._of_metric = lru_cache(maxsize=1)(lambda metric: set(self._table(metric)["video"].tolist()))

    def add(self, record: dict[str, Any], file: int, offset: int) -> None:
        """Take one record that counts; `file` and `offset` say where its line stands."""
        get, texts, videos = record.get, self._texts, self._videos
        metric, status, take = record["metric"], record["status"], get("take", 0)
        value, raw, weight = get("value"), get("raw"), get("weight")
        tags = get("tags")
        code = _code(record) if status in (_UNSCORED, _INVALID) else ""
        constants, repeats = get("constants"), get("repeats")
        rows = self._rows[metric]
        if constants or repeats:
            self._beside[metric][len(rows) // _ROW.size] = constants or {}, repeats or []
        rows += _ROW.pack(
            videos.setdefault((record["case"], take), len(videos)),
            get("invocation", 0),
            texts.setdefault(record["cluster"], len(texts)),
            self._tags_number(tags) if tags else 0,
            texts.setdefault(code, len(texts)) if code else 0,
            _STATUS_NUMBER[status],
            take,
            file,
            offset,
            _NAN if value is None else value,
            _NAN if raw is None else raw,
            _NAN if weight is None else weight,
        )

    def has(self, metric: str, video: tuple[str, int]) -> bool:
        """Whether a video has a record of that metric."""
        number = self._videos.get(video)
        return number is not None and number in self._of_metric(metric)

    def columns(self) -> dict[str, Columns]:
        """Of every metric and video the record of the last invocation; of one invocation, the last line."""
        keys = sorted(self._videos)
        rank = np.empty(len(keys), np.int64)
        rank[[self._videos[key] for key in keys]] = np.arange(len(keys))
        cases, texts = _objects([case for case, _ in keys]), _objects(list(self._texts))
        tag_sets, statuses = _objects(self._tag_sets), _objects(_STATUSES)
        once = SharedLists()
        found = {}
        for metric in self._rows:
            rows = self._table(metric)
            at = rank[rows["video"]]
            order = np.lexsort((rows["invocation"], at))
            sorted_at = at[order]
            current = order[np.append(sorted_at[1:] != sorted_at[:-1], True)] if len(order) else order
            rows = rows[current]
            beside = [self._beside[metric].get(i, _NOTHING) for i in current.tolist()] if self._beside[metric] else []
            found[metric] = Columns(
                cases=once.rows("cases", cases, at[current]),
                takes=once.rows("takes", rows["take"]),
                clusters=once.rows("clusters", texts, rows["cluster"]),
                statuses=once.rows("statuses", statuses, rows["status"]),
                values=rows["value"].copy(),
                raws=rows["raw"].copy(),
                weights=rows["weight"].copy(),
                codes=once.rows("codes", texts, rows["code"]),
                constants=_constants(beside),
                repeats=_repeats(beside),
                tags=once.rows("tags", tag_sets, rows["tags"]),
                places=np.stack([rows["file"].astype(np.int64), rows["offset"]], axis=1),
            )
        return found

    def _table(self, metric: str) -> NDArray[np.void]:
        return np.frombuffer(bytes(self._rows[metric]), _ROWS)

    def _tags_number(self, tags: dict[str, str]) -> int:
        try:
            return self._tags[tuple(tags.items())]
        except (KeyError, TypeError):
            # A value that is no text cannot be looked up as it is.
            plain = {name: value if isinstance(value, str) else json.dumps(value) for name, value in tags.items()}
            number = self._tags.setdefault(tuple(plain.items()), len(self._tag_sets))
            if number == len(self._tag_sets):
                self._tag_sets.append(plain)
            return number


class SharedLists:
    """Lists of columns: one that says the same as the metric before is the same list, not another."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[NDArray[Any], list[Any]]] = {}
        self._meanings: dict[str, Sequence[Any]] = {}

    def rows(self, name: str, values: NDArray[Any], chosen: NDArray[Any] | None = None) -> list[Any]:
        """`values`, or those of them that are chosen by number."""
        key = values if chosen is None else chosen
        latest = self._latest.get(name)
        if latest is None or not np.array_equal(latest[0], key):
            latest = self._latest[name] = key, (values if chosen is None else values[chosen]).tolist()
        return latest[1]

    def words(self, name: str, meanings: Sequence[Any], numbers: Any) -> list[Any]:
        """Each number's meaning."""
        chosen = np.asarray(numbers)
        latest, known = self._latest.get(name), self._meanings.get(name)
        if latest is None or known != meanings or not np.array_equal(latest[0], chosen):
            latest = self._latest[name] = chosen, _objects(meanings)[chosen].tolist()
            self._meanings[name] = meanings
        return latest[1]


_NOTHING: _Beside = ({}, [])


def _code(record: Mapping[str, Any]) -> str:
    """Why a record has no number. Before there were codes, only what the machine lacked was to be tried again."""
    return str(record.get("code", "")) or (UNAVAILABLE if record.get("again") else "")


def _objects(items: Sequence[T]) -> NDArray[Any]:
    """An array that holds the items themselves."""
    made = np.empty(len(items), object)
    made[:] = items
    return made


def _constants(beside: Sequence[_Beside]) -> dict[str, NDArray[np.float64]]:
    names = dict.fromkeys(name for constants, _ in beside for name in constants)
    return {name: np.array([of_row.get(name, np.nan) for of_row, _ in beside], dtype=np.float64) for name in names}


def _repeats(beside: Sequence[_Beside]) -> NDArray[np.float64] | None:
    times = max((len(repeats) for _, repeats in beside), default=0)
    if times < 2:
        return None
    return np.array([repeats + [np.nan] * (times - len(repeats)) for _, repeats in beside], dtype=np.float64)
