"""What two models differ by in a column, which of them is better, and whether that hangs on what nobody measured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.run_file import DefinitionFile
from worldgauge.stats.bootstrap import Floats, Interval
from worldgauge.stats.multiplicity import holm
from worldgauge.stats.paired import sign_flip_tests

if TYPE_CHECKING:
    from worldgauge.report.joint import Joint

PERMUTATIONS = 1999
LEVEL = 0.05
"""Of the tests, after Holm's adjustment."""

Verdict = Literal["first", "second", "undecided", "no direction", ""]
"""The better model; nothing where there is no test, as for groups."""


@dataclass(frozen=True)
class Difference:
    """First minus second model in one column of the table."""

    value: float | None
    interval: Interval | None
    p_value: float | None
    """Sign-flip test over scenes for a metric; from the bootstrap's standard error for a group."""
    adjusted: float | None
    """Holm-adjusted over the metrics of this pair; None for groups, which repeat the metrics' evidence."""
    cases: int
    """Cases both models have a number for; 0 for groups."""
    wins: int
    """Cases in which the first model is better; none where neither way is."""
    losses: int
    """Cases in which the second model is better."""
    detectable: float | None
    """The true difference that this many scenes with this much spread would show with 80 % power at 5 %."""
    higher_is_better: bool | None
    """Which way is better in this column: where it is false, a negative difference speaks for the first model."""
    verdict: Verdict = ""
    """Which model a metric shows to be better, at an adjusted 5 %."""
    bounds: tuple[float | None, float | None] | None = None
    """The lowest and the highest that the difference could be, whatever the clips are worth that have no number for a
    reason that a model can cause; None: there are none. An end without a number is not bounded."""
    depends: bool = False
    """Whether the verdict, or for a group which model is ahead, is another somewhere between these bounds."""


def verdict_of(found: Difference) -> Verdict:
    """The better model, where the test says that one is."""
    if found.value is None or found.adjusted is None:
        return ""
    if found.higher_is_better is None:
        return "no direction"
    if found.adjusted >= LEVEL:
        return "undecided"
    return "first" if (found.value > 0) == found.higher_is_better else "second"


def with_bounds(joint: Joint, first: int, second: int, found: Mapping[str, Difference]) -> dict[str, Difference]:
    """The differences with what each could be, and whether its verdict depends on that.

    At one end all clips without a number are as bad for the first model as they can be, and as good for the second; at
    the other the reverse. The same tests are made there.
    """
    result = dict(found)
    rows = np.flatnonzero(joint.unknown[[first, second]].any(axis=0))
    if not rows.size:
        return result
    low, high = joint.bounds
    lowest, highest = (values for values, _ in joint.at_ends)
    below = _at_end(joint, lowest[first] - highest[second], low[first] - high[second], rows, found)
    above = _at_end(joint, highest[first] - lowest[second], high[first] - low[second], rows, found)
    for name, point in found.items():
        # Holm's adjustment ties the metrics together, so that also one of which all is known may depend on others.
        depends = _depends(point, below[name], above[name])
        unknown = set(joint.tree.metrics_of(name)).intersection(rows.tolist())
        # What was found on shared cases belongs to it, though over all cases it might not be reached.
        known = [d.value for d in (below[name], point, above[name]) if unknown and d.value is not None]
        bounds = (_finite(min(known)), _finite(max(known))) if known else None
        result[name] = replace(point, bounds=bounds, depends=depends)
    return result


def _at_end(
    joint: Joint, paired: Floats, of_scores: Floats, rows: NDArray[np.int64], found: Mapping[str, Difference]
) -> dict[str, Difference]:
    """Every difference with `paired` numbers of cases, (M, N), and differences of scores: value and verdict alone."""
    metrics = [found[definition.id] for definition in joint.definitions]
    # Without bounds on a clip there is nothing to test.
    testable = rows[np.isfinite(paired[rows]).any(axis=1) & ~np.isinf(paired[rows]).any(axis=1)]
    p_values = [None if m in rows else d.p_value for m, d in enumerate(metrics)]
    if testable.size:
        tested = sign_flip_tests(paired[testable], joint.clusters, PERMUTATIONS)
        p_values = [tested[testable == m].item() if m in testable else p for m, p in enumerate(p_values)]
    adjusted = holm([None if p is None else _finite(p) for p in p_values])
    result = {}
    for i, (name, point) in enumerate(found.items()):
        value = float(of_scores[i])
        if i < len(metrics) and is_of_cases(joint.definitions[i]):
            shared = paired[i][~np.isnan(paired[i])]
            value = float(shared.mean()) if shared.size else math.nan
        moved = replace(point, value=None if math.isnan(value) else value)
        if i < len(metrics):
            moved = replace(moved, adjusted=adjusted[i])
            moved = replace(moved, verdict=verdict_of(moved))
        result[name] = moved
    return result


def is_of_cases(definition: DefinitionFile) -> bool:
    """Whether a difference of scores is the mean of the cases' differences; else it exists only per model."""
    by_model = definition.scale is not None and definition.scale.level == "model"
    return definition.reduce == "mean" and not by_model


def _depends(point: Difference, *ends: Difference) -> bool:
    if point.value is None or point.higher_is_better is None:
        return False
    if point.verdict:
        return any(end.verdict != point.verdict for end in ends)
    values = [end.value for end in ends if end.value is not None]
    return min(values, default=0.0) < 0 < max(values, default=0.0)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
