"""A part of a benchmark for those who measure daily: drawn so that no case has a better chance than another."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError


def draw_sample(cases: Sequence[Case], share: float, seed: int = 0) -> tuple[Case, ...]:
    """About `share` of the cases, every kind in proportion, in their own order; the same ones for the same seed.

    Cases are laid in a row by their tags and scenes, and every 1/share-th is taken from a random start. Each case is
    taken with probability `share`, so means over the sample are unbiased without weights; neighbours in the row are
    alike, so kinds are represented as in the whole.
    """
    if not 0 < share <= 1:
        raise WorldGaugeError(f"a sample is a share between 0 and 1, got {share:g}", "write for example --sample 0.1")
    row = sorted(range(len(cases)), key=lambda i: (sorted(cases[i].tags.items()), cases[i].cluster_id, cases[i].id))
    start = float(np.random.default_rng(seed).random())
    taken = {
        position
        for place, position in enumerate(row)
        if math.floor((place + 1) * share + start) > math.floor(place * share + start)
    }
    if not taken:
        raise WorldGaugeError(f"{share:g} of {len(cases)} cases is none", "take a larger share")
    return tuple(case for i, case in enumerate(cases) if i in taken)
