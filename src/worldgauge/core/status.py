"""Statuses and what they count as: absent is not zero."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Status(StrEnum):
    """Why a record has, or does not have, a value."""

    OK = "ok"
    """A value, finite and within its bounds."""
    SKIPPED = "skipped"
    """The benchmark says the metric does not apply to this case; not expected, so not in coverage."""
    MISSING = "missing"
    """The submission has no video for the case."""
    INVALID = "invalid"
    """The video cannot be judged: undecodable, truncated, too short. The model's fault."""
    UNSCORED = "unscored"
    """The instrument could not decide, or its weights are not installed."""
    ERROR = "error"
    """Our machinery failed, or a value was not finite or out of bounds. Tried again on resume."""


Counting = Literal["exclude", "worst"] | float


class Policy(BaseModel):
    """What a benchmark lets absent videos count as. A number is taken as the score itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    missing: Counting = "exclude"
    invalid: Counting = "exclude"


def counted_value(
    status: Status,
    value: float | None,
    policy: Policy,
    worst: float | None,
    to_raw: Callable[[float], float] = lambda score: score,
) -> float | None:
    """The number a record adds to a mean, or None when it adds nothing.

    Unscored and error never count: they say nothing about the model, only about our instruments. A number in the
    policy is a score; `to_raw` turns it into what is averaged, where that is another.

    >>> counted_value(Status.MISSING, None, Policy(missing="worst"), worst=0.0)
    0.0
    """
    if status is Status.OK:
        return value
    if status is Status.MISSING:
        rule = policy.missing
    elif status is Status.INVALID:
        rule = policy.invalid
    else:
        return None
    if rule == "exclude":
        return None
    return worst if rule == "worst" else to_raw(float(rule))
