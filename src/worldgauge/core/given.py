"""A column under a condition: of its cases only those count that have a one in another column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from worldgauge.core.reasons import UNAVAILABLE
from worldgauge.core.status import Policy, Status

if TYPE_CHECKING:
    from worldgauge.core.run_folder import Columns

NOT_KNOWN = "condition-not-known"
"""Reason code of a case that has a number, while nobody knows whether it counts."""
HALF = 0.5
"""Above it a condition holds."""


def given(column: Columns, condition: Columns | None, policy: Policy | None = None) -> Columns:
    """The column with its cases as the condition has them.

    A case without the condition does not apply (`skipped`); so does one without a clip that the `policy` of the
    condition counts as not holding it. Where nobody knows the condition, nobody knows the number
    (`unscored`), so bounds hold it at both ends. A condition that was not measured at all leaves no number.
    """
    if condition is None:
        known: dict[tuple[str, int], tuple[Status, str, float]] = {}
    else:
        keys = zip(condition.cases, condition.takes, strict=True)
        known = dict(
            zip(keys, zip(condition.statuses, condition.codes, condition.raws.tolist(), strict=True), strict=True)
        )
    statuses, codes, values = list(column.statuses), list(column.codes), column.values.copy()
    for i, key in enumerate(zip(column.cases, column.takes, strict=True)):
        status, code, number = known.get(key, (Status.UNSCORED, UNAVAILABLE, np.nan))
        counts = policy.rule(status, code) if policy is not None and status is not Status.OK else "exclude"
        absent = counts == "worst" or (isinstance(counts, float) and counts <= HALF)
        fails = number <= HALF if status is Status.OK else absent
        if status is Status.SKIPPED or fails:
            statuses[i], codes[i], values[i] = Status.SKIPPED, "", np.nan
        elif status is not Status.OK and statuses[i] is Status.OK:
            statuses[i], values[i] = Status.UNSCORED, np.nan
            # What a machine lacks, or ours did wrong, is no model's doing.
            codes[i] = UNAVAILABLE if code == UNAVAILABLE or status is Status.ERROR else NOT_KNOWN
    return replace(column, statuses=statuses, codes=codes, values=values)
