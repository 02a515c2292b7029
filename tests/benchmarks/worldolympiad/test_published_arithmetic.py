"""How the published tables were made: every relation between their numbers, recomputed."""

from __future__ import annotations

import csv
import math

import pytest

from worldgauge.benchmarks.worldolympiad.analyses import arithmetic
from worldgauge.benchmarks.worldolympiad.analyses.printed_twice import Printed, printed_twice, rankings
from worldgauge.benchmarks.worldolympiad.analyses.published_scores import (
    DOMAINS,
    FILE,
    coverage,
    table,
)
from worldgauge.benchmarks.worldolympiad.formulas.physical import subset_mean
from worldgauge.core.published import published_tables

HOLDS = {
    "Table 3: All is the mean of the three": (8, 8),
    "Table 6: All is the mean of the three": (24, 24),
    "Table 6: CLIP Aux. from the raw mean of three decimals": (24, 24),
    "Tables 9 and 12: CLIP Aux. from the raw mean of three decimals": (32, 32),
    "Table 9: Interact is 0.9 pooled + 0.1 CLIP": (24, 24),
    "Table 9: Interact by Eq. 9 to 11": (1, 24),
    "Table 12: Interact is 0.9 pooled + 0.1 CLIP": (8, 8),
    "Table 12: Interact by Eq. 9 to 11": (0, 8),
    "Table 10: 3D is the mean of its three parts": (24, 24),
    "Table 11: 3D is the mean of its three parts": (8, 8),
    "Table 11 from 10: 3D weighted by judged cases": (8, 8),
    "Table 12 from 9: CLIP raw weighted by judged cases": (8, 8),
    "Table 12 from 9: pooled interaction weighted by judged cases": (8, 8),
    "Table 3: 3D and Interact are those of Tables 11 and 12": (16, 16),
    "Table 3: Physical weighted by judged cases": (0, 8),
    "Tables 3, 6 to 8 and 10 to 12: as the repository prints them": (696, 696),
    "Table 9: as the repository prints it": (142, 144),
    "Table 7: the overall rate is the mean of the three dimensions": (0, 24),
}


def test_every_relation_holds_as_often_as_it_does() -> None:
    assert {check.relation: (check.holds, check.of) for check in arithmetic.checks()} == HOLDS


def test_ranks_and_win_rates_of_table_4() -> None:
    spearman, kendall = arithmetic.rank_agreement()
    assert (round(spearman, 3), round(kendall, 3)) == (0.952, 0.857)
    assert arithmetic.win_rate_sum() == pytest.approx(3.974, abs=1e-9), "it must be 4"


def test_models_were_not_asked_the_same_questions() -> None:
    counts = arithmetic.general_counts("Thermotics")
    assert counts["LingBot-World"] == counts["Yume-1.5"] == [27]
    assert counts["Cosmos-Predict-2.5"] == counts["Rolling Forcing"] == counts["Matrix-Game 2.0"] == [31]
    assert 30 in counts["WoW"] and 31 not in counts["WoW"]
    material = arithmetic.general_counts("Material")
    assert 28 in material["Matrix-Game 2.0"] and 32 not in material["Matrix-Game 2.0"]
    assert 32 in material["Yume-1.5"] and 28 not in material["Yume-1.5"]


def test_the_text_of_the_paper_would_give_lower_rates() -> None:
    row = table("7-robotics").named("LingBot-World")
    assert subset_mean([row["Mechanics"], row["Thermotics"], row["Material"]]) == pytest.approx(0.639, abs=1e-3)
    assert row["Physical"] == 0.949


def test_pooled_rates_of_the_general_domain_from_common_denominators() -> None:
    judged = {"gravity": 180, "buoyancy": 31, "compression": 18, "impact": 82, "melting": 8, "vaporization": 15}
    judged |= {"condensation": 1, "deposition": 2, "freezing": 5, "hardness": 31, "combustibility": 1}
    assert sum(judged.values()) == 374
    for model in ("Cosmos-Predict-2.5", "Rolling Forcing", "LongLive"):
        row = table("8-general").named(model)
        correct = sum(round(row[rule] * n) for rule, n in judged.items())
        assert correct / 374 == pytest.approx(table("7-general").score(model, "Physical"), abs=0.0006), model


def test_coverage_differs_between_models() -> None:
    assert (coverage("gaming", "LingBot-World").judged, coverage("gaming", "LingBot-World").available) == (81, 313)
    assert arithmetic.model_counts()["LingBot-World"] == 657
    assert max(arithmetic.model_counts().values()) == 999


def test_where_paper_and_repository_do_not_print_the_same() -> None:
    differing = [one for one in printed_twice() if one.differs]
    assert differing == [
        Printed("9-general", "Yume-1.5", "Transition", 0.814, 0.815),
        Printed("9-general", "Yume-1.5", "LongRange", 0.744, 0.748),
    ]


def test_models_rank_alike_however_the_total_is_made() -> None:
    found = rankings()
    assert len(found) == 4 and len({tuple(order) for order in found.values()}) == 1
    assert found["Table 3"][:2] == ["LingBot-World", "Cosmos-Predict-2.5"]


def test_physical_of_a_model_is_pooled_over_judgements_not_over_cases() -> None:
    cases = [coverage(domain, "Hunyuan-WorldPlay").judged for domain in DOMAINS]
    rates = [table(f"6-{domain}").score("Hunyuan-WorldPlay", "Physical") for domain in DOMAINS]
    by_cases = sum(n * rate for n, rate in zip(cases, rates, strict=True)) / sum(cases)
    assert (round(by_cases, 3), table("3").score("Hunyuan-WorldPlay", "Physical")) == (0.674, 0.692)


def test_tables_are_whole() -> None:
    ids = [one.id for one in published_tables("worldolympiad")]
    assert len(ids) == 4 + 5 * 3
    assert all(len(one.rows) == 8 for one in published_tables("worldolympiad"))
    assert math.isnan(table("8-gaming").score("WoW", "solubility")), "a dash is no zero"
    with FILE.open(encoding="utf-8") as stream:
        assert len(list(csv.DictReader(stream))) == 1215
