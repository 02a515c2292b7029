"""Dose-response statistics: a metric's scores under rising severity against the oracle's on the same worlds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.calibration.result import Dose, Response
from worldgauge.stats.bootstrap import cluster_replicates, percentile_interval
from worldgauge.stats.correlation import spearman
from worldgauge.stats.paired import sign_flip_test

Floats = NDArray[np.float64]
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Scores:
    """One metric, one fault: W worlds, S severities; NaN where there is no value."""

    oracle: Floats
    """(W,)"""
    subject: Floats
    """(S, W)"""
    quantity: Floats
    """(S, W) what the fault really changed."""
    severities: tuple[float, ...]

    @property
    def shows(self) -> NDArray[np.bool_]:
        """(W,) where the fault shows anything, if only at full severity; the other worlds say nothing of it."""
        return np.asarray(np.abs(self.quantity[-1]) > 0)

    def gains(self, higher_is_better: bool | None) -> Floats:
        """(S, W') subject minus oracle in the worlds in which it shows, turned so that negative is worse."""
        turn = -1.0 if higher_is_better is False else 1.0
        return np.asarray(turn * (self.subject - self.oracle)[:, self.shows])


def respond(fault: str, scores: Scores, higher_is_better: bool | None) -> Response:
    """Doses, rank correlation and the smallest severity that is seen."""
    shows, gains = scores.shows, scores.gains(higher_is_better)
    doses = [
        _dose(severity, scores.quantity[k, shows], scores.subject[k, shows], gains[k])
        for k, severity in enumerate(scores.severities)
    ]
    return Response(fault=fault, doses=doses, rho=_rho(scores.severities, gains), detects=_detects(doses))


def _dose(severity: float, quantity: Floats, values: Floats, gains: Floats) -> Dose:
    shared = np.isfinite(gains)
    count, worlds = int(shared.sum()), np.arange(len(values))
    if not count:
        return Dose(
            severity=severity, quantity=_round(quantity.mean()) if quantity.size else 0.0, cases=0,
            mean=None, interval=None, difference=None, p_value=None,
        )  # fmt: skip
    spread = cluster_replicates(np.where(shared, values, np.nan)[None], worlds)[0]
    interval = percentile_interval(spread, LEVEL, clusters=count) if count > 1 else None
    return Dose(
        severity=severity,
        quantity=_round(quantity.mean()),
        cases=count,
        mean=_round(values[shared].mean()),
        interval=(_round(interval[0]), _round(interval[1])) if interval else None,
        difference=_round(gains[shared].mean()),
        p_value=_round(sign_flip_test(gains[shared], worlds[shared])) if count > 1 else None,
    )


def _rho(severities: tuple[float, ...], gains: Floats) -> float | None:
    """Mean over worlds of the rank correlation with severity, the oracle included as severity 0.

    A world whose score does not change at all counts as 0: a metric that ignores its input has no correlation.
    """
    found = []
    for world in range(gains.shape[1]):
        column = gains[:, world]
        if np.isfinite(column).sum() == len(severities):
            rho = spearman([0.0, *severities], [0.0, *column]).coefficient
            found.append(0.0 if rho is None else rho)
    return _round(float(np.mean(found))) if found else None


def _detects(doses: list[Dose]) -> float | None:
    """The smallest severity from which on every dose differs from the oracle, all in the same direction."""
    smallest, direction = None, 0.0
    for dose in reversed(doses):
        if dose.p_value is None or dose.difference is None or dose.p_value > 1 - LEVEL or dose.difference == 0:
            break
        if direction and np.sign(dose.difference) != direction:
            break
        smallest, direction = dose.severity, float(np.sign(dose.difference))
    return smallest


def _round(value: float) -> float:
    """Six significant digits: the file is read by people too."""
    return float(f"{float(value):.6g}")
