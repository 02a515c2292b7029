"""From signals to a record: one metric on one case, whatever happens."""

from __future__ import annotations

import math
import time
import traceback
import warnings
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from worldgauge.core.case_parts import lacking, offers
from worldgauge.core.contents import inputs_digest
from worldgauge.core.errors import (
    CannotWrite,
    InvalidVideo,
    NotApplicable,
    Outcome,
    Unavailable,
    Unscored,
    WorldGaugeError,
)
from worldgauge.core.metric import Measurement
from worldgauge.core.record import Record
from worldgauge.core.status import Status
from worldgauge.core.video import check_measurable
from worldgauge.engine.correspondence import remark_on_reference
from worldgauge.engine.definitions import Definition
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import NotStored, Perception

_STATUS: dict[type[Outcome], Status] = {
    InvalidVideo: Status.INVALID,
    Unscored: Status.UNSCORED,
    Unavailable: Status.UNSCORED,
    NotApplicable: Status.SKIPPED,
}


def first_lack(definition: Definition, inputs: CaseInputs) -> str | None:
    """Why the metric does not apply: a tag the case does not have, or a part of it that is not there."""
    for tag, value in definition.tags.items():
        if inputs.case.tags.get(tag) != value:
            return f"only for cases with {tag} {value}"
    part = next((part for part in definition.parts if not offers(inputs.case, part)), None)
    return part and lacking(part)


def evaluate(
    definition: Definition,
    inputs: CaseInputs,
    perception: Perception,
    lost: str = "",
    take: int = 0,
    invocation: int = 0,
) -> Record:
    """The record of one metric on one case. Raises only `NotStored`, and errors that stop the whole run.

    With `lost` nothing is measured: the record is an error for that reason.
    """
    started = time.perf_counter()
    status, value, raw, curve, reason, trace = Status.OK, None, None, None, "", None
    weight: float | None = None
    unavailable = False
    try:
        if lost:
            raise WorldGaugeError(lost)
        measurement = _measure(definition, inputs, perception)
        raw, curve = measurement.value, measurement.curve
        reason = "; ".join(filter(None, (measurement.reason, remark_on_reference(definition, inputs))))
        reason = ", ".join(filter(None, (reason, _video_remarks(inputs))))
        weight = _weight(definition, inputs, measurement)
        value = definition.scale(raw) if definition.scale and definition.scale.level == "case" else raw
    except (NotStored, CannotWrite):
        raise
    except _NoVideo:
        status, reason = Status.MISSING, "the submission has no video for this case"
    except Outcome as outcome:
        status, reason = _STATUS[type(outcome)], str(outcome)
        unavailable = isinstance(outcome, Unavailable)
    except _Nonsense as problem:
        status, reason = Status.ERROR, str(problem)
    except WorldGaugeError as error:
        status, reason = Status.ERROR, str(error)
    except Exception as error:  # noqa: BLE001  a metric or signal with a mistake costs its own records only
        status, reason, trace = Status.ERROR, f"{type(error).__name__}: {error}", traceback.format_exc()
    return Record(
        case=inputs.case.id,
        take=take,
        cluster=inputs.case.cluster_id,
        metric=definition.id,
        fingerprint=definition.fingerprint,
        inputs=inputs_digest(inputs.part_digests(definition.reads), definition.reads),
        video=_video_digest(inputs),
        status=status,
        value=value,
        raw=raw,
        weight=weight,
        curve=list(curve) if curve is not None else None,
        reason=reason,
        traceback=trace,
        tags=inputs.case.tags,
        seconds=round(time.perf_counter() - started, 6),
        time=time.time(),
        unavailable=unavailable,
        invocation=invocation,
    )


def _video_digest(inputs: CaseInputs) -> str | None:
    """None also for what cannot be read, such as a pipe."""
    try:
        return inputs.video.digest if inputs.video else None
    except (WorldGaugeError, OSError):
        return None


class _NoVideo(Exception):
    pass


class _Nonsense(Exception):
    """The metric answered something that is not data."""


def _measure(definition: Definition, inputs: CaseInputs, perception: Perception) -> Measurement:
    lack = first_lack(definition, inputs)
    if lack is not None:
        raise NotApplicable(lack)
    if inputs.video is None:
        raise _NoVideo
    if definition.unavailable:
        raise Unavailable(definition.unavailable)
    check_measurable(inputs.video.info)
    metric = definition.metric
    signals = [perception.value(use) for use in metric.needs]
    with warnings.catch_warnings():
        # NumPy drops an imaginary part with no more than a warning.
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            answer = metric.function(inputs.case, *signals, **definition.parameters)
        except np.exceptions.ComplexWarning as warning:
            raise _Nonsense(f"metric '{metric.name}' computed complex numbers, not real ones") from warning
    if not isinstance(answer, Measurement):
        raise _Nonsense(f"metric '{metric.name}' returned {type(answer).__name__}, not a Measurement")
    value = _finite(answer.value)
    if value is None:
        raise _Nonsense(f"metric '{metric.name}' returned {_shown(answer.value)}, not a finite number")
    low, high = metric.bounds
    if not low <= value <= high:
        raise _Nonsense(f"metric '{metric.name}' returned {value:g}, outside its bounds [{low:g}, {high:g}]")
    return replace(answer, value=value, curve=_curve(metric.name, answer.curve))


def _curve(metric: str, curve: Any) -> tuple[float | None, ...] | None:
    """The curve in plain numbers; a record cannot hold any other."""
    if curve is None:
        return None
    numbers = tuple(None if number is None else _finite(number) for number in curve)
    for number, given in zip(numbers, curve, strict=True):
        if number is None and given is not None:
            raise _Nonsense(f"metric '{metric}' has {_shown(given)} in its curve, not a finite number")
    return numbers


def _finite(value: Any) -> float | None:
    """The value as a plain number; None for what is no real finite number. A truth value is no number."""
    # A float is both; named first it is told at once.
    if isinstance(value, bool) or not isinstance(value, (float, Real)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _shown(value: Any) -> str:
    """The value in one line of bearable length."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _video_remarks(inputs: CaseInputs) -> str:
    return inputs.video.info.remarks if inputs.video is not None else ""


def _weight(definition: Definition, inputs: CaseInputs, measurement: Measurement) -> float | None:
    """What the value counts for among the cases; None where all count alike."""
    name = definition.metric.name
    match definition.reduce:
        case "weighted_mean":
            return inputs.case.weight
        case "frame_mean":
            if measurement.curve is None:
                raise _Nonsense(f"metric '{name}' is averaged over frames but gives no number per frame")
            return float(sum(number is not None for number in measurement.curve))
        case "pooled_ratio":
            weight = _finite(measurement.weight)
            if weight is None or weight < 0:
                raise _Nonsense(f"metric '{name}' is pooled but gives no denominator (weight {measurement.weight!r})")
            return weight
    return None
