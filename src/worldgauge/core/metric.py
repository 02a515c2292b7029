"""`Metric`: a pure function of signals, with its unit, direction and bounds.

    @metric(version=1, unit="dB", higher_is_better=True, bounds=(0, 99), needs=[pixel_errors()])
    def psnr(case: Case, errors: Arrays) -> Measurement:
        '''Mean peak signal-to-noise ratio against the reference video.'''
        return Measurement.from_curve(errors["psnr"])

The function gets the case, then the signals it needs in order; keyword-only arguments are its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from worldgauge.core.case_parts import check_parts, in_order
from worldgauge.core.registry import Registry
from worldgauge.core.signal import (
    SIGNALS,
    ChosenInstruments,
    SignalUse,
    first_sentence,
    full_name,
    inherited,
    keyword_defaults,
)

Frames = Sequence[int] | Callable[[int], Sequence[int]]
"""Frame numbers, or a function that tells them from the number of frames of the clip."""


@dataclass(frozen=True)
class Measurement:
    """What a metric answers: a value, and the curve it comes from where there is one."""

    value: float
    curve: tuple[float | None, ...] | None = None
    """One number per frame or pair, None where a frame has none."""
    reason: str = ""
    """A remark that belongs to the number, for example how many frames it rests on."""
    weight: float | None = None
    """For a ratio that is pooled over cases: its denominator."""
    frames: Frames | None = None
    """To which frame each number of the curve belongs; of a pair, its earlier frame. None: the frames that the signal
    sampled or, where it took all of them, 0, 1, 2, ..."""
    left_out: float = 0.0
    """Share of the frames it is about that could not be used: the value rests on the others."""
    constants: Mapping[str, float] = field(default_factory=dict)
    """For what rests on answers: the value of answers that pay no heed to the clip, by name (`always yes`, `coin`)."""
    repeats: tuple[float, ...] = ()
    """For what rests on answers that were asked for several times: the value of each time alone."""

    @classmethod
    def from_curve(
        cls,
        curve: Sequence[float] | np.ndarray,
        reduce: Callable[[np.ndarray], Any] = np.mean,
        reason: str = "",
        frames: Frames | None = None,
        left_out: float = 0.0,
    ) -> Measurement:
        """The reduction of the finite part of a curve, and the curve itself.

        >>> Measurement.from_curve([1.0, 3.0]).value
        2.0
        """
        numbers = np.asarray(curve, dtype=np.float64)
        finite = numbers[np.isfinite(numbers)]
        # An empty or all-NaN curve has no mean; NaN is refused downstream with the metric's name.
        value = float(reduce(finite)) if finite.size else math.nan
        plain = tuple(float(x) if math.isfinite(x) else None for x in numbers)
        return cls(value, plain, reason, frames=frames, left_out=left_out)


@dataclass(frozen=True)
class Metric:
    """A definition; `function` computes."""

    name: str
    version: int
    function: Callable[..., Measurement]
    unit: str
    higher_is_better: bool | None
    """None where neither direction is better by itself, as for the amount of motion."""
    bounds: tuple[float, float]
    """A value outside is an error, not data."""
    needs: tuple[SignalUse, ...]
    requires: tuple[str, ...]
    """Parts of the case the function reads itself, such as `camera`."""
    defaults: Mapping[str, Any]
    formula: Callable[..., Any]
    """The function that holds the arithmetic; the metric's own where it says no other."""

    @property
    def namespace(self) -> str:
        """The benchmark it belongs to; empty for a generic metric."""
        return self.name.rpartition("/")[0]

    @property
    def summary(self) -> str:
        return first_sentence(self.function)

    def inputs(self, chosen: ChosenInstruments | None = None) -> tuple[str, ...]:
        """Everything a case must have for this metric: videos, references, camera paths, prompts. What its signals
        read may depend on the chosen instruments."""
        found = set(self.requires)
        pending = list(self.needs)
        while pending:
            use = pending.pop()
            signal = SIGNALS.get(use.signal)
            found |= {use.of if part == "video" else part for part in signal.reads} | set(signal.requires)
            pending += inherited(use, chosen)
        return in_order(found)


def metric(
    *,
    version: int = 1,
    unit: str,
    higher_is_better: bool | None,
    bounds: tuple[float, float],
    needs: Sequence[SignalUse] = (),
    requires: Sequence[str] = (),
    formula: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Measurement]], Metric]:
    """Declare and register a metric. `formula` is the function to read for the arithmetic, where it is another."""
    check_parts(requires)

    def declare(function: Callable[..., Measurement]) -> Metric:
        declared = Metric(
            name=full_name(name or function.__name__, function),
            version=version,
            function=function,
            unit=unit,
            higher_is_better=higher_is_better,
            bounds=bounds,
            needs=tuple(needs),
            requires=tuple(requires),
            defaults=keyword_defaults(function),
            formula=formula or function,
        )
        METRICS.add(declared.name, declared, f"{function.__module__}:{function.__name__}")
        return declared

    return declare


METRICS: Registry[Metric] = Registry("metric")
