"""`Benchmark`: cases, metric uses, scales, an aggregation tree and what absent videos count as.

A benchmark is a folder with a `benchmark.toml`; this file is that format. What needs code (readers, commands, metrics)
comes from the manifest of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from worldgauge.core.bounds import FILE_NAME as BOUNDS_FILE
from worldgauge.core.bounds import Bound, read_bounds
from worldgauge.core.case import Case
from worldgauge.core.case_file import FILE_NAME as CASES_FILE
from worldgauge.core.case_file import read_cases
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.length import HeldLength, LengthRule, Short
from worldgauge.core.manifest import benchmarks
from worldgauge.core.metric import METRICS
from worldgauge.core.origin import call_preserving
from worldgauge.core.reading import read_toml_as
from worldgauge.core.registry import unknown_name
from worldgauge.core.scale import Scale
from worldgauge.core.status import Counting, Policy
from worldgauge.core.submission import FILE_NAME as SUBMISSION_FILE
from worldgauge.core.submission import Submission

FILE_NAME = "benchmark.toml"
CaseReducer = Literal["mean", "weighted_mean", "frame_mean", "pooled_ratio"]
"""A mean over cases; weighted by the cases' own weights; over all frames or pairs of all cases; or the sum of
numerators over the sum of denominators: a case's value is their ratio, its measurement's weight the denominator."""
GroupReducer = Literal["mean", "geometric", "harmonic", "harmonic_zero", "least"]
ONLY_PROTOCOL = "plain"
"""Protocol of a benchmark that knows one way only."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ProtocolOverride(_Model):
    """What one protocol does differently for a metric."""

    use: str | None = None
    cases: dict[str, str] | None = None
    parameters: dict[str, Any] | None = None
    scale: Scale | None = None
    unscaled: str = ""
    reduce: CaseReducer | None = None
    given: str | None = None
    missing: Counting | None = None
    invalid: Counting | None = None
    unscored: Counting | dict[str, Counting] | None = None


class MetricUse(_Model):
    """A metric as this benchmark uses it: one column."""

    id: str
    use: str = ""
    """Registered metric, the benchmark's own first; the id itself when left out."""
    title: str = ""
    cases: dict[str, str] = {}
    """Only cases with these tags; the metric does not apply to the others."""
    parameters: dict[str, Any] = {}
    scale: Scale | None = None
    unscaled: str = ""
    """Why there is no scale, where scores have one: the column is told in its own unit and no group counts it."""
    reduce: CaseReducer = "mean"
    """How cases become one number."""
    known_flaw: str = ""
    """What the column counts as good though it shows nothing of what it is about; tables mark its ranks and say so."""
    given: str = ""
    """Another column, of zeros and ones: a case counts here where it has a one there. Where nobody knows what it has
    there, nobody knows its number here."""
    zero_for: dict[str, str] = {}
    """Fields of a model's card: a model that has one of these values cannot do these cases. Where it has no video, it
    scores 0."""
    missing: Counting | None = None
    """What a case without a video counts as here, where that is not what the policy says of all columns."""
    invalid: Counting | None = None
    """The same of a video that cannot be read."""
    unscored: Counting | dict[str, Counting] | None = None
    """What clips count as here that are unscored for a reason which a model can cause, where that is not what the
    policy says of all columns; or reason code to that."""
    short: Short = "keep"
    """What a clip counts as here that is shorter than the benchmark requires: its value, or the worst score."""
    length: HeldLength | None = None
    """The length that clips are held to; set from the benchmark's `[length]`."""
    under: dict[str, ProtocolOverride] = {}
    """Protocol to what it does differently."""
    bounds: tuple[Bound, ...] = ()
    """Ends of the scale for certain instruments, as `bounds.toml` beside the benchmark file has them."""

    @field_validator("unscored")
    @classmethod
    def _codes_are_words(cls, rules: Counting | dict[str, Counting] | None) -> Counting | dict[str, Counting] | None:
        return rules if rules is None else Policy(unscored=rules).unscored

    @model_validator(mode="after")
    def _one_or_the_other(self) -> MetricUse:
        if self.unscaled and self.scale is not None:
            raise ValueError(f"metric '{self.id}' has a scale and a reason why it has none")
        return self

    def policy_for(self, policy: Policy, card: Mapping[str, Any], protocol: str = "") -> Policy:
        """What clips without a number of a model with that card count as in this column under a protocol."""
        cannot = any(str(card.get(field, "")).lower() == value.lower() for field, value in self.zero_for.items())
        used = self.under_protocol(protocol)
        stated = {"missing": used.missing, "invalid": used.invalid, "unscored": used.unscored}
        own: dict[str, Any] = {status: rule for status, rule in stated.items() if rule is not None}
        return policy.model_copy(update=own | ({"missing": 0.0} if cannot else {}))

    def under_protocol(self, protocol: str) -> MetricUse:
        """This use with the protocol's differences applied."""
        override = self.under.get(protocol, ProtocolOverride())
        return self.model_copy(
            update={
                "use": override.use or self.use or self.id,
                "cases": self.cases if override.cases is None else override.cases,
                "parameters": self.parameters | (override.parameters or {}),
                "scale": None if override.unscaled else override.scale or self.scale,
                "unscaled": override.unscaled or self.unscaled,
                "reduce": override.reduce or self.reduce,
                "given": self.given if override.given is None else override.given,
                "missing": self.missing if override.missing is None else override.missing,
                "invalid": self.invalid if override.invalid is None else override.invalid,
                "unscored": self.unscored if override.unscored is None else override.unscored,
                "under": {},
                "bounds": tuple(bound for bound in self.bounds if bound.protocol == protocol),
            }
        )

    def scaled_for(self, measured: str) -> MetricUse:
        """This use with the bound of that way to measure, where one was derived; `scale` is for all others."""
        bound = next((bound for bound in self.bounds if bound.measured == measured), None)
        return self if bound is None else self.model_copy(update={"scale": self.scale_of(bound), "unscaled": ""})

    def scale_of(self, bound: Bound) -> Scale:
        """The column's scale with other ends; where it has none, every case is scaled."""
        usual = self.scale or Scale.model_validate({"from": bound.source})
        return usual.model_copy(update={"source": bound.source})


class GroupOverride(_Model):
    """What one protocol does differently for a group."""

    of: dict[str, Annotated[float, Field(gt=0)]] | None = Field(default=None, min_length=1)
    reduce: GroupReducer | None = None


class Group(_Model):
    """A node of the aggregation tree: a mean of metrics or other groups, or the least of them."""

    id: str
    title: str = ""
    of: dict[str, Annotated[float, Field(gt=0)]]
    """Member id to weight."""
    reduce: GroupReducer = "mean"
    """Which mean, or the least. Each of them rises with every member."""
    under: dict[str, GroupOverride] = {}
    """Protocol to what it does differently."""
    known_flaw: str = ""
    """As for a metric."""

    @model_validator(mode="after")
    def _weights_count(self) -> Group:
        if self.reduce == "least" and len(set(self.of.values())) > 1:
            raise ValueError(f"group '{self.id}' is the least of its members, which has no weights: give all the same")
        return self

    def under_protocol(self, protocol: str) -> Group:
        """This group with the protocol's differences applied."""
        other = self.under.get(protocol, GroupOverride())
        update = {"of": other.of or self.of, "reduce": other.reduce or self.reduce, "under": {}}
        return self.model_copy(update=update)


class Deviation(_Model):
    """One place where protocols disagree."""

    id: str
    under: dict[str, str]
    """Protocol to what it says."""


class OfficialCases(_Model):
    """How many cases the benchmark's authors score."""

    tags: dict[str, str] = {}
    """Of the cases with these tags, where a benchmark has parts that are scored apart."""
    count: Annotated[int, Field(gt=0)]


class OfficialForm(_Model):
    """`[official]`: what a run must be so that its scores may be written in the form of the authors' own files."""

    protocol: str
    """Whose numbers the authors' files hold."""
    cases: tuple[OfficialCases, ...] = Field(min_length=1)

    def expected(self, tags: Mapping[str, str]) -> int:
        """How many cases with these tags the authors score.

        >>> parts = (OfficialCases(tags={"part": "a"}, count=2), OfficialCases(tags={"part": "b"}, count=3))
        >>> form = OfficialForm(protocol="released", cases=parts)
        >>> form.expected({}), form.expected({"part": "b"})
        (5, 3)
        """
        return sum(
            part.count for part in self.cases if all(part.tags.get(tag, value) == value for tag, value in tags.items())
        )


class BenchmarkFile(_Model):
    """`benchmark.toml`."""

    schema_version: Literal[2] = Field(default=2, alias="schema")
    name: str
    title: str = ""
    summary: str = ""
    citation: str = ""
    links: dict[Literal["paper", "code", "data", "board"], str] = {}
    """Where the benchmark's paper, released code, data set and public board are."""
    protocols: tuple[str, ...] = Field(default=(ONLY_PROTOCOL,), min_length=1)
    """Ways to score, by name; the first is used when none is asked for."""
    policy: Policy = Policy()
    length: LengthRule | None = None
    """How long a clip has to be; None: nothing is required."""
    metrics: tuple[MetricUse, ...] = Field(default=(), alias="metric")
    groups: tuple[Group, ...] = Field(default=(), alias="group")
    deviations: tuple[Deviation, ...] = Field(default=(), alias="deviation")
    official: OfficialForm | None = Field(default=None, exclude=True)
    """What the authors' own files hold. A run folder does not keep it: the benchmark's package states it."""

    @property
    def namespace(self) -> str:
        """Whose metrics the file means first: those of the manifest of its name, where there is one."""
        return self.name if self.name in benchmarks() else ""

    @property
    def known_flaws(self) -> dict[str, str]:
        """Columns and groups that rank what shows nothing above what is mediocre, and what that is."""
        metrics = {use.id: use.known_flaw for use in self.metrics if use.known_flaw}
        return metrics | {group.id: group.known_flaw for group in self.groups if group.known_flaw}

    def check_protocol(self, name: str) -> str:
        """The protocol of that name; a wrong name is answered with the right ones."""
        if name not in self.protocols:
            raise WorldGaugeError(
                f"benchmark '{self.name}' has no protocol '{name}'", f"use {' or '.join(self.protocols)}"
            )
        return name

    def held_length(self, protocol: str) -> HeldLength | None:
        """The length that clips are held to under a protocol."""
        if self.length is None:
            return None
        refused = protocol in self.length.refused_under
        return HeldLength(rule=self.length, benchmark=self.namespace, refused=refused)

    def under_protocol(self, protocol: str) -> BenchmarkFile:
        """This file with the groups as the protocol has them; columns keep what each protocol says of them."""
        return self.model_copy(update={"groups": tuple(group.under_protocol(protocol) for group in self.groups)})

    @model_validator(mode="after")
    def _protocols_are_known(self) -> BenchmarkFile:
        named = [(use.id, list(use.under)) for use in self.metrics] + [(d.id, list(d.under)) for d in self.deviations]
        named += [(group.id, list(group.under)) for group in self.groups]
        named += [("official", [self.official.protocol])] if self.official else []
        for item, protocols in named:
            for protocol in protocols:
                if protocol not in self.protocols:
                    raise ValueError(str(unknown_name(f"protocol of '{item}'", protocol, list(self.protocols))))
        return self

    @model_validator(mode="after")
    def _tree_is_sound(self) -> BenchmarkFile:
        known: list[str] = []
        for item in self.metrics:
            if item.id in known:
                raise ValueError(f"metric id '{item.id}' stands there twice")
            known.append(item.id)
        for item in self.metrics:
            for condition in (item.given, *(other.given or "" for other in item.under.values())):
                if condition and condition not in known:
                    raise ValueError(str(unknown_name(f"column that '{item.id}' is given", condition, known)))
        for group in self.groups:
            if not group.of:
                raise ValueError(f"group '{group.id}' has no members")
            for member in [*group.of, *(name for other in group.under.values() for name in other.of or ())]:
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
    of_videos: bool = False
    """Whether the cases are a submission's own videos, so that they come and go with them."""

    def metrics(self, protocol: str) -> list[MetricUse]:
        """The columns under a protocol, with full names of metrics; those that ask for it are told the protocol."""
        return resolved_uses(self.file, protocol)

    def submission(self, path: Path) -> Submission:
        """Read a model's videos: those that `submission.json` names, else the official naming rule, else files named by
        case id. A `submission.json` without videos is the model's card, and its folder is read by the latter two."""
        if path.is_file() or (path / SUBMISSION_FILE).is_file():
            return Submission.read(path, self._found_below)
        return self._found_below(path)

    def _found_below(self, path: Path) -> Submission:
        """The videos of a folder by the official naming rule, where the benchmark has one."""
        manifest = benchmarks().get(self.file.name)
        if manifest is not None and manifest.importer and path.is_dir():
            found: Submission = call_preserving(manifest.resolve(manifest.importer), path, list(self.cases))
            return found
        return Submission.from_folder(path)


def resolved_uses(file: BenchmarkFile, protocol: str) -> list[MetricUse]:
    """The columns of a benchmark file under a protocol, with full names of metrics."""
    file.check_protocol(protocol)
    held = file.held_length(protocol)
    uses = [resolved_use(use, file.namespace, protocol) for use in file.metrics]
    return [use.model_copy(update={"length": held}) for use in uses]


def resolved_use(use: MetricUse, namespace: str, protocol: str) -> MetricUse:
    """One column under a protocol. A benchmark's own metric that has a parameter `protocol` is told which one it is."""
    chosen = use.under_protocol(protocol)
    metric = METRICS.get(METRICS.full_name(chosen.use, namespace))
    told: Mapping[str, Any] = (
        {"protocol": protocol} if namespace and metric.namespace == namespace and "protocol" in metric.defaults else {}
    )
    return chosen.model_copy(update={"use": metric.name, "parameters": {**told, **chosen.parameters}})


def read_benchmark_file(name_or_folder: str) -> BenchmarkFile:
    """A known benchmark by name, or the `benchmark.toml` of a folder; a bare `cases.jsonl` gets an empty tree."""
    folder = Path(name_or_folder)
    if folder.is_dir():
        if not (folder / FILE_NAME).is_file():
            if (folder / CASES_FILE).is_file():
                return BenchmarkFile(name=folder.resolve().name)
            raise WorldGaugeError(f"{folder} holds neither {FILE_NAME} nor {CASES_FILE}")
    else:
        known = benchmarks()
        if name_or_folder not in known:
            raise unknown_name("benchmark", name_or_folder, list(known))
        folder = known[name_or_folder].folder
    file = read_toml_as(BenchmarkFile, folder / FILE_NAME)
    return with_bounds(file, read_bounds(folder, file.name), folder)


def with_bounds(file: BenchmarkFile, bounds: Sequence[Bound], where: Path) -> BenchmarkFile:
    """The benchmark file with derived bounds in their columns; `where` is told where one fits no column."""
    columns = [use.id for use in file.metrics]
    for bound in bounds:
        if bound.column not in columns:
            raise unknown_name(f"column of {where / BOUNDS_FILE}", bound.column, columns)
        file.check_protocol(bound.protocol)
    uses = [
        use.model_copy(update={"bounds": tuple(bound for bound in bounds if bound.column == use.id)})
        for use in file.metrics
    ]
    return file.model_copy(update={"metrics": tuple(uses)}) if bounds else file


def load_benchmark(name_or_folder: str, data: Path | None = None) -> Benchmark:
    """A benchmark with its cases. `data` is the data set's folder; a benchmark folder may hold its own cases."""
    file = read_benchmark_file(name_or_folder)
    own = Path(name_or_folder)
    root = data or (own if own.is_dir() else None)
    if root is None:
        raise WorldGaugeError(f"benchmark '{file.name}' needs its data set", "name its folder with --data")
    if not root.exists():
        raise WorldGaugeError(f"{root} does not exist", f"name the folder of the data set of '{file.name}' with --data")
    manifest = benchmarks().get(file.name)
    # A folder with cases of its own is read as it lies, whatever its benchmark is called.
    ready = (root / CASES_FILE).is_file() or manifest is None or not manifest.cases
    cases: list[Case] = (
        read_cases(root) if manifest is None or ready else call_preserving(manifest.resolve(manifest.cases), root)
    )
    return Benchmark(file, tuple(cases))
