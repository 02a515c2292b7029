"""Holding what faults declare against what metrics did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from worldgauge.blocks.faults import FAULTS, Fault
from worldgauge.calibration.result import Dose, Response, Verdict
from worldgauge.core.gauge import CalibrationGauge

LEAST_RHO = 0.5
"""A metric that answers a fault rises or falls with severity at least this steadily."""
STILL = 0.15
"""A still metric may move by this share of its answer to the faults it is for."""
LEAST_WORLDS = 8
"""With fewer, a change the right way that could be chance is no failure: there was too little to see it by."""


def judge(gauge: CalibrationGauge, responses: Sequence[Response]) -> list[Response]:
    """The responses with a verdict wherever the fault declares something about the gauge's quality."""
    reach = reach_of(gauge, responses)
    return [r.model_copy(update={"verdict": _verdict(gauge, FAULTS[r.fault], r, reach)}) for r in responses]


def reach_of(gauge: CalibrationGauge, responses: Sequence[Response]) -> float | None:
    """The largest change among the faults that must move this metric and that it sees; None without any."""
    moving = [r for r in responses if r.fault in gauge.sees or _moves_quality(gauge, FAULTS[r.fault])]
    found = [abs(r.doses[-1].difference or 0.0) for r in moving if r.detects is not None]
    return max(found, default=None)


def _verdict(gauge: CalibrationGauge, fault: type[Fault], response: Response, reach: float | None) -> Verdict | None:
    known = gauge.blind.get(fault.name, "")
    if fault.name in gauge.sees:
        return _moved(gauge.sees[fault.name], response).model_copy(update={"known": known})
    if fault.name in gauge.ignores:
        return _stayed(1.0, response, reach).model_copy(update={"known": known})
    if gauge.quality is None or fault.name in gauge.unasked:
        return None
    if fault.name in gauge.no_better:
        return _no_better(response).model_copy(update={"known": known})
    for move in fault.moves:
        if move.quality == gauge.quality:
            return _moved(move.to, response).model_copy(update={"known": known})
    for stay in fault.stays:
        if stay.quality == gauge.quality:
            return _stayed(stay.up_to, response, reach).model_copy(update={"known": known})
    return None


def _moves_quality(gauge: CalibrationGauge, fault: type[Fault]) -> bool:
    return any(move.quality == gauge.quality for move in fault.moves)


def _moved(to: Literal["worse", "better"], response: Response) -> Verdict:
    last, rho = response.doses[-1], response.rho or 0.0
    if last.difference is None or last.p_value is None:
        return Verdict(expects=to, holds=None, why=f"scored in {last.cases} worlds at full severity")
    sign = -1 if to == "worse" else 1
    figures = f"rho {rho:+.2f}, change {last.difference:+.3g} at severity {last.severity:g} (p {last.p_value:.3f})"
    right = np.sign(last.difference) == sign and last.p_value <= 0.05 and sign * rho >= LEAST_RHO
    if not right and last.cases < LEAST_WORLDS and sign * last.difference > 0 and sign * rho > 0:
        return Verdict(expects=to, holds=None, why=f"{figures}: too few worlds to tell, {last.cases}")
    return Verdict(expects=to, holds=bool(right), why=figures)


def _no_better(response: Response) -> Verdict:
    last = response.doses[-1]
    if last.difference is None or last.p_value is None:
        return Verdict(expects="no better", holds=None, why=f"scored in {last.cases} worlds at full severity")
    why = f"change {last.difference:+.3g} at severity {last.severity:g} (p {last.p_value:.3f})"
    return Verdict(expects="no better", holds=not (last.difference > 0 and last.p_value <= 0.05), why=why)


def _stayed(up_to: float, response: Response, reach: float | None) -> Verdict:
    doses: list[Dose] = [d for d in response.doses if d.severity <= up_to and d.difference is not None]
    if not doses or reach is None:
        why = "nothing to compare the change with" if doses else f"not scored up to severity {up_to:g}"
        return Verdict(expects="still", holds=None, why=why, up_to=up_to)
    worst = max(doses, key=lambda d: abs(d.difference or 0.0))
    share = abs(worst.difference or 0.0) / reach
    # A change that could be chance is no evidence of movement, however large.
    seen = worst.p_value is not None and worst.p_value <= 0.05
    why = f"change {worst.difference:+.3g} at severity {worst.severity:g}, {share:.0%} of its reach"
    return Verdict(expects="still", holds=not (seen and share > STILL), why=why, up_to=up_to)
