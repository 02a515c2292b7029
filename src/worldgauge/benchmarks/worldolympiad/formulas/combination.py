"""How the parts of a track, and the tracks, become one number."""

from __future__ import annotations

import math
from collections.abc import Iterable

from worldgauge.benchmarks.worldolympiad.formulas.protocols import Protocol

AUX_FROM, AUX_TO = 0.20, 0.40
"""Raw CLIP similarity that counts as nothing, and as all (Eq. 8)."""
LAMBDA = 0.1
"""Weight of CLIP in the interaction score (Eq. 11)."""


def geometry_score(final: float, protocol: Protocol = "released") -> float:
    """The sum of the three geometry scores on [0, 1].

    As released a NaN becomes 1: the clip is made by two comparisons that a NaN passes. Elsewhere it stays a NaN, which
    is no score.

    Source: released code at commit bb2e240.

    >>> geometry_score(1.5), geometry_score(math.nan), geometry_score(math.nan, "paper")
    (0.5, 1.0, nan)
    """
    if math.isnan(final):
        return 1.0 if protocol == "released" else math.nan
    return min(1.0, max(0.0, final / 3))


def combined_score(parts: Iterable[float | None]) -> float | None:
    """Mean of the tracks that have a score; None where none has.

    >>> combined_score([0.5, None, 1.0])
    0.75
    """
    known = [part for part in parts if part is not None]
    return sum(known) / len(known) if known else None


def clip_aux(raw: float, low: float = AUX_FROM, high: float = AUX_TO) -> float:
    """Raw CLIP similarity on [0, 1] (Eq. 8).

    >>> round(clip_aux(0.25), 6), clip_aux(0.1)
    (0.25, 0.0)
    """
    return min(1.0, max(0.0, (raw - low) / (high - low)))


def interaction_score(judged: float, aux: float, weight: float = LAMBDA) -> float:
    """The judge's score with CLIP beside it (Eq. 11).

    >>> round(interaction_score(0.5, 1.0), 6)
    0.55
    """
    return (1 - weight) * judged + weight * aux
