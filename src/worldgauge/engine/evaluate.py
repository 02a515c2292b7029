"""From signals to a record: one metric on one case, whatever happens."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from math import isfinite

import numpy as np

from worldgauge.core.asking import NotUnderstood
from worldgauge.core.case import Case
from worldgauge.core.case_parts import awaited, lacking, not_on_disk, offers
from worldgauge.core.errors import (
    InvalidVideo,
    NotApplicable,
    Outcome,
    StopsRun,
    Unavailable,
    Unscored,
    WorldGaugeError,
)
from worldgauge.core.frame_list import pack_frames
from worldgauge.core.metric import Measurement
from worldgauge.core.origin import is_foreign, origin_of
from worldgauge.core.reasons import NO_ANSWER, NOT_ON_DISK, TOO_LARGE, UNAVAILABLE, is_code
from worldgauge.core.record import Record
from worldgauge.core.scale import score_ends
from worldgauge.core.status import Status
from worldgauge.core.video import check_measurable
from worldgauge.engine.answers import Nonsense, checked_answer, finite
from worldgauge.engine.correspondence import remark_on_reference
from worldgauge.engine.curve_frames import curve_frames
from worldgauge.engine.definitions import Definition
from worldgauge.engine.estimate import TooLarge
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import NotStored, Perception
from worldgauge.engine.watch import Misbehaved, Watch, told, writable

_STATUS: dict[type[Outcome], Status] = {
    InvalidVideo: Status.INVALID,
    Unscored: Status.UNSCORED,
    Unavailable: Status.UNSCORED,
    NotApplicable: Status.SKIPPED,
}


def first_lack(definition: Definition, inputs: CaseInputs) -> str | None:
    """Why the metric does not apply: a tag the case does not have, or a part of it that is not there."""
    if not _is_about(definition, inputs.case):
        tag, value = next(pair for pair in definition.tags.items() if inputs.case.tags.get(pair[0]) != pair[1])
        return f"only for cases with {tag} {value}"
    part = next((part for part in definition.parts if not offers(inputs.case, part)), None)
    return part and lacking(part)


def _is_about(definition: Definition, case: Case) -> bool:
    """Whether the case has the tags of the cases that the column is about."""
    return all(case.tags.get(tag) == value for tag, value in definition.tags.items())


def evaluate(
    definition: Definition,
    inputs: CaseInputs,
    perception: Perception,
    lost: str = "",
    take: int = 0,
    invocation: int = 0,
    watch: Watch | None = None,
) -> Record:
    """The record of one metric on one case. Raises only `NotStored`, and errors that stop the whole run.

    With `lost` nothing is measured: the record is an error for that reason.
    """
    started = time.perf_counter()
    status, value, raw, curve, reason, trace = Status.OK, None, None, None, "", None
    # What a case weighs by itself is known without its video.
    weight = inputs.case.weight if definition.reduce == "weighted_mean" else None
    left_out = 0.0
    constants: dict[str, float] = {}
    repeats: list[float] = []
    frames: list[int] | None = None
    code, again = "", False
    try:
        if lost:
            raise WorldGaugeError(lost)
        measurement = _measure(definition, inputs, perception, watch)
        raw, curve = measurement.value, measurement.curve
        reason = "; ".join(filter(None, (measurement.reason, *_remarks(definition, inputs))))
        weight = _weight(definition, inputs, measurement)
        frames = _frames(definition, inputs, measurement)
        left_out = measurement.left_out
        scaled = definition.scale is not None and definition.scale.level == "case"
        score: Callable[[float], float] = definition.scale if scaled and definition.scale else float
        value = score(raw)
        constants = {name: score(number) for name, number in measurement.constants.items()}
        repeats = [score(number) for number in measurement.repeats]
    except (NotStored, StopsRun):
        raise
    except _NoVideo:
        status, reason = Status.MISSING, "the submission has no video for this case"
    except _TooShort as short:
        raw, reason = short.raw, f"{short}; it counts as worst"
        value = raw if definition.scale is None or definition.scale.level == "model" else definition.scale(raw)
    except Outcome as outcome:
        status, reason = _status(outcome), str(outcome)
        code, again = _code(outcome), isinstance(outcome, (TooLarge, Unavailable))
    except Misbehaved as problem:
        status, reason, trace = Status.ERROR, str(problem), _trace() if problem.__cause__ else None
    except Nonsense as problem:
        status, reason = Status.ERROR, str(problem)
    except WorldGaugeError as error:
        status, reason = Status.ERROR, str(error)
    except Exception as error:  # noqa: BLE001  a metric or signal with a mistake costs its own records only
        status, reason, trace = Status.ERROR, told(error), _trace()
    return Record(
        case=inputs.case.id,
        take=take,
        cluster=inputs.case.cluster_id,
        metric=definition.id,
        fingerprint=definition.fingerprint,
        inputs=inputs.inputs_digest(definition.reads),
        video=inputs.video.digest if inputs.video else None,
        status=status,
        value=value,
        raw=raw,
        weight=weight,
        curve=list(curve) if curve is not None else None,
        curve_frames=None if frames is None else pack_frames(frames),
        reason=reason,
        code=code,
        left_out=round(left_out, 6),
        constants=constants,
        repeats=repeats,
        again=again,
        traceback=trace,
        tags=inputs.case.tags,
        seconds=round(time.perf_counter() - started, 6),
        time=time.time(),
        invocation=invocation,
    )


class _NoVideo(Exception):
    pass


class _TooShort(Exception):
    """The clip is shorter than the benchmark requires, and counts as worst in this column."""

    def __init__(self, shortfall: str, raw: float) -> None:
        super().__init__(shortfall)
        self.raw = raw


def worst_raw(definition: Definition) -> float | None:
    """The metric's own number behind the worst score; None where no number is the worst."""
    worst = score_ends(definition.scale, definition.metric.bounds, definition.metric.higher_is_better)[0]
    if not isfinite(worst):
        return None
    scaled = definition.scale is not None and definition.scale.level == "case"
    return definition.scale.inverse(worst) if scaled and definition.scale else worst


def _status(outcome: Outcome) -> Status:
    """By the nearest kind we know: a plug-in may raise one of its own."""
    return next((_STATUS[kind] for kind in type(outcome).__mro__ if kind in _STATUS), Status.ERROR)


def _code(outcome: Outcome) -> str:
    """The reason code of a record."""
    match outcome:
        case Unscored() | InvalidVideo():
            # A plug-in's own kind of outcome may hold anything.
            code = getattr(outcome, "code", "")
            return code if isinstance(code, str) and is_code(code) else ""
        case TooLarge():
            return TOO_LARGE
        case NotUnderstood():
            return NO_ANSWER
        case Unavailable():
            return UNAVAILABLE
    return ""


def _trace() -> str:
    """The traceback, the middle left out where functions that call each other have made it endless."""
    text = writable(traceback.format_exc())
    return text if len(text) <= 2 * _TRACE_END else f"{text[:_TRACE_END]}\n...\n{text[-_TRACE_END:]}"


_TRACE_END = 4000


def _measure(definition: Definition, inputs: CaseInputs, perception: Perception, watch: Watch | None) -> Measurement:
    lack = first_lack(definition, inputs)
    expected = (
        awaited(inputs.case, definition.parts) if lack is not None and _is_about(definition, inputs.case) else None
    )
    if lack is not None and expected is None:
        raise NotApplicable(lack)
    if inputs.video is None:
        raise _NoVideo
    if expected is not None:
        raise Unscored(not_on_disk(expected), "complete the data set", NOT_ON_DISK)
    if definition.unavailable:
        raise Unavailable(definition.unavailable)
    check_measurable(inputs.video.info)
    short, worst = inputs.shortfall(definition.length), worst_raw(definition)
    if short and definition.short_is_worst and worst is not None:
        raise _TooShort(short, worst)
    metric = definition.metric
    signals = [perception.value(use) for use in metric.needs]
    function = partial(metric.function, _case_for(metric.function, inputs.case), *signals, **definition.parameters)
    with warnings.catch_warnings():
        # NumPy drops an imaginary part with no more than a warning.
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            answer = function() if watch is None else watch.call(definition.id, partial(_who, definition), function)
        except np.exceptions.ComplexWarning as warning:
            raise Nonsense(f"metric '{metric.name}' computed complex numbers, not real ones") from warning
    return checked_answer(metric, answer)


def _remarks(definition: Definition, inputs: CaseInputs) -> tuple[str, ...]:
    """What is unusual about the two clips."""
    assert inputs.video is not None
    of_reference = remark_on_reference(definition, inputs)
    return of_reference, inputs.shortfall(definition.length), inputs.video.info.remarks


def _frames(definition: Definition, inputs: CaseInputs, measurement: Measurement) -> list[int] | None:
    """The frames that the curve's numbers belong to; None where they are simply the clip's."""
    assert inputs.video is not None
    metric, count = definition.metric, inputs.video.info.frames
    try:
        return curve_frames(measurement, metric.needs, count, inputs.case.reference.phases)
    except ValueError as error:
        raise Nonsense(f"metric '{metric.name}' gives {error}") from error


def _case_for(function: object, case: Case) -> Case:
    """The case; somebody else's code gets dicts of its own, so that it cannot change what other metrics read."""
    if not is_foreign(function) or not (case.tags or case.extras or case.reference.truth):
        return case
    known = case.reference.model_copy(update={"truth": dict(case.reference.truth)})
    return case.model_copy(update={"tags": dict(case.tags), "extras": deepcopy(case.extras), "reference": known})


def _who(definition: Definition) -> str:
    origin = origin_of(definition.metric.function)
    return f"metric '{definition.id}'" + (f" ({origin})" if origin else "")


def _weight(definition: Definition, inputs: CaseInputs, measurement: Measurement) -> float | None:
    """What the value counts for among the cases; None where all count alike."""
    name = definition.metric.name
    match definition.reduce:
        case "weighted_mean":
            return inputs.case.weight
        case "frame_mean":
            if measurement.curve is None:
                raise Nonsense(f"metric '{name}' is averaged over frames but gives no number per frame")
            return float(sum(number is not None for number in measurement.curve))
        case "pooled_ratio":
            weight = finite(measurement.weight)
            if weight is None or weight < 0:
                raise Nonsense(f"metric '{name}' is pooled but gives no denominator (weight {measurement.weight!r})")
            return weight
    return None
