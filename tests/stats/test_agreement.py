"""Agreement measures against published worked examples, and against their definitions in exact fractions."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.agreement import cohen_kappa, confusion, fleiss_kappa, krippendorff_alpha

# Fleiss (1971): 14 raters, 10 subjects, 5 categories. Published: 0.210.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 4 observers, 12 units, gaps.
_ = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)
PUBLISHED_ALPHA = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


def exact_alpha(ratings, level):
    """1 - Do / De from the definition: all ordered pairs within units, all ordered pairs of pairable ratings."""
    units = [[int(v) for v in column if np.isfinite(v)] for column in ratings.T]
    units = [unit for unit in units if len(unit) >= 2]
    pool = [v for unit in units for v in unit]

    def distance(a, b):
        if level == "nominal":
            return Fraction(int(a != b))
        if level == "interval":
            return Fraction((a - b) ** 2)
        if level == "ratio":
            return Fraction((a - b) ** 2, (a + b) ** 2)
        low, high = min(a, b), max(a, b)
        between = sum(Fraction(pool.count(v)) for v in range(low, high + 1))
        return (between - Fraction(pool.count(low) + pool.count(high), 2)) ** 2 if a != b else Fraction(0)

    observed = sum(sum(distance(a, b) for a, b in permutations(u, 2)) / (len(u) - 1) for u in units)
    expected = sum(distance(a, b) for a, b in permutations(pool, 2)) / (len(pool) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize("level", PUBLISHED_ALPHA)
def test_krippendorff_equals_published(level):
    alpha = krippendorff_alpha(KRIPPENDORFF, level)
    assert alpha == pytest.approx(float(exact_alpha(KRIPPENDORFF, level)), abs=1e-12)
    assert round(alpha, 3) == PUBLISHED_ALPHA[level]


def test_fleiss_equals_published():
    counts = [[Fraction(c) for c in row] for row in FLEISS]
    agreement = sum((sum(c * c for c in row) - 14) / Fraction(14 * 13) for row in counts) / 10
    chance = sum((sum(column) / Fraction(140)) ** 2 for column in zip(*counts, strict=True))
    kappa = fleiss_kappa(FLEISS)
    assert kappa == pytest.approx(float((agreement - chance) / (1 - chance)), abs=1e-12)
    assert round(kappa, 3) == 0.210


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ([[20, 5], [10, 15]], Fraction(2, 5)),
        ([[45, 15], [25, 15]], Fraction(3, 23)),
        ([[25, 35], [5, 35]], Fraction(7, 27)),
    ],
)
def test_cohen_equals_worked_examples(table, kappa):
    """The three tables of the textbook example: 0.4, 0.1304 and 0.2593."""
    assert cohen_kappa(table) == pytest.approx(float(kappa), abs=1e-12)


def test_weighted_kappa_equals_its_definition():
    table = [[9, 3, 1], [2, 8, 4], [0, 3, 10]]
    total, rows, columns = 40, [13, 14, 13], [11, 14, 15]
    for weights, power in (("linear", 1), ("quadratic", 2)):
        observed = sum(Fraction(abs(i - j) ** power * table[i][j], total) for i in range(3) for j in range(3))
        chance = sum(Fraction(abs(i - j) ** power * rows[i] * columns[j], total**2) for i in range(3) for j in range(3))
        assert cohen_kappa(table, weights) == pytest.approx(float(1 - observed / chance), abs=1e-12)


def test_weights_do_not_matter_for_two_categories():
    table = [[20, 5], [10, 15]]
    assert cohen_kappa(table, "quadratic") == pytest.approx(cohen_kappa(table), abs=1e-12)


def test_confusion_feeds_kappa():
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    categories, table = confusion(first, second)
    assert categories == ["no", "yes"]
    assert cohen_kappa(table) == pytest.approx(0.4, abs=1e-12)


def test_one_category_is_undefined():
    assert cohen_kappa([[7, 0], [0, 0]]) is None
    assert fleiss_kappa([[3, 0], [3, 0]]) is None
    assert krippendorff_alpha([[1, 1], [1, 1]]) is None
    assert krippendorff_alpha([[1, np.nan], [np.nan, 2]]) is None


def test_chance_agreement_is_near_zero():
    ratings = np.random.default_rng(0).integers(0, 3, (3, 4000)).astype(float)
    assert krippendorff_alpha(ratings) == pytest.approx(0, abs=0.03)


def test_bad_tables_are_refused():
    with pytest.raises(WorldGaugeError, match="square"):
        cohen_kappa([[1, 2, 3], [1, 2, 3]])
    with pytest.raises(WorldGaugeError, match="same number of ratings"):
        fleiss_kappa([[2, 1], [1, 1]])
    with pytest.raises(WorldGaugeError, match="negative"):
        krippendorff_alpha([[-1, 2], [1, 2]], "ratio")
