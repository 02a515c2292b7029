"""How much of the spread between models is the judge's own: variance components from repeated answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from worldgauge.stats.bootstrap import Floats


@dataclass(frozen=True)
class AnswerNoise:
    """Of one column."""

    noise: float
    """Standard deviation that a model's score has because the judge answers differently each time, as it was asked."""
    noise_once: float
    """The same, had it been asked once."""
    spread: float | None = None
    """Standard deviation of the scores between models; None with fewer than two."""

    @property
    def share(self) -> float | None:
        """Share of the variance between models that is the judge's noise, at most 1; None where there is no spread."""
        return _share(self.noise, self.spread)

    @property
    def share_once(self) -> float | None:
        """The same, had it been asked once: the spread itself would be wider by what the repeats have averaged out."""
        if self.spread is None:
            return None
        wider = sqrt(self.spread**2 + max(0.0, self.noise_once**2 - self.noise**2))
        return _share(self.noise_once, wider)


def answer_noise(models: Sequence[Floats]) -> AnswerNoise | None:
    """From each model's (cases, times asked) of scores, NaN where there is none; None where nothing was asked twice.

    A model's score is the mean over its cases of the mean over times. Answers of different cases are independent, so
    the variance of the score is the sum over cases of the variance between times, divided by the number of times, over
    the square of the number of cases. Cases are the same for all models and add nothing here.

    >>> found = answer_noise([np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [0.0, 0.0]])])
    >>> round(found.noise**2, 6), round(found.spread**2, 6)
    (0.03125, 0.28125)
    """
    means, asked_as, asked_once = [], [], []
    for scores in models:
        times = np.isfinite(scores).sum(axis=1)
        kept, several = scores[times > 0], times[times > 0] > 1
        if not len(kept):
            continue
        means.append(float(np.nanmean(kept, axis=1).mean()))
        if several.any():
            between = np.nanvar(kept[several], axis=1, ddof=1)
            # Cases that were asked about once are as noisy as the others on average.
            scale = len(kept) / int(several.sum()) / len(kept) ** 2
            asked_as.append(float((between / times[times > 0][several]).sum()) * scale)
            asked_once.append(float(between.sum()) * scale)
    if not asked_as:
        return None
    spread = float(np.std(means, ddof=1)) if len(means) > 1 else None
    return AnswerNoise(sqrt(float(np.mean(asked_as))), sqrt(float(np.mean(asked_once))), spread)


def _share(noise: float, spread: float | None) -> float | None:
    if spread is None or spread == 0:
        return None
    return min(1.0, noise**2 / spread**2)
