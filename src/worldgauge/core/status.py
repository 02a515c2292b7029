"""Statuses and what they count as: absent is not zero."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from worldgauge.core.reasons import BEYOND_THE_MODEL, BROADER, is_code


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


Counting = Literal["exclude", "leave", "worst"] | float
"""`exclude`: in no mean, and bounds hold what it could have been; `leave`: it has no part in the column, as another
column of the same group counts it."""
NO_NUMBER = ("exclude", "leave")


def _checked_codes(rules: Counting | dict[str, Counting]) -> Counting | dict[str, Counting]:
    for code in rules if isinstance(rules, dict) else ():
        if not is_code(code):
            raise ValueError(f"reason code '{code}' must be small letters and digits, joined by hyphens")
        if code in BEYOND_THE_MODEL:
            raise ValueError(f"no model can cause '{code}', so it cannot count")
    return rules


Unmeasured = Annotated[Counting | dict[str, Counting], AfterValidator(_checked_codes)]
"""One rule for every reason that a model can cause, or reason code to its rule."""


class Policy(BaseModel):
    """What a benchmark lets clips without a number count as. A number is taken as the score itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    missing: Counting = "exclude"
    invalid: Counting = "exclude"
    unscored: Unmeasured = "exclude"
    """One rule for every reason that a model can cause, or reason code to its rule: clips that are unscored for another
    reason are then left out. A code that is named holds for invalid clips with that code, too."""

    def rule(self, status: Status, code: str = "") -> Counting:
        """What a record of that status and reason code counts as.

        >>> Policy(unscored={"too-few-frames": "worst"}).rule(Status.UNSCORED, "too-few-frames")
        'worst'
        """
        named = self.unscored if isinstance(self.unscored, dict) else {}
        if status is Status.MISSING:
            return self.missing
        if status is Status.INVALID:
            return named.get(code, self.invalid)
        if status is not Status.UNSCORED or code in BEYOND_THE_MODEL:
            return "exclude"
        if not isinstance(self.unscored, dict):
            return self.unscored
        return named.get(code, named.get(BROADER.get(code, ""), "exclude"))

    def rules(self) -> dict[str, Counting]:
        """Every rule by the word that stands for it: a status, or a reason code."""
        of_unscored = self.unscored if isinstance(self.unscored, dict) else {"unscored": self.unscored}
        return {"missing": self.missing, "invalid": self.invalid, **of_unscored}


def model_can_cause(status: Status, code: str = "") -> bool:
    """Whether it may be a model's doing that a record has no number: nobody must gain by it."""
    return status in (Status.MISSING, Status.INVALID) or (status is Status.UNSCORED and code not in BEYOND_THE_MODEL)


def counted_value(
    status: Status,
    value: float | None,
    policy: Policy,
    worst: float | None,
    to_raw: Callable[[float], float] = lambda score: score,
    code: str = "",
) -> float | None:
    """The number a record adds to a mean, or None when it adds nothing.

    Errors never count: they say nothing about the model. A number in the policy is a score; `to_raw` turns it into what
    is averaged, where that is another.

    >>> counted_value(Status.MISSING, None, Policy(missing="worst"), worst=0.0)
    0.0
    """
    if status is Status.OK:
        return value
    rule = policy.rule(status, code)
    if rule in NO_NUMBER:
        return None
    return worst if rule == "worst" else to_raw(float(rule))
