"""Metrics that misbehave, each in its own way."""

from __future__ import annotations

import math
import os
import signal

from worldgauge import Case, Measurement, Unscored, metric


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_raises(case: object) -> Measurement:
    """Raises."""
    raise ZeroDivisionError("nothing to divide")


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_nan(case: object) -> Measurement:
    """Not a number."""
    return Measurement(math.nan)


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_too_high(case: object) -> Measurement:
    """Above its bounds."""
    return Measurement(1.5)


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_text(case: object) -> Measurement:
    """Answers text."""
    return "good"  # type: ignore[return-value]


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_text_value(case: object) -> Measurement:
    """Answers a measurement of text."""
    return Measurement("0.5")  # type: ignore[arg-type]


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_undecided(case: object) -> Measurement:
    """Cannot decide."""
    raise Unscored("too dark to tell")


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_fine(case: object) -> Measurement:
    """Always well."""
    return Measurement(0.5)


@metric(unit="", higher_is_better=True, bounds=(0, 1))
def test_kills_its_worker(case: Case) -> Measurement:
    """Dies as the kernel lets a process die that takes too much memory."""
    if case.id == "case-01":
        os.kill(os.getpid(), signal.SIGKILL)
    return Measurement(0.5)
