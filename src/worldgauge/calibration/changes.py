"""What a calibration found that the shipped one did not."""

from __future__ import annotations

from collections.abc import Iterator

from worldgauge.calibration.result import CalibrationFile, GaugeResult, Response

_WORDS = {True: "holds", False: "fails", None: "could not be judged"}


def changes(found: CalibrationFile, before: CalibrationFile | None) -> list[str]:
    """A line each; `before` is the shipped result on the same kind of worlds, if there is one.

    Numbers are compared only where clips are alike (the same worlds, size and severities), verdicts always.
    """
    if before is None:
        return [f"no calibration on {found.where} is shipped"]
    known = {gauge.id: gauge for gauge in before.gauges}
    alike = (found.worlds, found.size, found.severities) == (before.worlds, before.size, before.severities)
    return [line for gauge in found.gauges for line in _of(gauge, known.get(gauge.id), alike=alike)]


def _of(gauge: GaugeResult, before: GaugeResult | None, *, alike: bool) -> Iterator[str]:
    if before is None:
        yield f"{gauge.id}: none is shipped"
        return
    if gauge.fingerprint != before.fingerprint:
        yield f"{gauge.id}: definition {gauge.fingerprint}, shipped is one of {before.fingerprint}"
    if alike and gauge.oracle != before.oracle:
        yield f"{gauge.id}: the oracle has {_number(gauge.oracle)}, shipped {_number(before.oracle)}"
    for response in gauge.responses:
        old = before.response(response.fault)
        if old is not None:
            yield from _of_fault(f"{gauge.id} x {response.fault}", response, old, alike=alike)


def _of_fault(name: str, now: Response, old: Response, *, alike: bool) -> Iterator[str]:
    if now.verdict is not None and old.verdict is not None and now.verdict.holds is not old.verdict.holds:
        yield f"{name}: {_WORDS[now.verdict.holds]}, shipped {_WORDS[old.verdict.holds]}; {now.verdict.why}"
    if alike and now.detects != old.detects:
        yield f"{name}: {_seen(now)}, shipped {_seen(old)}"


def _seen(response: Response) -> str:
    return "not seen" if response.detects is None else f"seen from severity {response.detects:g}"


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.4g}"
