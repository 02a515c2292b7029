"""A run on disk: its description and `records-*.jsonl`, read back without an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.column_file import load_columns, save_columns, stamp_of
from worldgauge.core.contents import FILE_NAME as CONTENTS_FILE
from worldgauge.core.contents import Contents, remember_files
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.given import given
from worldgauge.core.reasons import UNAVAILABLE
from worldgauge.core.record_lines import RecordLines
from worldgauge.core.sources import Source, read_sources
from worldgauge.core.status import Status
from worldgauge.core.validity import Counting, LeftOut
from worldgauge.core.video import Video

if TYPE_CHECKING:
    import pandas

from worldgauge.core.run_file import DAMAGED_HINT, RunFile


@dataclass(frozen=True)
class Columns:
    """The current records of one metric, sorted by case and take."""

    cases: list[str]
    takes: list[int]
    clusters: list[str]
    statuses: list[Status]
    values: NDArray[np.float64]
    """NaN where there is no value."""
    raws: NDArray[np.float64]
    weights: NDArray[np.float64]
    """NaN where a record has none of its own."""
    codes: list[str]
    """Reason codes; empty for any status but unscored."""
    constants: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Of what rests on answers: name of a constant answer to its score, NaN where a record has none."""
    repeats: NDArray[np.float64] | None = None
    """Likewise (records, times asked): the score of each time, NaN where there is none; None: asked once."""

    def count(self) -> Counter[Status]:
        return Counter(self.statuses)


class Run:
    """A run's definitions and records."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.file = RunFile.read(self.folder)
        self.left_out = LeftOut()
        """What the latest reading of the records left out."""

    @property
    def name(self) -> str:
        return self.file.model.name

    @cached_property
    def contents(self) -> Contents | None:
        """What was there when the run last looked; None for folders of older versions."""
        found = Contents.read(self.folder)
        if found is None and self.file.invocations and not self.file.older:
            raise WorldGaugeError(
                f"{self.folder} has lost its {CONTENTS_FILE}, so nobody knows which records count", DAMAGED_HINT
            )
        return found

    def counting(self) -> Counting:
        """Every record that counts: of one video and metric the one of the last invocation is the current one."""
        return Counting(RecordLines(self.folder), self.file.definitions, self.contents)

    def records(self) -> list[dict[str, Any]]:
        """The current record of every metric, case and take, sorted; stale ones are left out."""
        current: dict[tuple[str, str, int], dict[str, Any]] = {}
        counting = self.counting()
        for record in counting:
            key = record["metric"], record["case"], record.get("take", 0)
            before = current.get(key)
            if before is None or record.get("invocation", 0) >= before.get("invocation", 0):
                current[key] = record
        self.left_out = counting.left_out(lambda metric, video: (metric, *video) in current)
        return [current[key] for key in sorted(current)]

    def columns(self) -> dict[str, Columns]:
        """Per metric id, in the order of the definitions, the current records as columns. Flat in memory per record."""
        stamp = stamp_of(self.folder)
        known = load_columns(self.folder, stamp) if stamp else None
        if known is not None:
            found, left_out = known
            self.left_out = LeftOut(left_out["stale"], tuple(left_out["damaged"]))
            return found
        found = self._read_columns()
        # A run that is being written has another stamp by now: what was read is then of no single moment.
        if stamp and stamp_of(self.folder) == stamp:
            told = {"stale": dict(self.left_out.stale), "damaged": list(self.left_out.damaged)}
            save_columns(self.folder, stamp, found, told)
        return found

    def _read_columns(self) -> dict[str, Columns]:
        rows: dict[str, dict[tuple[str, int], _Row]] = {d.id: {} for d in self.file.definitions}
        counting = self.counting()
        for record in counting:
            key, of_metric = (intern(record["case"]), record.get("take", 0)), rows[record["metric"]]
            invocation = record.get("invocation", 0)
            before = of_metric.get(key)
            if before is not None and before[0] > invocation:
                continue
            status = intern(record["status"])
            value, raw, weight = record.get("value"), record.get("raw"), record.get("weight")
            of_metric[key] = (
                invocation,
                intern(record["cluster"]),
                status,
                np.nan if value is None else value,
                np.nan if raw is None else raw,
                np.nan if weight is None else weight,
                _code(record) if status is _UNSCORED else "",
                _beside(record),
            )
        self.left_out = counting.left_out(lambda metric, video: video in rows[metric])
        found = {metric: _columns(of_metric) for metric, of_metric in rows.items()}
        conditions = {d.id: d.given for d in self.file.definitions if d.given}
        return {
            name: given(column, found.get(conditions[name])) if name in conditions else column
            for name, column in found.items()
        }

    def sources(self) -> dict[str, Source]:
        """Every case with the videos that were measured; one that was replaced since then is not shown for it."""
        if self.contents is None:
            return read_sources(self.folder)
        remember_files(self.folder)
        return {
            case: replace(source, takes=tuple(self._measured(case, *take) for take in enumerate(source.takes)))
            for case, source in read_sources(self.folder).items()
        }

    def _measured(self, case: str, take: int, video: Video | None) -> Video | None:
        parts = self.contents.videos.get((case, take), {}) if self.contents is not None else {}
        try:
            return video if video is not None and video.digest[:16] == parts.get("video", "")[:16] else None
        except (WorldGaugeError, OSError):
            return None

    def to_pandas(self) -> pandas.DataFrame:
        """One row per (case, metric): the record's fields, the model's name, and a `tag.<name>` column per tag."""
        import pandas

        rows = []
        for record in self.records():
            tags = {f"tag.{key}": value for key, value in record.pop("tags", {}).items()}
            rows.append({"model": self.name, **record, **tags})
        return pandas.DataFrame(rows)


_UNSCORED = intern(Status.UNSCORED.value)

_Beside = tuple[dict[str, float], list[float] | None]
_Row = tuple[int, str, str, float, float, float, str, _Beside | None]
"""Invocation, cluster, status, value, raw, weight, reason code; constants and repeats, where it rests on answers."""


def _code(record: dict[str, Any]) -> str:
    """Why a record is unscored. Before there were codes, only what the machine lacked was to be tried again."""
    return intern(record.get("code", "")) or (UNAVAILABLE if record.get("again") else "")


def _beside(record: dict[str, Any]) -> _Beside | None:
    constants, repeats = record.get("constants"), record.get("repeats")
    return (constants or {}, repeats) if constants or repeats else None


def _columns(of_metric: dict[tuple[str, int], _Row]) -> Columns:
    keys = sorted(of_metric)
    rows = [of_metric[key] for key in keys]
    return Columns(
        cases=[case for case, _ in keys],
        takes=[take for _, take in keys],
        clusters=[row[1] for row in rows],
        statuses=[Status(row[2]) for row in rows],
        values=np.array([row[3] for row in rows], dtype=np.float64),
        raws=np.array([row[4] for row in rows], dtype=np.float64),
        weights=np.array([row[5] for row in rows], dtype=np.float64),
        codes=[row[6] for row in rows],
        constants=_constants(rows),
        repeats=_repeats(rows),
    )


def _constants(rows: Sequence[_Row]) -> dict[str, NDArray[np.float64]]:
    found = [row[7][0] if row[7] is not None else {} for row in rows]
    names = dict.fromkeys(name for of_row in found for name in of_row)
    return {name: np.array([of_row.get(name, np.nan) for of_row in found], dtype=np.float64) for name in names}


def _repeats(rows: Sequence[_Row]) -> NDArray[np.float64] | None:
    found = [(row[7][1] if row[7] is not None else None) or [] for row in rows]
    times = max(map(len, found), default=0)
    if times < 2:
        return None
    return np.array([of_row + [np.nan] * (times - len(of_row)) for of_row in found], dtype=np.float64)
