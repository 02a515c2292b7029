"""The judge's verdicts against the measured twins of its rules: Cohen's kappa over the clips that both speak of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.stats.agreement import cohen_kappa
from worldgauge.stats.bootstrap import percentile_interval

TWINS = {
    "gravity": "house_measured_gravity",
    "impact": "house_measured_impact",
    "compression": "house_measured_compression",
}
"""Rule to the column that measures it; the other rules have none."""
REVERSAL, ANY = "house_measured_reversal", "any rule"
"""A process that runs backwards breaks whichever rule it is an example of."""
REPLICATES = 1000


@dataclass(frozen=True)
class Pair:
    """One clip of which both speak: whether the rule holds."""

    cluster: str
    judged: bool
    measured: bool


@dataclass(frozen=True)
class Agreement:
    """One rule over the clips of a run."""

    rule: str
    twin: str
    """Column that measures it; empty where there is none."""
    judged: int = 0
    """Clips with a verdict of the judge,"""
    measured: int = 0
    """with a measured one,"""
    both: int = 0
    """and with both."""
    agree: int = 0
    kappa: float | None = None
    """None where there is no clip, or where both always said the same one thing."""
    low: float | None = None
    high: float | None = None
    remark: str = ""


def agreements(run: Run) -> list[Agreement]:
    """Every rule, in its order, and at last the process that runs backwards against any rule."""
    names = [rule.id for rule in rules()]
    columns: dict[str, dict[tuple[str, int], bool]] = {}
    clusters: dict[tuple[str, int], str] = {}
    for record in run.records():
        metric, value = str(record["metric"]), record.get("value")
        clip = str(record["case"]), int(record.get("take", 0))
        clusters[clip] = str(record["cluster"])
        if (
            record["status"] == "ok"
            and value is not None
            and (metric in names or metric in (*TWINS.values(), REVERSAL))
        ):
            columns.setdefault(metric, {})[clip] = float(value) >= 0.5
    if not columns:
        raise WorldGaugeError(
            "the run has neither verdicts about rules nor measured ones", "run with a judge, and on cases with a target"
        )
    columns[ANY] = {
        clip: all(columns[name].get(clip, True) for name in names if name in columns)
        for name in names
        for clip in columns.get(name, {})
    }
    twins = [(name, TWINS.get(name, "")) for name in names] + [(ANY, REVERSAL)]
    return [_agreement(rule, twin, columns, clusters) for rule, twin in twins]


def _agreement(
    rule: str, twin: str, columns: dict[str, dict[tuple[str, int], bool]], clusters: dict[tuple[str, int], str]
) -> Agreement:
    judged, measured = columns.get(rule, {}), columns.get(twin, {}) if twin else {}
    if not twin:
        return Agreement(rule, "", len(judged), remark="nothing measures this rule")
    pairs = [Pair(clusters[clip], judged[clip], measured[clip]) for clip in sorted(judged.keys() & measured.keys())]
    found = kappa_of(pairs)
    remark = "" if pairs else "no clip has both verdicts"
    if pairs and found is None:
        remark = "both always said the same one thing, so chance alone explains it"
    low, high = interval_of(pairs) or (None, None)
    agree = sum(pair.judged == pair.measured for pair in pairs)
    return Agreement(rule, twin, len(judged), len(measured), len(pairs), agree, found, low, high, remark)


def kappa_of(pairs: Sequence[Pair]) -> float | None:
    """Cohen's kappa; None where it is not defined.

    >>> said = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    >>> round(kappa_of([Pair(str(k), *one) for k, one in enumerate(said)]), 12)
    0.4
    """
    if not pairs:
        return None
    table = np.zeros((2, 2))
    for pair in pairs:
        table[int(pair.judged), int(pair.measured)] += 1
    return cohen_kappa(table)


def interval_of(pairs: Sequence[Pair], seed: int = 0) -> tuple[float, float] | None:
    """95 % interval of kappa: whole clusters are drawn again; None where too few draws define it."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.cluster, []).append(pair)
    if len(groups) < 2:
        return None
    members, random = list(groups.values()), np.random.default_rng(seed)
    draws = random.integers(0, len(members), (REPLICATES, len(members)))
    kappas = [kappa_of([pair for index in draw for pair in members[index]]) for draw in draws.tolist()]
    known = np.array([np.nan if kappa is None else kappa for kappa in kappas])
    return percentile_interval(known, clusters=len(groups)) if np.isfinite(known).mean() >= 0.5 else None
