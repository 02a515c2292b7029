"""A run on disk: `run.json` and `records-*.jsonl`, read back without an engine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldgauge.core.benchmark import BenchmarkFile, Scale, worst_score
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard, first_problem

if TYPE_CHECKING:
    import pandas

SCHEMA: Final = 1
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
    summary: str = ""
    signals: list[dict[str, Any]] = []
    """The signals the metric rests on, with versions, parameters, frames and instruments."""
    unavailable: str = ""
    """Why it could not be computed on the machine of the latest invocation."""

    @property
    def worst(self) -> float | None:
        """What an absent video scores under the policy `worst`."""
        return worst_score(self.scale, self.bounds, self.higher_is_better)


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


class RunFile(_Model):
    """`run.json`."""

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    benchmark: BenchmarkFile
    protocol: str
    instruments: dict[str, str]
    """Seat to instrument."""
    model: ModelCard
    cases: int
    """Cases of the whole benchmark: what coverage is measured against."""
    definitions: list[DefinitionFile]
    invocations: list[Invocation] = []

    @classmethod
    def read(cls, folder: Path) -> RunFile:
        file = folder / FILE_NAME
        try:
            return cls.model_validate_json(file.read_bytes())
        except FileNotFoundError as error:
            raise WorldGaugeError(
                f"{folder} is not a run: it has no {FILE_NAME}", "name a folder that 'worldgauge run' made"
            ) from error
        except (ValidationError, OSError) as error:
            problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
            raise WorldGaugeError(f"{file}: {problem}") from error

    def write(self, folder: Path) -> None:
        partial = folder / f".{FILE_NAME}.partial"
        partial.write_text(self.model_dump_json(by_alias=True, indent=1) + "\n", "utf-8")
        partial.replace(folder / FILE_NAME)


@dataclass(frozen=True)
class Columns:
    """The current records of one metric, sorted by case."""

    cases: list[str]
    clusters: list[str]
    statuses: list[Status]
    values: NDArray[np.float64]
    """NaN where there is no value."""
    raws: NDArray[np.float64]

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
        """The current record of every (case, metric), sorted: of several the latest, stale definitions left out."""
        current = {d.id: d.fingerprint for d in self.file.definitions}
        latest: dict[tuple[str, str], dict[str, Any]] = {}
        for record in read_lines(self.folder):
            metric, case = record["metric"], record["case"]
            if current.get(metric) != record["fingerprint"]:
                continue
            before = latest.get((metric, case))
            if before is None or record["time"] >= before["time"]:
                latest[metric, case] = record
        return [latest[key] for key in sorted(latest)]

    def columns(self) -> dict[str, Columns]:
        """Per metric id, in the order of the definitions, the current records as columns. Flat in memory per record."""
        current = {d.id: d.fingerprint for d in self.file.definitions}
        rows: dict[str, dict[str, tuple[float, str, str, float, float]]] = {d.id: {} for d in self.file.definitions}
        for record in read_lines(self.folder):
            metric = record["metric"]
            if current.get(metric) != record["fingerprint"]:
                continue
            case, of_metric = intern(record["case"]), rows[metric]
            before = of_metric.get(case)
            if before is not None and before[0] > record["time"]:
                continue
            value, raw = record.get("value"), record.get("raw")
            of_metric[case] = (
                record["time"],
                intern(record["cluster"]),
                intern(record["status"]),
                np.nan if value is None else value,
                np.nan if raw is None else raw,
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


def _columns(of_metric: dict[str, tuple[float, str, str, float, float]]) -> Columns:
    cases = sorted(of_metric)
    rows = [of_metric[case] for case in cases]
    return Columns(
        cases=cases,
        clusters=[row[1] for row in rows],
        statuses=[Status(row[2]) for row in rows],
        values=np.array([row[3] for row in rows], dtype=np.float64),
        raws=np.array([row[4] for row in rows], dtype=np.float64),
    )
