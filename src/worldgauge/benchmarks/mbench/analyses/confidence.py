"""How the trigger rate, reliability and M-Score of text clips move with the confidence a judge must have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worldgauge.benchmarks.mbench.official.metric_ids import SUBSETS, scores_of
from worldgauge.core.reducers import harmonic_zero
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status

CUTS = (0.0, 0.25, 0.5, 0.75, 0.9)


def confidence_curve(run: Run, cuts: Sequence[float] = CUTS) -> list[dict[str, Any]]:
    """Per subset, cut and score: clips that count as triggered, their share, their mean score and the M-Score.

    From the records alone: a yes with less confidence than the cut becomes a no. A cut below that of the run adds none.
    """
    sure: dict[str, dict[str, float]] = {}
    numbers: dict[str, dict[str, float]] = {}
    for record in run.records():
        if record["status"] != Status.OK:
            continue
        name = str(record["metric"])
        if name.startswith("t_trigger_") and record.get("curve"):
            yes = record["raw"] > 0.5
            sure.setdefault(name, {})[record["case"]] = float(record["curve"][0]) if yes else -1.0
        else:
            numbers.setdefault(name, {})[record["case"]] = float(record["value"])
    rows = []
    for one in scores_of("t"):
        column, rate = f"t_{one.score}", f"t_trigger_{SUBSETS[one.score]}"
        for cut in cuts if rate in sure and column in numbers else ():
            counted = [case for case, confidence in sure[rate].items() if confidence >= cut]
            scores = [numbers[column][case] for case in counted if case in numbers[column]]
            share = 100 * len(counted) / len(sure[rate])
            mean = float(np.mean(scores)) if scores else None
            both = harmonic_zero(np.array([np.nan if mean is None else mean, share]), np.ones(2)).item()
            rows.append(
                {
                    "score": column,
                    "cut": cut,
                    "triggered": len(counted),
                    "of": len(sure[rate]),
                    "trigger_rate": share,
                    "reliability": mean,
                    "m_score": both if np.isfinite(both) else None,
                }
            )
    return rows
