"""What the paper says about its tables, held against the tables, with numbers of cases and the widest intervals.

The tables have no values per case. A mean p of numbers between 0 and 1 over n cases has a variance of p (1 - p) / n at
most, so the interval is at most that of a share: it is wide, and it holds whatever the cases were.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldgauge.benchmarks.worldolympiad.analyses.arithmetic import model_counts, rank_agreement
from worldgauge.benchmarks.worldolympiad.analyses.published_scores import DOMAINS, coverage, table
from worldgauge.benchmarks.worldolympiad.data.pipelines import FAMILIES, TITLES

Z = 1.96
Interval = tuple[float, float]


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper, and what its own numbers say."""

    says: str
    holds: bool
    value: float
    n: int
    """Cases, or rows where it is about rows of tables."""
    interval: Interval | None
    """95 %, at the widest."""
    certain: bool
    """Whether it still holds at the worse end of the interval."""
    note: str = ""


def claims() -> list[Claim]:
    """Those that can be checked with the tables."""
    return list(_all())


def widest(p: float, n: int) -> Interval:
    """
    >>> [round(end, 3) for end in widest(0.5, 100)]
    [0.402, 0.598]
    """
    half = Z * math.sqrt(p * (1 - p) / n)
    return max(0.0, p - half), min(1.0, p + half)


def widest_difference(p: float, n: int, q: float, m: int) -> Interval:
    """Of p - q, from different cases."""
    half = Z * math.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    return p - q - half, p - q + half


def rank_interval(rho: float, n: int) -> Interval:
    """Of Spearman's coefficient of n pairs (Bonett and Wright's standard error on Fisher's scale).

    >>> [round(end, 2) for end in rank_interval(0.952, 8)]
    [0.66, 0.99]
    """
    spread = Z * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return math.tanh(math.atanh(rho) - spread), math.tanh(math.atanh(rho) + spread)


def family_rows() -> list[dict[str, float | int | str]]:
    """The rows of Table 3 by family, with judged cases and their share of 1,000."""
    counts = model_counts()
    found: list[dict[str, float | int | str]] = []
    for family, prefixes in FAMILIES.items():
        for prefix in prefixes:
            model = TITLES[prefix].removesuffix(" (2B)")
            row = table("3").named(model)
            judged = {f"{domain}": coverage(domain, model).judged for domain in DOMAINS}
            found.append({"family": family, "model": model, **row, "judged": counts[model], **judged})
    return found


def _all() -> Iterator[Claim]:
    totals, counts = _column("3", "All"), model_counts()
    first, second = sorted(totals, key=lambda name: -totals[name])[:2]
    lead = widest_difference(totals[first], counts[first], totals[second], counts[second])
    yield Claim(
        "LingBot-World has the highest overall score",
        first == "LingBot-World",
        totals[first] - totals[second],
        counts[first],
        lead,
        lead[0] > 0,
        f"its lead over {second}, which was judged on {counts[second]} cases",
    )
    yield Claim(
        "two specialised models rank at the top",
        {first, second} == {"LingBot-World", "Cosmos-Predict-2.5"},
        totals[second] - sorted(totals.values())[-3],
        counts[second],
        (third := _lead_of_second(totals, counts)),
        third[0] > 0,
        "the lead of the second over the third",
    )
    physical = _column("3", "Physical")
    named = ("LingBot-World", "Cosmos-Predict-2.5", "Rolling Forcing", "LongLive", "Yume-1.5")
    weakest = min(named, key=lambda name: physical[name])
    low = widest(physical[weakest], counts[weakest])
    yield Claim(
        "five models have high physical scores, 0.863 and more",
        physical[weakest] >= 0.863,
        physical[weakest],
        counts[weakest],
        low,
        low[0] >= 0.863,
        f"the lowest of them, {weakest}; pooled over judgements, whose number is not printed",
    )
    geometry = _column("3", "Geometry")
    best, next_best = sorted(geometry, key=lambda name: -geometry[name])[:2]
    ahead = widest_difference(geometry[best], counts[best], geometry[next_best], counts[next_best])
    yield Claim(
        "Hunyuan-WorldPlay has the strongest 3D consistency",
        best == "Hunyuan-WorldPlay",
        geometry[best] - geometry[next_best],
        counts[best],
        ahead,
        ahead[0] > 0,
        f"its lead over {next_best}",
    )
    middling = [name for name, value in geometry.items() if 0.25 <= value <= 0.40]
    yield Claim(
        "most models are between 0.25 and 0.40 in 3D consistency",
        len(middling) > len(geometry) / 2,
        len(middling) / len(geometry),
        len(geometry),
        None,
        len(middling) > len(geometry) / 2,
        "a share of the models",
    )
    yield from _wow()
    for dimension in ("Thermotics", "Material"):
        below = _weaker_than_mechanics(dimension)
        yield Claim(
            f"{dimension.lower()} is more fragile than mechanics",
            sum(below) > len(below) / 2,
            sum(below) / len(below),
            len(below),
            widest(sum(below) / len(below), len(below)),
            widest(sum(below) / len(below), len(below))[0] > 0.5,
            "share of the rows of Table 7 in which it is lower",
        )
    rho, _ = rank_agreement()
    between = rank_interval(rho, len(totals))
    yield Claim("people and scores rank alike (Spearman 0.95)", rho > 0.9, rho, len(totals), between, between[0] > 0.9)
    least = min(counts, key=lambda name: counts[name])
    yield Claim(
        "the tables are of a same-scene subset",
        len(set(counts.values())) == 1,
        counts[least] / max(counts.values()),
        counts[least],
        None,
        False,
        f"judged cases of {least} over those of the fullest row",
    )


def _wow() -> Iterator[Claim]:
    values = {domain: table(f"6-{domain}").score("WoW", "All") for domain in DOMAINS}
    cases = {domain: coverage(domain, "WoW").judged for domain in DOMAINS}
    for other in ("gaming", "general"):
        lead = widest_difference(values["robotics"], cases["robotics"], values[other], cases[other])
        yield Claim(
            f"WoW is better on embodied than on {other} videos",
            values["robotics"] > values[other],
            values["robotics"] - values[other],
            cases["robotics"],
            lead,
            lead[0] > 0,
            f"{cases[other]} {other} cases",
        )


def _lead_of_second(totals: dict[str, float], counts: dict[str, int]) -> Interval:
    second, third = sorted(totals, key=lambda name: -totals[name])[1:3]
    return widest_difference(totals[second], counts[second], totals[third], counts[third])


def _weaker_than_mechanics(dimension: str) -> Sequence[bool]:
    rows = [table(f"7-{domain}").named(model) for domain in DOMAINS for model in table(f"7-{domain}").rows]
    return [row[dimension] < row["Mechanics"] for row in rows if math.isfinite(row[dimension])]


def _column(number: str, name: str) -> dict[str, float]:
    return {model: table(number).score(model, name) for model in table(number).rows}
