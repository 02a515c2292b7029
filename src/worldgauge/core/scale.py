"""`Scale`: from a metric's own unit to a score."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Scale(BaseModel):
    """A linear map from a metric's own unit to a score."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    source: tuple[float, float] = Field(alias="from")
    """Two raw values."""
    target: tuple[float, float] = Field(default=(0.0, 100.0), alias="to")
    """The scores they map to; the first is the worst."""
    clip: bool = True
    level: Literal["case", "model"] = "case"
    """Whether each case is scaled before the mean, or the mean over cases is."""
    digits: int | None = Field(default=None, ge=0, le=12)
    """Decimals to which the raw value is rounded before it is scaled; None: it is not."""

    @model_validator(mode="after")
    def _not_flat(self) -> Scale:
        if self.source[0] == self.source[1]:
            raise ValueError("a scale needs two different raw values")
        return self

    def __call__(self, raw: float) -> float:
        """
        >>> Scale.model_validate({"from": (10, 40)})(25.0)
        50.0
        >>> Scale.model_validate({"from": (0, 1), "digits": 1})(0.26)
        30.0
        """
        (a, b), (low, high) = self.source, self.target
        raw = raw if self.digits is None else round(raw, self.digits)
        score = low + (raw - a) / (b - a) * (high - low)
        return min(max(score, min(low, high)), max(low, high)) if self.clip else score

    def inverse(self, score: float) -> float:
        """The raw value behind a score.

        >>> Scale.model_validate({"from": (10, 40)}).inverse(50.0)
        25.0
        """
        (a, b), (low, high) = self.source, self.target
        return a + (score - low) / (high - low) * (b - a)


def score_ends(scale: Scale | None, bounds: tuple[float, float], higher_is_better: bool | None) -> tuple[float, float]:
    """The worst and the best number of a case, as it enters the mean: the ends of its scale, else of the metric.

    They bound a case only where the scale is clipped. Without a scale and a better direction no number is the worst.
    """
    if scale is not None:
        return scale.target if scale.level == "case" else scale.source
    if higher_is_better is None:
        return -math.inf, math.inf
    return bounds if higher_is_better else bounds[::-1]
