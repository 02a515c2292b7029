"""A run on disk: `run.json` and `records-*.jsonl`, read back without an engine."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from worldgauge.core.benchmark import BenchmarkFile, CaseReducer, Scale, score_ends
from worldgauge.core.contents import FILE_NAME as CONTENTS_FILE
from worldgauge.core.contents import Contents, remember_files
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.identity import Identity
from worldgauge.core.older_runs import brought_up
from worldgauge.core.record_lines import RecordLines
from worldgauge.core.sources import Source, read_sources
from worldgauge.core.status import Policy, Status
from worldgauge.core.submission import ModelCard, first_problem
from worldgauge.core.validity import Counting, LeftOut
from worldgauge.core.video import Video

if TYPE_CHECKING:
    import pandas

SCHEMA: Final = 3
FILE_NAME = "run.json"


DAMAGED_HINT = "run the same command again: it is written anew, and records are kept"


class DamagedRunFile(WorldGaugeError):
    """`run.json` cannot be understood; the records beside it can still be of use."""


class _Model(BaseModel):
    # Bounds may be infinite, which plain JSON cannot say.
    model_config = ConfigDict(
        extra="forbid", populate_by_name=True, use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class DefinitionFile(_Model):
    """Everything that determines one column of the result."""

    id: str
    fingerprint: str
    metric: str
    version: int
    unit: str
    higher_is_better: bool | None
    bounds: tuple[float, float]
    parameters: dict[str, Any] = {}
    scale: Scale | None = None
    reduce: CaseReducer = "mean"
    summary: str = ""
    signals: list[dict[str, Any]] = []
    """The signals the metric rests on, with versions, parameters, frames and instruments."""
    unavailable: str = ""
    """Why it could not be computed on the machine of the latest invocation."""
    unscaled: str = ""
    """Why it has no scale, where scores have one: it enters no group."""
    reads: tuple[str, ...] = ()
    """Parts of the case and the video that a record rests on."""

    @property
    def ends(self) -> tuple[float, float]:
        """The worst and the best number a case can have; infinite where nothing bounds it."""
        return score_ends(self.scale, self.bounds, self.higher_is_better)

    @property
    def worst(self) -> float | None:
        """What an absent video scores under the policy `worst`; None where no number is the worst."""
        return self.ends[0] if math.isfinite(self.ends[0]) else None


class Invocation(_Model):
    """One time the command was run on this folder."""

    started: float
    seconds: float
    arguments: list[str]
    environment: dict[str, str]
    workers: int
    device: str
    counters: dict[str, float]
    """Clips decoded, frames decoded, signals computed and reused, records written."""


class SampleFile(_Model):
    """A part of a benchmark, drawn so that every case had the same chance."""

    share: float
    seed: int
    of: int
    """Cases of the whole benchmark."""


class RunFile(_Model):
    """`run.json`."""

    schema_version: Literal[3] = Field(default=SCHEMA, alias="schema")
    benchmark: BenchmarkFile
    protocol: str
    instruments: dict[str, str]
    """Seat to instrument."""
    model: ModelCard
    data: str | None = None
    """Digest of the data set's case ids; null where the cases are the videos."""
    read_from: str = ""
    """Where the submission was read from; empty for videos in memory."""
    cases: int
    """Cases asked for: of the whole benchmark or, where a sample was drawn, of the sample."""
    videos: int = 0
    """Videos asked for, every take of a case counted; 0 in older files, which have one for each case."""
    sample: SampleFile | None = None
    """Which part of the benchmark was drawn; null: all of it."""
    definitions: list[DefinitionFile]
    invocations: list[Invocation] = []
    _older: bool = PrivateAttr(default=False)

    @property
    def older(self) -> bool:
        """Whether an older version wrote it: it can be read, not continued."""
        return self._older

    @property
    def expected(self) -> int:
        """Videos that coverage is measured against."""
        return self.videos or self.cases

    def policy_of(self, column: str) -> Policy:
        """What this model's absent videos count as in a column; for a group, what the benchmark says of all."""
        policy, card = self.benchmark.policy, self.model.model_dump()
        use = next((use for use in self.benchmark.metrics if use.id == column), None)
        return policy if use is None else use.policy_for(policy, card)

    @property
    def identity(self) -> Identity:
        """Whom the folder is about."""
        return Identity(self.benchmark.name, self.data, self.protocol, self.model, self.read_from)

    @classmethod
    def read(cls, folder: Path) -> RunFile:
        file = folder / FILE_NAME
        content: Any = None
        try:
            content = json.loads(file.read_bytes())
            older = isinstance(content, dict) and content.get("schema") in (1, 2)
            opened = cls.model_validate(brought_up(content) if older else content)
            opened._older = older
            return opened
        except FileNotFoundError as error:
            raise WorldGaugeError(
                f"{folder} is not a run: it has no {FILE_NAME}", "name a folder that 'worldgauge run' made"
            ) from error
        except OSError as error:
            raise WorldGaugeError(f"{file} cannot be read ({error.strerror})") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            newer = _newer(content)
            if newer:
                raise WorldGaugeError(f"{file} was written by a newer version", "update this one") from None
            problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
            raise DamagedRunFile(f"{file} is damaged ({problem})", DAMAGED_HINT) from error

    def write(self, folder: Path) -> None:
        partial = folder / f".{FILE_NAME}.partial"
        partial.write_text(self.model_dump_json(by_alias=True, indent=1) + "\n", "utf-8")
        partial.replace(folder / FILE_NAME)


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
        rows: dict[str, dict[tuple[str, int], _Row]] = {d.id: {} for d in self.file.definitions}
        counting = self.counting()
        for record in counting:
            key, of_metric = (intern(record["case"]), record.get("take", 0)), rows[record["metric"]]
            invocation = record.get("invocation", 0)
            before = of_metric.get(key)
            if before is not None and before[0] > invocation:
                continue
            value, raw, weight = record.get("value"), record.get("raw"), record.get("weight")
            of_metric[key] = (
                invocation,
                intern(record["cluster"]),
                intern(record["status"]),
                np.nan if value is None else value,
                np.nan if raw is None else raw,
                np.nan if weight is None else weight,
            )
        self.left_out = counting.left_out(lambda metric, video: video in rows[metric])
        return {metric: _columns(of_metric) for metric, of_metric in rows.items()}

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


_Row = tuple[int, str, str, float, float, float]
"""Invocation, cluster, status, value, raw, weight."""


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
    )


def _newer(content: Any) -> int | None:
    schema = content.get("schema") if isinstance(content, dict) else None
    return schema if isinstance(schema, int) and schema > SCHEMA else None
