"""Differences of two runs against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from report.test_summary import make_run
from worldgauge.core.status import Status
from worldgauge.report.difference import Difference
from worldgauge.report.joint import Joint

SCENES = 12
TREE = {"metric": [{"id": "a"}, {"id": "b"}], "group": [{"id": "both", "of": {"a": 1, "b": 1}}]}


@pytest.fixture
def apart() -> np.ndarray:
    """Differences of two models in one metric, scene by scene."""
    return np.random.default_rng(3).normal(1.0, 4.0, SCENES)


def _difference(folder: Path, apart: np.ndarray) -> dict[str, Difference]:
    level = np.linspace(20, 80, SCENES)
    first = {name: [(Status.OK, float(v)) for v in level + apart] for name in ("a", "b")}
    second = {name: [(Status.OK, float(v)) for v in level] for name in ("a", "b")}
    return Joint([make_run(folder / "first", first, TREE), make_run(folder / "second", second, TREE)]).difference(0, 1)


@pytest.mark.parametrize("column", ["a", "both"])
def test_what_can_be_detected_is_what_the_noncentral_t_says_for_this_spread(
    tmp_path: Path, apart: np.ndarray, column: str
) -> None:
    """Scenes are independent, so the spread between them is the sample's standard deviation, n - 1 below."""
    found = _difference(tmp_path, apart)[column].detectable
    assert found is not None
    shift = found / (apart.std(ddof=1) / np.sqrt(SCENES))
    bound = stats.t.ppf(0.975, SCENES - 1)
    power = stats.nct.sf(bound, SCENES - 1, shift) + stats.nct.cdf(-bound, SCENES - 1, shift)
    # A bootstrap of 1000 draws knows the spread to about 2 %; without n / (n - 1) it would be 4.3 % too small.
    assert power == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("column", ["a", "both"])
def test_the_interval_is_as_wide_as_students(tmp_path: Path, apart: np.ndarray, column: str) -> None:
    found = _difference(tmp_path, apart)[column]
    assert found.value == pytest.approx(apart.mean())
    assert found.interval is not None
    low, high = found.interval
    error = apart.std(ddof=1) / np.sqrt(SCENES)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, SCENES - 1) * error, rel=0.08)
    assert low < apart.mean() < high


def test_a_groups_p_value_is_that_of_the_paired_t_test(tmp_path: Path, apart: np.ndarray) -> None:
    found = _difference(tmp_path, apart)["both"].p_value
    assert found == pytest.approx(stats.ttest_1samp(apart, 0).pvalue, abs=0.02)


def test_one_scene_shows_no_difference(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", {"a": [(Status.OK, 2.0)]})
    second = make_run(tmp_path / "second", {"a": [(Status.OK, 1.0)]})
    found = Joint([first, second]).difference(0, 1)["a"]
    assert (found.value, found.interval, found.detectable) == (1.0, None, None)
