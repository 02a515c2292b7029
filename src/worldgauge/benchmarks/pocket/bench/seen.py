"""Which faults are seen in single clips, and what moves though it must stay: the arithmetic, without any video.

A fault is seen in a clip by a metric when the clip's score is worse than the oracle's on the same world by more than
the 95th percentile of that metric's differences over all faults it must ignore.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults import FAULTS, Fault
from worldgauge.calibration.verdicts import STILL
from worldgauge.core.gauge import CalibrationGauge, Quality

Floats = NDArray[np.float64]
PERCENTILE = 95
LEAST_SHARE = 15 / 16
"""Of the worlds a fault applies to, in which it must be seen."""


@dataclass(frozen=True, eq=False)
class Scores:
    """One metric on the worlds of one kind."""

    gauge: CalibrationGauge
    higher_is_better: bool | None
    oracle: Floats
    """(W,) NaN where unscored."""
    subjects: Mapping[str, Floats]
    """Fault to (W,); NaN where it was not scored or the fault shows nothing in the world."""

    def worse(self, fault: str) -> Floats:
        """(W,) by how much the subject is worse than the oracle; without a direction, how far it is from it."""
        apart = self.subjects[fault] - self.oracle
        return np.abs(apart) if self.higher_is_better is None else (-apart if self.higher_is_better else apart)

    def ignored(self, severity: float) -> list[str]:
        """Faults that must leave it alone, known blind spots left out."""
        return [f for f in self.subjects if must_stay(self.gauge, FAULTS[f], severity) and f not in self.gauge.blind]

    def threshold(self, severity: float) -> float | None:
        """What a difference must exceed; None where there is nothing it must ignore."""
        found = [np.abs(self.worse(fault)) for fault in self.ignored(severity)]
        values = np.concatenate(found) if found else np.zeros(0)
        values = values[np.isfinite(values)]
        return float(np.percentile(values, PERCENTILE)) if values.size else None


@dataclass(frozen=True)
class Sight:
    """How often the best metric sees a fault."""

    fault: str
    metric: str
    seen: int
    worlds: int
    """Worlds in which the fault shows."""
    others: tuple[str, ...] = ()
    """Further metrics that see it in enough worlds."""

    @property
    def enough(self) -> bool:
        return self.seen >= LEAST_SHARE * self.worlds


def sights(metrics: Iterable[Scores], shows: Mapping[str, NDArray[np.bool_]], severity: float) -> list[Sight]:
    """Per fault that shows in some world (fault to (W,)), the metric that sees it most often."""
    counted = {m.gauge.id: (m, m.threshold(severity)) for m in metrics}
    found = []
    for fault, where in shows.items():
        if not where.any():
            continue
        counts = {
            name: int((scores.worse(fault)[where] > limit).sum())
            for name, (scores, limit) in counted.items()
            if limit is not None and fault in scores.subjects and not must_stay(scores.gauge, FAULTS[fault], severity)
        }
        best = max(counts, key=lambda name: counts[name], default="")
        worlds = int(where.sum())
        others = [n for n, count in counts.items() if n != best and count >= LEAST_SHARE * worlds]
        found.append(Sight(fault, best, counts.get(best, 0), worlds, tuple(others)))
    return found


def stirred(metrics: Iterable[Scores], severity: float) -> list[str]:
    """A line for each metric that moves, on the mean, by more than its margin under a fault that must leave it alone.

    The margin is the share STILL of its largest mean answer to a fault that must move it.
    """
    lines = []
    for scores in metrics:
        must = [f for f in scores.subjects if must_move(scores.gauge, FAULTS[f])]
        reach = max((_mean(scores.worse(f)) for f in must), default=0.0)
        for fault in scores.ignored(severity):
            moved = _mean(scores.worse(fault))
            if reach > 0 and abs(moved) > STILL * reach:
                lines.append(f"{scores.gauge.id} x {fault}: {moved:+.4g} worse, {abs(moved) / reach:.0%} of its reach")
    return lines


def must_stay(gauge: CalibrationGauge, fault: type[Fault], severity: float) -> bool:
    return fault.name not in gauge.unasked and _declares(
        gauge.quality, (stay.quality for stay in fault.stays if stay.up_to >= severity)
    )


def must_move(gauge: CalibrationGauge, fault: type[Fault]) -> bool:
    return fault.name not in gauge.unasked and _declares(gauge.quality, (move.quality for move in fault.moves))


def _declares(quality: Quality | None, declared: Iterable[Quality]) -> bool:
    return quality is not None and quality in declared


def _mean(values: Floats) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else 0.0
