"""`Columns`: the current records of one metric as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.status import Status


@dataclass(frozen=True)
class Columns:
    """The current records of one metric, sorted by case and take."""

    cases: list[str]
    takes: list[int]
    clusters: list[str]
    statuses: list[Status]
    values: NDArray[np.float64]
    """NaN where there is no value."""
    raws: NDArray[np.float64]
    weights: NDArray[np.float64]
    """NaN where a record has none of its own."""
    codes: list[str]
    """Reason codes; empty for any status but unscored and invalid."""
    constants: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Of what rests on answers: name of a constant answer to its score, NaN where a record has none."""
    repeats: NDArray[np.float64] | None = None
    """Likewise (records, times asked): the score of each time, NaN where there is none; None: asked once."""
    tags: list[Mapping[str, str]] = field(default_factory=list)
    """The tags of each record's case; empty where nobody read them."""
    places: NDArray[np.int64] | None = None
    """(records, 2): which of the record files, sorted by name, a line stands in, and at which byte."""

    def count(self) -> Counter[Status]:
        return Counter(self.statuses)
