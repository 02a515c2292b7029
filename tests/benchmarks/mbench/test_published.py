"""The published tables, and what the shipped tree makes of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import spearmanr

from worldgauge.benchmarks.mbench.analyses.table_consistency import attainable, consistency
from worldgauge.benchmarks.mbench.analyses.totals import totals
from worldgauge.core.published import published_tables
from worldgauge.core.reducers import harmonic_zero

BOARD = {
    "MemFlow": 51.19, "Self Forcing": 50.06, "SkyReels V2": 52.58, "LongLive": 52.69, "LongCat-Video": 48.48,
    "Cosmos-Predict 2.5": 45.33, "Causal Forcing": 47.68, "Helios": 47.98, "Matrix-Game 2.0": 24.05,
    "Matrix-Game 3.0": 55.75, "HY-WorldPlay": 69.26, "Yume-1.5": 60.73, "LingBot-World": 50.84, "Infinite-World": 62.19,
}  # fmt: skip


def test_all_board_totals_follow_from_table_2():
    rows = consistency().rows
    assert {row.model: pytest.approx(row.total, abs=0.0051) for row in rows} == BOARD
    assert all(row.holds for row in rows)


def test_groups_of_two_models():
    table = next(t for t in published_tables("mbench") if t.id == "paper-table-2-action")
    groups = ("entity", "environment", "causal")
    for model, printed in (("HY-WorldPlay", (58.68, 83.23, 65.86)), ("Infinite-World", (41.88, 73.76, 70.92))):
        found = totals(table.named(model), "a")
        assert [found[f"a_{name}"] for name in groups] == pytest.approx(printed, abs=0.0051)
    assert np.mean(list(table.named("HY-WorldPlay").values())) == pytest.approx(69.57, abs=0.005)


def test_m_score():
    """A mean cosine of 0.28 that is always triggered, and zeros."""
    ones = np.ones(2)
    assert 100 * harmonic_zero(np.array([0.28, 1.0]), ones) == pytest.approx(43.75)
    assert harmonic_zero(np.array([0.0, 0.0]), ones) == 0.0
    assert harmonic_zero(np.array([0.0, 1.0]), ones) == 0.0
    assert harmonic_zero(np.array([np.nan, 0.0]), ones) == 0.0
    assert np.isnan(harmonic_zero(np.array([np.nan, 0.5]), ones))


def test_what_contradicts_the_formulas():
    told = consistency().remarks
    assert told[0].startswith("correctness is above state in 11 of 14 rows")
    assert told[1].startswith("correctness of 6 of 6 action models is a multiple of 0.2")
    assert told[2].startswith("state of 5 of 6 action models is a multiple of 0.25")
    assert told[3].startswith("0 of 12 of these can be 2 S / (1 + S)")
    assert "could exceed 29.9, with 493 none 39.2" in told[4] and "64.37" in told[4]
    assert told[5].startswith("Matrix-Game 2.0 has identity 1.22")
    assert "20.33 to 30.15" in told[6]
    assert told[7].startswith("2 of 7 rho of Table 3") and "0.16 (cut from 0.167) and 0.97 (cut from 0.976)" in told[7]


def test_which_rho_six_models_can_have():
    """Every order of six models, counted out."""
    ranks = np.arange(6)
    every = {round(float(spearmanr(ranks, order).statistic), 9) for order in permutations(range(6))}
    printed = np.round(np.arange(-1, 1.005, 0.01), 2)
    assert [attainable(p, 6) for p in printed] == [any(round(rho, 2) == p for rho in every) for p in printed]
