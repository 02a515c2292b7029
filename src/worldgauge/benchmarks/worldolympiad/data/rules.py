"""The fourteen rules of physics, as data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.reading import read_toml_as

FILE = Path(__file__).parent.parent / "rules.toml"


class Rule(BaseModel):
    """One rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    dimension: str
    asks: str
    """The question."""
    holds: str
    """When it holds."""
    also: str
    """What is added when it is asked about alone."""


class RuleFile(BaseModel):
    """`rules.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: tuple[Rule, ...] = Field(alias="rule")


@cache
def rules() -> tuple[Rule, ...]:
    """All of them, in the order in which they are asked."""
    return read_toml_as(RuleFile, FILE).rules


@cache
def dimension_of(rule: str) -> str:
    """
    >>> dimension_of("freezing")
    'thermotics'
    """
    return next(one.dimension for one in rules() if one.id == rule)
