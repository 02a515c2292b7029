"""`bounds.toml`: ends of scales that were derived with certain instruments, beside the `benchmark.toml` they belong to.

    schema = 1
    benchmark = "mybench"

    [[bound]]
    column = "style"
    protocol = "paper"
    measured = "0f3c9a1be2d47756"
    from = [0.42, 0.0]

A bound holds for numbers that were measured in just the way it was: by the same metric, version and parameters, on the
same signals, through the same instruments. Everything else keeps the scale of `benchmark.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worldgauge.core.canonical import digest_of, short
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_toml_as

FILE_NAME = "bounds.toml"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Bound(_Model):
    """The raw values that score 0 and 100 in one column under one protocol, for one way to measure."""

    column: str
    protocol: str
    measured: str
    """Digest of the way it was measured, see `way_of_measuring`."""
    source: tuple[float, float] = Field(alias="from")
    """The worst and the best raw value."""
    instruments: tuple[str, ...] = ()
    """Names of the instruments, for people."""

    @model_validator(mode="after")
    def _apart(self) -> Bound:
        worst, best = self.source
        if worst == best or not (math.isfinite(worst) and math.isfinite(best)):
            raise ValueError(f"the bound of '{self.column}' needs two different numbers")
        return self


class BoundsFile(_Model):
    """`bounds.toml`."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    benchmark: str
    recipe: dict[str, Any] = {}
    """How the bounds were derived, for people."""
    bounds: tuple[Bound, ...] = Field(default=(), alias="bound")


def read_bounds(folder: Path, benchmark: str) -> tuple[Bound, ...]:
    """The bounds beside a benchmark file; none where nobody derived any."""
    file = folder / FILE_NAME
    if not file.is_file():
        return ()
    found = read_toml_as(BoundsFile, file)
    if found.benchmark != benchmark:
        raise WorldGaugeError(f"{file} is of benchmark '{found.benchmark}', not of '{benchmark}'", "name the right one")
    return found.bounds


def way_of_measuring(
    metric: str, version: int, parameters: Mapping[str, Any], signals: Sequence[Mapping[str, Any]], **code: Any
) -> dict[str, Any]:
    """All that a raw value rests on beside case and video; its short digest is a bound's `measured`."""
    return {"metric": metric, "version": version, "parameters": dict(parameters), "signals": list(signals), **code}


def digest_of_way(way: Mapping[str, Any]) -> str:
    """
    >>> digest_of_way(way_of_measuring("m", 1, {}, [])) == digest_of_way(way_of_measuring("m", 2, {}, []))
    False
    """
    return short(digest_of(way))
