"""What single clips tell: how often a metric sees a fault in one clip, and how often it leaves alone what it must.

A fault is seen in a clip when the metric moves, the way it should, by more than it does in 95 of 100 clips with faults
that it must ignore.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from worldgauge.calibration.result import GaugeResult, Response
from worldgauge.calibration.verdicts import STILL

Floats = NDArray[np.float64]
PERCENTILE = 95
CLEAR = 0.95
"""Share of the clips in which a fault must be seen to be seen clearly."""


def with_single_clips(result: GaugeResult, gains: Mapping[str, Floats], reach: float | None) -> GaugeResult:
    """The judged result with what its clips tell. `gains`: fault to (S, W), subject minus oracle, negative is worse."""
    left_alone = np.array([value for r in result.responses for value in _ignored(r, gains[r.fault])])
    if not left_alone.size:
        return result
    noise = float(f"{np.percentile(left_alone, PERCENTILE):.6g}")
    within = None if reach is None else float(f"{(left_alone <= STILL * reach).mean():.4g}")
    seen = [_seen(r, gains[r.fault], noise, result.higher_is_better) for r in result.responses]
    return result.model_copy(
        update={"responses": seen, "noise": noise, "specificity": within, "ignored_clips": left_alone.size}
    )


def _ignored(response: Response, gains: Floats) -> Iterator[float]:
    """By how much every clip moves whose fault must leave the metric alone, known blind spots left out."""
    verdict = response.verdict
    if verdict is None or verdict.expects != "still" or verdict.known:
        return
    for dose, row in zip(response.doses, gains, strict=True):
        if dose.severity <= verdict.up_to:
            yield from np.abs(row[np.isfinite(row)]).tolist()


def _seen(response: Response, gains: Floats, noise: float, higher_is_better: bool | None) -> Response:
    if not gains.shape[1]:
        return response
    better = response.verdict is not None and response.verdict.expects == "better"
    moved = np.abs(gains) if higher_is_better is None else gains if better else -gains
    # A clip without a score is one in which nothing was seen.
    shares = (np.nan_to_num(moved, nan=-np.inf) > noise).mean(axis=1)
    doses = [d.model_copy(update={"seen": float(f"{s:.4g}")}) for d, s in zip(response.doses, shares, strict=True)]
    severities = [dose.severity for dose in doses]
    return response.model_copy(update={"doses": doses, "clear_from": clear_from(severities, shares.tolist())})


def clear_from(severities: Sequence[float], shares: Sequence[float]) -> float | None:
    """The smallest severity from which on a fault is seen in nearly every clip.

    >>> clear_from([0.25, 0.5, 1.0], [0.5, 1.0, 1.0]), clear_from([0.5, 1.0], [1.0, 0.9])
    (0.5, None)
    """
    smallest = None
    for severity, share in zip(reversed(severities), reversed(shares), strict=True):
        if share < CLEAR:
            break
        smallest = severity
    return smallest
