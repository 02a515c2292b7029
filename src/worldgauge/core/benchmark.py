"""`Benchmark`: cases, metric uses, scales, an aggregation tree and what absent videos count as.

A benchmark is a folder with a `benchmark.toml`; this file is that format.
"""

from __future__ import annotations

import importlib
import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from worldgauge.core.case import Case
from worldgauge.core.case_file import FILE_NAME as CASES_FILE
from worldgauge.core.case_file import read_cases
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import Registry, unknown_name
from worldgauge.core.status import Policy
from worldgauge.core.submission import FILE_NAME as SUBMISSION_FILE
from worldgauge.core.submission import Submission, first_problem

FILE_NAME = "benchmark.toml"
Protocol = Literal["released", "paper"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Scale(_Model):
    """A linear map from a metric's own unit to a score."""

    source: tuple[float, float] = Field(alias="from")
    """Two raw values."""
    target: tuple[float, float] = Field(default=(0.0, 100.0), alias="to")
    """The scores they map to; the first is the worst."""
    clip: bool = True
    level: Literal["case", "model"] = "case"
    """Whether each case is scaled before the mean, or the mean over cases is."""

    @model_validator(mode="after")
    def _not_flat(self) -> Scale:
        if self.source[0] == self.source[1]:
            raise ValueError("a scale needs two different raw values")
        return self

    def __call__(self, raw: float) -> float:
        """
        >>> Scale.model_validate({"from": (10, 40)})(25.0)
        50.0
        """
        (a, b), (low, high) = self.source, self.target
        score = low + (raw - a) / (b - a) * (high - low)
        return min(max(score, min(low, high)), max(low, high)) if self.clip else score


def worst_score(scale: Scale | None, bounds: tuple[float, float], higher_is_better: bool | None) -> float | None:
    """The score an absent video gets under the policy `worst`: the scale's first target, else the bad finite bound."""
    if scale is not None and scale.level == "case":
        return scale.target[0]
    if higher_is_better is None:
        return None
    bad = bounds[0] if higher_is_better else bounds[1]
    return bad if math.isfinite(bad) else None


class ProtocolOverride(_Model):
    """What one protocol does differently for a metric."""

    use: str | None = None
    parameters: dict[str, Any] | None = None
    scale: Scale | None = None


class MetricUse(_Model):
    """A metric as this benchmark uses it."""

    id: str
    use: str = ""
    """Registered metric; the id itself when left out."""
    title: str = ""
    cases: dict[str, str] = {}
    """Only cases with these tags; the metric does not apply to the others."""
    parameters: dict[str, Any] = {}
    scale: Scale | None = None
    released: ProtocolOverride = ProtocolOverride()
    paper: ProtocolOverride = ProtocolOverride()

    def under(self, protocol: Protocol) -> MetricUse:
        """This use with the protocol's differences applied."""
        override = self.released if protocol == "released" else self.paper
        return self.model_copy(
            update={
                "use": override.use or self.use or self.id,
                "parameters": self.parameters | (override.parameters or {}),
                "scale": override.scale or self.scale,
            }
        )


class Group(_Model):
    """A node of the aggregation tree: the weighted mean of metrics or other groups."""

    id: str
    title: str = ""
    of: dict[str, float]
    """Member id to weight."""


class Deviation(_Model):
    """One place where the released code and the paper disagree."""

    id: str
    released: str
    paper: str


class BenchmarkFile(_Model):
    """`benchmark.toml`."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    name: str
    title: str = ""
    summary: str = ""
    citation: str = ""
    protocol: Protocol = "paper"
    """Used when none is asked for."""
    cases: str = ""
    """`module:function` that reads an official layout: `function(root) -> list[Case]`. Empty: `cases.jsonl`."""
    importer: str = ""
    """`module:function` that finds videos by an official naming rule: `function(folder, cases) -> Submission`."""
    policy: Policy = Policy()
    metrics: tuple[MetricUse, ...] = Field(default=(), alias="metric")
    groups: tuple[Group, ...] = Field(default=(), alias="group")
    deviations: tuple[Deviation, ...] = Field(default=(), alias="deviation")

    @model_validator(mode="after")
    def _tree_is_sound(self) -> BenchmarkFile:
        known: list[str] = []
        for item in self.metrics:
            if item.id in known:
                raise ValueError(f"metric id '{item.id}' stands there twice")
            known.append(item.id)
        for group in self.groups:
            if not group.of:
                raise ValueError(f"group '{group.id}' has no members")
            for member in group.of:
                if member not in known:
                    # Groups may use only what stands above them, so the tree has no cycles.
                    raise ValueError(str(unknown_name(f"member of group '{group.id}'", member, known)))
            if group.id in known:
                raise ValueError(f"id '{group.id}' stands there twice")
            known.append(group.id)
        return self


@dataclass(frozen=True)
class Benchmark:
    """A benchmark file and the cases it is about."""

    file: BenchmarkFile
    cases: tuple[Case, ...]

    def metrics(self, protocol: Protocol) -> list[MetricUse]:
        return [use.under(protocol) for use in self.file.metrics]

    def submission(self, path: Path) -> Submission:
        """Read a model's videos: `submission.json`, else the official naming rule, else files named by case id."""
        if path.is_file() or (path / SUBMISSION_FILE).is_file():
            return Submission.read(path)
        if self.file.importer and path.is_dir():
            found: Submission = _function(self.file.importer)(path, list(self.cases))
            return found
        return Submission.from_folder(path)


BENCHMARKS: Registry[Path] = Registry(
    "benchmark",
    {
        "memobench": "worldgauge.benchmarks.memobench:FOLDER",
        "worldscore": "worldgauge.benchmarks.worldscore:FOLDER",
        "pocket": "worldgauge.benchmarks.pocket:FOLDER",
    },
)
"""Name to the folder that holds `benchmark.toml`."""


def read_benchmark_file(name_or_folder: str) -> BenchmarkFile:
    """A registered benchmark by name, or the `benchmark.toml` of a folder; a bare `cases.jsonl` gets an empty tree."""
    folder = Path(name_or_folder)
    if folder.is_dir():
        if not (folder / FILE_NAME).is_file():
            if (folder / CASES_FILE).is_file():
                return BenchmarkFile(name=folder.resolve().name)
            raise WorldGaugeError(f"{folder} holds neither {FILE_NAME} nor {CASES_FILE}")
    else:
        folder = BENCHMARKS.get(name_or_folder)
    file = folder / FILE_NAME
    try:
        return BenchmarkFile.model_validate(tomllib.loads(file.read_text("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise WorldGaugeError(f"{file} is not valid TOML ({error})") from error
    except ValidationError as error:
        raise WorldGaugeError(f"{file}: {first_problem(error)}") from error


def load_benchmark(name_or_folder: str, data: Path | None = None) -> Benchmark:
    """A benchmark with its cases. `data` is the data set's folder; a benchmark folder may hold its own cases."""
    file = read_benchmark_file(name_or_folder)
    root = data or (Path(name_or_folder) if Path(name_or_folder).is_dir() else None)
    if root is None:
        raise WorldGaugeError(f"benchmark '{file.name}' needs its data set", "name its folder with --data")
    cases: list[Case] = _function(file.cases)(root) if file.cases else read_cases(root)
    return Benchmark(file, tuple(cases))


def _function(reference: str) -> Callable[..., Any]:
    module, _, attribute = reference.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return function
