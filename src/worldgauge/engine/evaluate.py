"""From signals to a record: one metric on one case, whatever happens."""

from __future__ import annotations

import math
import time
import traceback
from copy import deepcopy
from functools import partial

from worldgauge.core.canonical import digest_of, short
from worldgauge.core.case import Case
from worldgauge.core.case_parts import lacking, offers
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
from worldgauge.core.origin import is_foreign, origin_of
from worldgauge.core.record import Record
from worldgauge.core.status import Status
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


def inputs_digest(definition: Definition, inputs: CaseInputs, perception: Perception) -> str:
    """Digest of all that this record will rest on; a record with the same one need not be computed again."""
    lack = first_lack(definition, inputs)
    content: dict[str, object] = {"video": inputs.video and inputs.video.digest, "lacks": lack}
    if inputs.video is not None and inputs.video.expected_frames is not None:
        content["expected_frames"] = inputs.video.expected_frames
    if inputs.video is not None and lack is None:
        if definition.unavailable:
            content["unavailable"] = definition.unavailable
        else:
            try:
                content["signals"] = [perception.key(use) for use in definition.metric.needs]
                content["case"] = {part: inputs.digest(part) for part in definition.metric.requires}
            except (WorldGaugeError, OSError) as error:
                # A part of the data set cannot be read; the record says so, and mending it changes the digest.
                content["unreadable"] = str(error)
    return short(digest_of(content))


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
    watch: Watch | None = None,
) -> Record:
    """The record of one metric on one case. Raises only `NotStored`, and errors that stop the whole run.

    With `lost` nothing is measured: the record is an error for that reason.
    """
    started = time.perf_counter()
    status, value, raw, curve, reason, trace = Status.OK, None, None, None, "", None
    weight: float | None = None
    again = False
    try:
        if lost:
            raise WorldGaugeError(lost)
        measurement = _measure(definition, inputs, perception, watch)
        raw, curve, reason = measurement.value, measurement.curve, measurement.reason
        weight = _weight(definition, inputs, measurement)
        value = definition.scale(raw) if definition.scale and definition.scale.level == "case" else raw
    except (NotStored, CannotWrite):
        raise
    except _NoVideo:
        status, reason = Status.MISSING, "the submission has no video for this case"
    except Outcome as outcome:
        status, reason = _status(outcome), str(outcome)
        again = isinstance(outcome, TooLarge)
    except Misbehaved as problem:
        status, reason, trace = Status.ERROR, str(problem), _trace() if problem.__cause__ else None
    except _Nonsense as problem:
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
        inputs=inputs_digest(definition, inputs, perception),
        video=inputs.video.digest if inputs.video else None,
        status=status,
        value=value,
        raw=raw,
        weight=weight,
        curve=list(curve) if curve is not None else None,
        reason=reason,
        again=again,
        traceback=trace,
        tags=inputs.case.tags,
        seconds=round(time.perf_counter() - started, 6),
        time=time.time(),
    )


class _NoVideo(Exception):
    pass


class _Nonsense(Exception):
    """The metric answered something that is not data."""


def _status(outcome: Outcome) -> Status:
    """By the nearest kind we know: a plug-in may raise one of its own."""
    return next((_STATUS[kind] for kind in type(outcome).__mro__ if kind in _STATUS), Status.ERROR)


def _trace() -> str:
    """The traceback, the middle left out where functions that call each other have made it endless."""
    text = writable(traceback.format_exc())
    return text if len(text) <= 2 * _TRACE_END else f"{text[:_TRACE_END]}\n...\n{text[-_TRACE_END:]}"


_TRACE_END = 4000


def _measure(definition: Definition, inputs: CaseInputs, perception: Perception, watch: Watch | None) -> Measurement:
    lack = first_lack(definition, inputs)
    if lack is not None:
        raise NotApplicable(lack)
    if inputs.video is None:
        raise _NoVideo
    if definition.unavailable:
        raise Unavailable(definition.unavailable)
    if inputs.video.info.frames < 2:
        raise InvalidVideo(f"the clip has {inputs.video.info.frames} frame, at least 2 are needed")
    metric = definition.metric
    signals = [perception.value(use) for use in metric.needs]
    function = partial(metric.function, _case_for(metric.function, inputs.case), *signals, **definition.parameters)
    answer = function() if watch is None else watch.call(definition.id, partial(_who, definition), function)
    if not isinstance(answer, Measurement):
        raise _Nonsense(f"metric '{metric.name}' returned {type(answer).__name__}, not a Measurement")
    if not isinstance(answer.value, (int, float)) or not math.isfinite(answer.value):
        raise _Nonsense(f"metric '{metric.name}' returned {answer.value!r}, not a finite number")
    low, high = metric.bounds
    if not low <= answer.value <= high:
        raise _Nonsense(f"metric '{metric.name}' returned {answer.value:g}, outside its bounds [{low:g}, {high:g}]")
    if is_foreign(metric.function):
        _check_rest(metric.name, answer)
    return answer


def _check_rest(name: str, answer: Measurement) -> None:
    if not isinstance(answer.reason, str):
        raise _Nonsense(f"metric '{name}' gave {type(answer.reason).__name__} as a reason, not text")
    try:
        numbers = [] if answer.curve is None else [x for x in answer.curve if x is not None]
        if not all(isinstance(number, (int, float)) for number in numbers):
            raise TypeError
    except TypeError:
        raise _Nonsense(f"metric '{name}' gave a curve that is not made of numbers") from None


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
                raise _Nonsense(f"metric '{name}' is averaged over frames but gives no number per frame")
            return float(sum(number is not None for number in measurement.curve))
        case "pooled_ratio":
            if measurement.weight is None or not (math.isfinite(measurement.weight) and measurement.weight >= 0):
                raise _Nonsense(f"metric '{name}' is pooled but gives no denominator (weight {measurement.weight!r})")
            return measurement.weight
    return None
