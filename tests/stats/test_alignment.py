import numpy as np
import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.alignment import (
    Vote,
    majority,
    preference_rates,
    score_votes,
    two_afc_agreement,
    two_afc_upper_bound,
    win_ratios,
)
from worldgauge.stats.correlation import kendall, spearman

# WorldOlympiad, Table 4: human preference score and automatic score of eight models; published rho 0.95.
HUMAN = [0.721, 0.648, 0.579, 0.532, 0.491, 0.423, 0.309, 0.271]
AUTOMATIC = [0.683, 0.671, 0.610, 0.584, 0.604, 0.477, 0.231, 0.434]


def test_spearman_equals_the_published_alignment():
    # Two swaps of neighbours: 1 - 6 * 4 / (8 * 63).
    assert spearman(HUMAN, AUTOMATIC).coefficient == pytest.approx(20 / 21, abs=1e-12)


def test_kendall_counts_discordant_pairs():
    assert kendall(HUMAN, AUTOMATIC).coefficient == pytest.approx((26 - 2) / 28, abs=1e-12)


def test_kendall_corrects_for_ties():
    # tau-b: 4 concordant, 1 discordant, 1 tie in x of 6 pairs.
    assert kendall([1, 2, 2, 3], [1, 3, 2, 4]).coefficient == pytest.approx(5 / np.sqrt(5 * 6), abs=1e-12)


def test_absent_pairs_are_left_out():
    result = spearman([1, 2, np.nan, 4], [1, 2, 3, np.nan])
    assert (result.coefficient, result.pairs) == (pytest.approx(1), 2)


def test_constant_scores_have_no_correlation():
    assert spearman([1, 1, 1], [1, 2, 3]).coefficient is None
    assert kendall([1], [2]).coefficient is None


def test_two_afc_ties_are_half():
    # Follows people, opposes them, ties.
    assert two_afc_agreement([0.9, 0.9, 0.9], [2, 1, 1], [1, 2, 1]) == pytest.approx((0.9 + 0.1 + 0.5) / 3, abs=1e-12)


def test_upper_bound_is_reached_by_the_majority():
    share = np.array([0.2, 0.7, 0.95])
    assert two_afc_agreement(share, share, 1 - share) == pytest.approx(two_afc_upper_bound(share), abs=1e-12)


def test_preference_rates_sum_to_half_the_models():
    random = np.random.default_rng(0)
    models = ["a", "b", "c", "d"]
    votes = [
        Vote(x, y, tuple(random.choice([0, 0.5, 1], 5)))
        for i, x in enumerate(models)
        for y in models[i + 1 :]
        for _ in range(10)
    ]
    assert sum(preference_rates(votes).values()) == pytest.approx(2, abs=1e-12)


def test_preference_rate_averages_annotators_first():
    votes = [Vote("a", "b", (1, 1, 1, 1, 0)), Vote("b", "a", (0.5,))]
    assert preference_rates(votes) == {"a": pytest.approx((0.8 + 0.5) / 2), "b": pytest.approx((0.2 + 0.5) / 2)}


@pytest.mark.parametrize(
    ("outcomes", "winner"), [((1, 1, 0), "a"), ((0, 0, 1), "b"), ((1, 0.5, 0), None), ((0.5, 0.5, 1), None)]
)
def test_majority(outcomes, winner):
    assert majority(Vote("a", "b", outcomes)) == winner


def test_win_ratio_without_a_decided_pair_is_none():
    assert win_ratios([Vote("a", "b", (1, 0.5, 0))]) == {"a": None, "b": None}


def test_scores_become_votes():
    ratios = win_ratios(score_votes({"a": [3, 3, np.nan], "b": [1, 3, 9], "c": [2, 2, 2]}))
    # a-b: one win, one tie dropped; a-c: two wins; b-c: one loss, two wins.
    assert ratios == {"a": 1.0, "b": 0.5, "c": pytest.approx(1 / 5)}


def test_bad_votes_are_refused():
    with pytest.raises(WorldGaugeError, match="votes are 1"):
        Vote("a", "b", (2,))
    with pytest.raises(WorldGaugeError, match="itself"):
        Vote("a", "a", (1,))
    with pytest.raises(WorldGaugeError, match="finite scores"):
        two_afc_agreement([0.5], [np.nan], [1])


def test_unanimous_shares_are_shares_and_nonsense_is_refused():
    assert two_afc_agreement([1.0, 0.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]) == pytest.approx((1 + 1 + 0.5) / 3)
    for share in (-0.01, 1.01, np.nan):
        with pytest.raises(WorldGaugeError, match=r"shares in \[0, 1\]"):
            two_afc_agreement([share], [1.0], [2.0])
    with pytest.raises(WorldGaugeError, match="finite scores"):
        two_afc_agreement([0.5], [np.inf], [2.0])
    for rows in (([], [], []), ([0.5], [1.0, 2.0], [1.0]), ([[0.5]], [[1.0]], [[1.0]])):
        with pytest.raises(WorldGaugeError, match="equal length"):
            two_afc_agreement(*rows)
