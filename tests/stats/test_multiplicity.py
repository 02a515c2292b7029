import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgauge.stats.multiplicity import holm, rank_ranges, tie_groups


def test_holm_equals_the_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-12)


def test_holm_leaves_untested_out():
    assert holm([0.02, None, 0.5]) == [pytest.approx(0.04), None, pytest.approx(0.5)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values):
    """The procedure as Holm wrote it: go up the sorted p-values, stop at the first above level / remaining."""
    rejected = set()
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] * (len(p_values) - rank) > 0.05:
            break
        rejected.add(index)
    assert {i for i, p in enumerate(holm(p_values)) if p <= 0.05} == rejected


def test_all_tied_is_one_group():
    assert tie_groups(np.zeros((3, 3), dtype=bool)) == [(0, 1, 2)]


def test_all_different_are_groups_of_one():
    assert tie_groups(~np.eye(3, dtype=bool)) == [(0,), (1,), (2,)]


@given(st.integers(1, 6), st.integers(0, 2**15 - 1))
def test_models_share_a_group_exactly_when_tied(number, bits):
    different = np.zeros((number, number), dtype=bool)
    for position, (i, j) in enumerate(zip(*np.triu_indices(number, 1), strict=True)):
        different[i, j] = different[j, i] = bool(bits >> position & 1)
    groups = tie_groups(different)
    for i in range(number):
        assert any(i in group for group in groups)
        for j in range(i):
            assert different[i, j] == (not any({i, j} <= set(group) for group in groups))


def test_rank_range_counts_who_is_surely_better():
    different = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)
    assert rank_ranges(different) == [(1, 1), (2, 3), (2, 3)]
