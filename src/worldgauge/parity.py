"""Parity: recorded inputs and outputs of a benchmark's released code, reproduced value by value.

A parity folder has an `index.json` with `benchmark` and `items`. The benchmark's manifest names what turns it into
vectors:

    def vectors(folder: ParityFolder) -> Iterator[Vector]: ...

A vector's check returns None when our number is the recorded one within its tolerance, or the name of a status when the
original crashed or answered nonsense and we say so instead. It raises `Differs` or `NotComparable` otherwise.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.manifest import benchmarks
from worldgauge.core.official import official_uses
from worldgauge.core.reading import read_json
from worldgauge.core.reading_arrays import NUMBERS_AND_TEXT, Archive

log = logging.getLogger(__name__)

__all__ = [
    "Differs",
    "NotComparable",
    "ParityFolder",
    "Vector",
    "VectorVerdict",
    "expect_close",
    "expect_equal",
    "judge_vector",
    "official_instrument",
    "run_parity",
]

INDEX = "index.json"


class Differs(Exception):
    """Our result is not the recorded one."""


class NotComparable(Exception):
    """The recorded result cannot be compared with, for the reason given."""


@dataclass(frozen=True)
class Vector:
    """One recorded call."""

    kind: str
    """Results are counted by kind."""
    id: str
    check: Callable[[], str | None]


@dataclass(frozen=True)
class VectorVerdict:
    """What became of one vector."""

    kind: str
    id: str
    outcome: Literal["matched", "differing", "not applicable"]
    detail: str = ""
    """The status we give where the original crashed, the difference, or the reason."""


class ParityFolder:
    """A folder of recorded calls; arrays and trees are read when a vector asks for them."""

    def __init__(self, path: Path, data: Path | None = None) -> None:
        self.path = path
        self.data = data
        """The benchmark's data set, where recorded calls refer to it and it was named."""
        self._archives: dict[str, Archive] = {}

    @cached_property
    def index(self) -> dict[str, Any]:
        file = self.path / INDEX
        if not file.is_file():
            raise WorldGaugeError(f"{self.path} holds no {INDEX}", "name a folder of parity vectors")
        content = read_json(file)
        if not isinstance(content, dict) or "benchmark" not in content or "items" not in content:
            raise WorldGaugeError(f"{file} needs the fields 'benchmark' and 'items'")
        return content

    def arrays(self, name: str) -> Any:
        """The arrays of an npz file by key."""
        if name not in self._archives:
            self._archives[name] = Archive(self.path / name, kinds=NUMBERS_AND_TEXT)
        return self._archives[name]

    def resolve(self, value: Any) -> Any:
        """A stored value with references to arrays and trees replaced by their content; NaN and infinities real."""
        if isinstance(value, dict):
            if set(value) == {"npz", "key"}:
                return self.arrays(value["npz"])[value["key"]]
            if set(value) == {"json"}:
                return read_json(self.path / value["json"], finite=False)
            return {key: self.resolve(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        return (
            {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value, value)
            if isinstance(value, str)
            else value
        )


def run_parity(path: Path, data: Path | None = None) -> list[VectorVerdict]:
    """Check every vector of a folder; `data` is the data set that some of them refer to."""
    if data is not None and not data.is_dir():
        raise WorldGaugeError(f"{data} is not a folder", "name the benchmark's data set")
    folder = ParityFolder(path, data)
    name = str(folder.index["benchmark"]).lower()
    manifest = benchmarks().get(name)
    if manifest is None or not manifest.parity:
        raise WorldGaugeError(f"there are no parity checks for benchmark '{name}'")
    vectors: Callable[[ParityFolder], Iterator[Vector]] = manifest.resolve(manifest.parity)
    return [judge_vector(vector) for vector in vectors(folder)]


def judge_vector(vector: Vector) -> VectorVerdict:
    """Run one check; whatever goes wrong inside it is a difference, not a crash."""
    try:
        status = vector.check()
    except NotComparable as reason:
        return VectorVerdict(vector.kind, vector.id, "not applicable", str(reason))
    except Differs as difference:
        return VectorVerdict(vector.kind, vector.id, "differing", str(difference))
    except ModuleNotFoundError as error:
        if str(error.name).startswith("worldgauge"):
            raise
        return VectorVerdict(vector.kind, vector.id, "not applicable", f"needs {error.name}, which is not installed")
    except Exception as error:
        log.debug("vector %s failed", vector.id, exc_info=True)
        return VectorVerdict(vector.kind, vector.id, "differing", f"{type(error).__name__}: {error}")
    return VectorVerdict(vector.kind, vector.id, "matched", status or "")


def official_instrument(benchmark: str, signal: str, protocol: str = "released") -> Any:
    """The official instrument of a benchmark's signal, set as its authors set it and without its weights: what recorded
    calls around a network go through."""
    uses = official_uses(read_benchmark_file(benchmark), protocol)
    use = next(use for use in uses if use.signal in (signal, f"{benchmark}/{signal}"))
    return INSTRUMENTS.get(use.official)(**use.parameters)


def expect_close(what: str, ours: Any, recorded: Any, absolute: float = 0.0, relative: float = 0.0) -> None:
    """Refuse arrays or numbers further apart than the tolerance, or of another shape."""
    a, b = np.asarray(ours, np.float64), np.asarray(recorded, np.float64)
    if a.shape != b.shape:
        raise Differs(f"{what}: shape {a.shape}, recorded {b.shape}")
    if not np.allclose(a, b, rtol=relative, atol=absolute, equal_nan=True):
        raise Differs(f"{what}: off by up to {np.max(np.abs(a - b)):.3g} (tolerance {absolute:g} + {relative:g} x)")


def expect_equal(what: str, ours: Any, recorded: Any) -> None:
    """Refuse anything but equality."""
    if ours != recorded:
        raise Differs(f"{what}: {ours!r}, recorded {recorded!r}")
