"""`instruments.toml`: which instrument a benchmark's authors use for each signal, per protocol.

    [[use]]
    signal = "phase_perceptual_distances"
    official = "lpips_alex"
    parameters = { value_range = "unit" }
    what = "LPIPS 0.1 on AlexNet, fed with [0, 1]"
    under.paper = { official = "lpips_vgg", parameters = {}, what = "LPIPS on VGG16" }

A run with other instruments is a fine run, but its numbers do not stand beside the authors'.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import benchmarks
from worldgauge.core.reading import read_toml_as
from worldgauge.core.registry import unknown_name
from worldgauge.core.signal import SIGNALS

FILE_NAME = "instruments.toml"
RELEASED = "released"
"""The protocol that stands for the numbers of a benchmark's released code, down to how it computes."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class OfficialJudge(_Model):
    """How the authors put a question to a judge."""

    models: tuple[str, ...] = ()
    """Names of the models they ask; empty: they name none."""
    settings: dict[str, Any] = {}
    """`frames`, `image_side`, `send`, `temperature`, `seed` and `max_tokens` as they set them; `"provider"` where they
    send nothing. They apply to any judge whose table states no other."""
    wording: str = ""
    """How our question differs from the authors': answers to it are then not official. Empty: it is theirs."""


class Differently(_Model):
    """What one protocol says otherwise."""

    judge: OfficialJudge | None = None
    official: str | None = None
    parameters: dict[str, Any] | None = None
    what: str | None = None
    differs: str | None = None


class OfficialUse(_Model):
    """The official instrument of one signal."""

    signal: str
    """The benchmark's own or a generic one."""
    official: str = ""
    """Name of the instrument, registered here or not. Empty: nobody names one, and `what` says why."""
    parameters: dict[str, Any] = {}
    """How the authors set it, where that is not how it is set by itself."""
    what: str = Field(min_length=1)
    """The network, its checkpoint and settings in words."""
    judge: OfficialJudge | None = None
    """Of a signal that asks a judge: the official form of its questions."""
    differs: str = ""
    """What the signal does otherwise than the authors, whatever instrument serves it; empty: nothing."""
    precise: bool = False
    """Whether the faster way to compute would change what is scored by more than chance may hide: then it is not the
    default for this signal under any protocol."""
    under: dict[str, Differently] = {}
    """Protocol to what differs."""

    def under_protocol(self, protocol: str) -> OfficialUse:
        other = self.under.get(protocol, Differently())
        return self.model_copy(update={**other.model_dump(exclude_none=True), "under": {}})


class InstrumentsFile(_Model):
    """`instruments.toml`."""

    schema_version: Literal[1] = Field(alias="schema")
    benchmark: str
    uses: tuple[OfficialUse, ...] = Field(alias="use")

    def of(self, signal: str, protocol: str) -> OfficialUse | None:
        """What is official for a signal, by its full name."""
        for use in self.uses:
            if signal in (use.signal, f"{self.benchmark}/{use.signal}"):
                return use.under_protocol(protocol)
        return None


def read_instruments(folder: Path, benchmark: BenchmarkFile) -> InstrumentsFile:
    """The file in a benchmark's folder; a benchmark without one names no official instrument."""
    file = folder / FILE_NAME
    if not file.is_file():
        return InstrumentsFile(schema=1, benchmark=benchmark.name, use=())
    found = read_toml_as(InstrumentsFile, file)
    try:
        _check(found, benchmark)
    except WorldGaugeError as error:
        raise WorldGaugeError(f"{file}: {error}") from error
    return found


def official_instruments(benchmark: BenchmarkFile) -> InstrumentsFile:
    """What the package that brings a benchmark says is official for it."""
    manifest = benchmarks().get(benchmark.name)
    if manifest is None:
        return InstrumentsFile(schema=1, benchmark=benchmark.name, use=())
    return read_instruments(manifest.folder, benchmark)


def official_uses(benchmark: BenchmarkFile, protocol: str) -> tuple[OfficialUse, ...]:
    """What is official under a protocol, signals by their full names."""
    known = official_instruments(benchmark)
    uses = (use.under_protocol(protocol) for use in known.uses)
    return tuple(use.model_copy(update={"signal": SIGNALS.full_name(use.signal, benchmark.name)}) for use in uses)


def _check(found: InstrumentsFile, benchmark: BenchmarkFile) -> None:
    if found.benchmark != benchmark.name:
        raise WorldGaugeError(f"it is about benchmark '{found.benchmark}', not '{benchmark.name}'")
    named: set[str] = set()
    for use in found.uses:
        full = SIGNALS.full_name(use.signal, benchmark.name)
        if SIGNALS.get(full).seat is None and (use.official or not use.differs):
            raise WorldGaugeError(f"signal '{use.signal}' asks for no seat")
        if full in named:
            raise WorldGaugeError(f"signal '{use.signal}' stands there twice")
        named.add(full)
        for protocol in use.under:
            if protocol not in benchmark.protocols:
                raise unknown_name(f"protocol of '{use.signal}'", protocol, list(benchmark.protocols))
