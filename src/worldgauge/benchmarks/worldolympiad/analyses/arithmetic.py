"""How the published tables were made, recomputed: which definition fits which column, and what does not add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from worldgauge.benchmarks.worldolympiad.analyses.printed_twice import Printed, printed_twice
from worldgauge.benchmarks.worldolympiad.analyses.published_scores import (
    DOMAINS,
    coverage,
    pooled_interaction,
    repository_model_score,
    table,
)
from worldgauge.benchmarks.worldolympiad.formulas.combination import clip_aux, interaction_score
from worldgauge.stats.correlation import kendall, spearman

ROUNDING = 0.0005
"""Half a unit of the last printed digit."""


@dataclass(frozen=True)
class Check:
    """One relation between published numbers."""

    relation: str
    holds: int
    of: int
    worst: float
    """Largest difference."""
    allowed: float
    note: str = ""


def checks() -> list[Check]:
    """Every relation, in the order of the tables."""
    return [
        _check("Table 3: All is the mean of the three", _rows3(lambda row: _mean3(row) - row["All"]), 2 * ROUNDING),
        _check("Table 6: All is the mean of the three", _rows6(lambda row: _mean3(row) - row["All"]), 2 * ROUNDING),
        _check(
            "Table 6: CLIP Aux. from the raw mean of three decimals",
            _rows6(lambda row: clip_aux(row["ClipRaw"]) - row["ClipAux"]),
            1e-9,
        ),
        _check("Tables 9 and 12: CLIP Aux. from the raw mean of three decimals", _aux(), 1e-9),
        _check("Table 9: Interact is 0.9 pooled + 0.1 CLIP", _interact9(pooled=True), 0.0011),
        _check("Table 9: Interact by Eq. 9 to 11", _interact9(pooled=False), 0.0011),
        _check("Table 12: Interact is 0.9 pooled + 0.1 CLIP", _interact12(pooled=True), 0.0011),
        _check("Table 12: Interact by Eq. 9 to 11", _interact12(pooled=False), 0.0011),
        _check("Table 10: 3D is the mean of its three parts", _geometry10(), 2 * ROUNDING),
        _check("Table 11: 3D is the mean of its three parts", _geometry11(), 2 * ROUNDING),
        _check("Table 11 from 10: 3D weighted by judged cases", _by_cases("10", "Geometry", "11"), 2 * ROUNDING),
        _check("Table 12 from 9: CLIP raw weighted by judged cases", _by_cases("9", "ClipRaw", "12"), 2 * ROUNDING),
        _check("Table 12 from 9: pooled interaction weighted by judged cases", _pooled_by_cases(), 2 * ROUNDING),
        _check("Table 3: 3D and Interact are those of Tables 11 and 12", _same_in_3(), 1e-9),
        _check("Table 3: Physical weighted by judged cases", _by_cases("6", "Physical", "3"), 2 * ROUNDING),
        _check("Tables 3, 6 to 8 and 10 to 12: as the repository prints them", _twice(without="9-"), 1e-9),
        _check("Table 9: as the repository prints it", _twice(only="9-"), 1e-9),
        _check("Table 7: the overall rate is the mean of the three dimensions", _subset_means(), 2 * ROUNDING),
    ]


def win_rate_sum() -> float:
    """Sum of the human win rates; of eight models it must be 4."""
    human = table("4")
    return sum(human.score(model, "human") for model in human.rows)


def rank_agreement() -> tuple[float, float]:
    """Spearman's and Kendall's coefficient of the two rankings of Table 4."""
    ranks = table("4")
    human = [ranks.score(model, "human_rank") for model in ranks.rows]
    auto = [ranks.score(model, "auto_rank") for model in ranks.rows]
    found = spearman(human, auto).coefficient, kendall(human, auto).coefficient
    assert found[0] is not None and found[1] is not None
    return found[0], found[1]


def possible_counts(rate: float, most: int = 200, least: int = 1) -> list[int]:
    """Numbers of judgements of which a printed rate can be a share, up to `most`.

    >>> possible_counts(0.519, 31, 20)
    [27]
    """
    return [n for n in range(least, most + 1) if abs(round(rate * n) / n - rate) <= ROUNDING + 1e-9]


def general_counts(dimension: str) -> dict[str, list[int]]:
    """Numbers of judgements in the general domain that each model's printed rate allows, from 20 to 40."""
    rates = table("7-general")
    return {model: possible_counts(rates.score(model, dimension), 40, 20) for model in rates.rows}


def model_counts() -> dict[str, int]:
    """Judged cases of each model over all domains."""
    return {model: sum(coverage(domain, model).judged for domain in DOMAINS) for model in table("3").rows}


def _check(relation: str, differences: Iterable[float], allowed: float) -> Check:
    found = np.abs(list(differences))
    return Check(
        relation, int((found <= allowed + 1e-9).sum()), len(found), round(float(found.max()), 4), round(allowed, 4)
    )


Row = dict[str, float]


def _rows3(difference: Callable[[Row], float]) -> list[float]:
    return [difference(table("3").named(model)) for model in table("3").rows]


def _rows6(difference: Callable[[Row], float]) -> list[float]:
    return [difference(one.named(model)) for domain in DOMAINS for one in [table(f"6-{domain}")] for model in one.rows]


def _mean3(row: Row) -> float:
    return (row["Physical"] + row["Geometry"] + row["Interact"]) / 3


def _interact9(pooled: bool) -> list[float]:
    found = []
    for domain in DOMAINS:
        for model in table(f"9-{domain}").rows:
            row = table(f"9-{domain}").named(model)
            judged = pooled_interaction(domain, model) if pooled else _thirds(row)
            found.append(interaction_score(judged, row["ClipAux"]) - row["Interact"])
    return found


def _interact12(pooled: bool) -> list[float]:
    found = []
    for model in table("12").rows:
        row = table("12").named(model)
        judged = _model_pooled(model) if pooled else _thirds(row)
        found.append(interaction_score(judged, row["ClipAux"]) - row["Interact"])
    return found


def _thirds(row: Row) -> float:
    return (row["Chunk"] + row["Transition"] + row["Global"]) / 3


def _model_pooled(model: str) -> float:
    found = repository_model_score("Summary By Model Category", model, "General Interact.")
    assert found is not None
    return found


def _geometry10() -> list[float]:
    tables = [table(f"10-{domain}") for domain in DOMAINS]
    return [_parts(one.named(model)) for one in tables for model in one.rows]


def _geometry11() -> list[float]:
    return [_parts(table("11").named(model)) for model in table("11").rows]


def _parts(row: Row) -> float:
    return (row["GS"] + row["Meta"] + row["Camera"]) / 3 - row["Geometry"]


def _by_cases(source: str, column: str, target: str) -> list[float]:
    found = []
    for model in table(target).rows:
        counts = [coverage(domain, model).judged for domain in DOMAINS]
        scores = [table(f"{source}-{domain}").score(model, column) for domain in DOMAINS]
        mean = sum(n * score for n, score in zip(counts, scores, strict=True)) / sum(counts)
        found.append(mean - table(target).score(model, column))
    return found


def _aux() -> list[float]:
    tables = [*(table(f"9-{domain}") for domain in DOMAINS), table("12")]
    return [clip_aux(one.score(m, "ClipRaw")) - one.score(m, "ClipAux") for one in tables for m in one.rows]


def _pooled_by_cases() -> list[float]:
    found = []
    for model in table("12").rows:
        counts = [coverage(domain, model).judged for domain in DOMAINS]
        pooled = [pooled_interaction(domain, model) for domain in DOMAINS]
        mean = sum(n * value for n, value in zip(counts, pooled, strict=True)) / sum(counts)
        found.append(mean - _model_pooled(model))
    return found


def _same_in_3() -> list[float]:
    pairs = (("Geometry", "11"), ("Interact", "12"))
    return [
        table("3").score(model, column) - table(number).score(model, column)
        for column, number in pairs
        for model in table("3").rows
    ]


def _twice(only: str = "", without: str = "?") -> list[float]:
    """Differences of numbers that both print; a dash against a number is as wrong as can be."""
    found = [one for one in printed_twice() if one.table.startswith(only) and not one.table.startswith(without)]
    return [1.0 if None in (one.paper, one.repository) and one.differs else _apart(one) for one in found]


def _apart(one: Printed) -> float:
    return 0.0 if one.paper is None or one.repository is None else one.paper - one.repository


def _subset_means() -> list[float]:
    found = []
    for domain in DOMAINS:
        for model in table(f"7-{domain}").rows:
            row = table(f"7-{domain}").named(model)
            found.append((row["Mechanics"] + row["Thermotics"] + row["Material"]) / 3 - row["Physical"])
    return found
