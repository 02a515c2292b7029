"""Is what a metric answered data? Real finite numbers within bounds, in plain types that a record can hold."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import Any

from worldgauge.core.metric import Measurement, Metric


class Nonsense(Exception):
    """The metric answered something that is not data."""


def checked_answer(metric: Metric, answer: Any) -> Measurement:
    """The answer in plain numbers; raises `Nonsense` with the metric's name where it is none."""
    if not isinstance(answer, Measurement):
        raise Nonsense(f"metric '{metric.name}' returned {type(answer).__name__}, not a Measurement")
    value = finite(answer.value)
    if value is None:
        raise Nonsense(f"metric '{metric.name}' returned {_shown(answer.value)}, not a finite number")
    low, high = metric.bounds
    if not low <= value <= high:
        raise Nonsense(f"metric '{metric.name}' returned {value:g}, outside its bounds [{low:g}, {high:g}]")
    if not isinstance(answer.reason, str):
        raise Nonsense(f"metric '{metric.name}' gave {type(answer.reason).__name__} as a reason, not text")
    left_out = finite(answer.left_out)
    if left_out is None or not 0 <= left_out <= 1:
        raise Nonsense(f"metric '{metric.name}' left out {_shown(answer.left_out)}, not a share of the frames")
    plain = replace(answer, value=value, curve=_curve(metric.name, answer.curve), left_out=left_out)
    if not answer.constants and not answer.repeats:
        return plain
    constants = {str(name): _beside(metric, number) for name, number in answer.constants.items()}
    return replace(plain, constants=constants, repeats=tuple(_beside(metric, number) for number in answer.repeats))


def finite(value: Any) -> float | None:
    """The value as a plain number; None for what is no real finite number. A truth value is no number.

    >>> finite(2), finite(True), finite(float("nan"))
    (2.0, None, None)
    """
    # A float is both; named first it is told at once.
    if isinstance(value, bool) or not isinstance(value, (float, Real)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _beside(metric: Metric, given: Any) -> float:
    """A value that other answers would have given; it keeps to the metric's bounds as well."""
    number = finite(given)
    if number is None or not metric.bounds[0] <= number <= metric.bounds[1]:
        raise Nonsense(f"metric '{metric.name}' gave {_shown(given)} for other answers, outside its bounds")
    return number


def _curve(metric: str, curve: Any) -> tuple[float | None, ...] | None:
    if curve is None:
        return None
    try:
        numbers = tuple(None if number is None else finite(number) for number in curve)
    except TypeError:
        raise Nonsense(f"metric '{metric}' gave {type(curve).__name__} as a curve, not numbers") from None
    for number, given in zip(numbers, curve, strict=True):
        if number is None and given is not None:
            raise Nonsense(f"metric '{metric}' has {_shown(given)} in its curve, not a finite number")
    return numbers


def _shown(value: Any) -> str:
    """The value in one line of bearable length."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
