"""A run on disk: `run.json` and `records-*.jsonl`, read back without an engine."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from worldgauge.core.benchmark import BenchmarkFile, CaseReducer, Scale, score_ends
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.older_runs import from_schema_1
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard, first_problem

if TYPE_CHECKING:
    import pandas

SCHEMA: Final = 2
FILE_NAME = "run.json"


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

    schema_version: Literal[2] = Field(default=SCHEMA, alias="schema")
    benchmark: BenchmarkFile
    protocol: str
    instruments: dict[str, str]
    """Seat to instrument."""
    model: ModelCard
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

    @classmethod
    def read(cls, folder: Path) -> RunFile:
        file = folder / FILE_NAME
        try:
            content = json.loads(file.read_bytes())
            older = isinstance(content, dict) and content.get("schema") == 1
            opened = cls.model_validate(from_schema_1(content) if older else content)
            opened._older = older
            return opened
        except FileNotFoundError as error:
            raise WorldGaugeError(
                f"{folder} is not a run: it has no {FILE_NAME}", "name a folder that 'worldgauge run' made"
            ) from error
        except (ValidationError, ValueError, OSError) as error:
            problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
            raise WorldGaugeError(f"{file}: {problem}") from error

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

    @property
    def name(self) -> str:
        return self.file.model.name

    def records(self) -> list[dict[str, Any]]:
        """The current record of every metric, case and take, sorted: of several the latest, stale ones left out."""
        current = {d.id: d.fingerprint for d in self.file.definitions}
        latest: dict[tuple[str, str, int], dict[str, Any]] = {}
        for record in read_lines(self.folder):
            key = record["metric"], record["case"], record.get("take", 0)
            if current.get(record["metric"]) != record["fingerprint"]:
                continue
            before = latest.get(key)
            if before is None or record["time"] >= before["time"]:
                latest[key] = record
        return [latest[key] for key in sorted(latest)]

    def columns(self) -> dict[str, Columns]:
        """Per metric id, in the order of the definitions, the current records as columns. Flat in memory per record."""
        current = {d.id: d.fingerprint for d in self.file.definitions}
        rows: dict[str, dict[tuple[str, int], _Row]] = {d.id: {} for d in self.file.definitions}
        for record in read_lines(self.folder):
            metric = record["metric"]
            if current.get(metric) != record["fingerprint"]:
                continue
            key, of_metric = (intern(record["case"]), record.get("take", 0)), rows[metric]
            before = of_metric.get(key)
            if before is not None and before[0] > record["time"]:
                continue
            value, raw, weight = record.get("value"), record.get("raw"), record.get("weight")
            of_metric[key] = (
                record["time"],
                intern(record["cluster"]),
                intern(record["status"]),
                np.nan if value is None else value,
                np.nan if raw is None else raw,
                np.nan if weight is None else weight,
            )
        return {metric: _columns(of_metric) for metric, of_metric in rows.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """One row per (case, metric): the record's fields, the model's name, and a `tag.<name>` column per tag."""
        import pandas

        rows = []
        for record in self.records():
            tags = {f"tag.{key}": value for key, value in record.pop("tags", {}).items()}
            rows.append({"model": self.name, **record, **tags})
        return pandas.DataFrame(rows)


def read_lines(folder: Path) -> Iterator[dict[str, Any]]:
    """Every complete record line of every worker; a torn last line is ignored."""
    for file in sorted(folder.glob("records-*.jsonl")):
        with file.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    raise WorldGaugeError(
                        f"{file} line {number} is damaged", "delete that line and run the same command again"
                    ) from error


_Row = tuple[float, str, str, float, float, float]
"""Time, cluster, status, value, raw, weight."""


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
