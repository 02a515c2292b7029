"""Item analysis against draws of a known model and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pointbiserialr

from worldgauge.stats.items import item_figures


def test_the_figure_is_the_point_biserial_correlation_with_the_rest() -> None:
    rng = np.random.default_rng(3)
    skill = rng.normal(size=60)
    passes = (skill[:, None] + rng.normal(size=(60, 8)) > 0).astype(float)
    for item, found in enumerate(item_figures(passes)):
        rest = np.delete(passes, item, axis=1).mean(axis=1)
        assert found is not None and found.subjects == 60 and found.passed == passes[:, item].mean()
        assert found.discrimination == pytest.approx(pointbiserialr(passes[:, item], rest).statistic)
        assert found.discrimination > 0.2, "every question tells something here"


def test_what_all_pass_or_nobody_was_asked_has_no_figure() -> None:
    nan = np.nan
    found = item_figures(np.array([[1.0, 0.0, nan, 1.0], [1.0, 1.0, nan, nan], [1.0, 1.0, nan, nan]]))
    assert found[0] is not None and found[0].discrimination is None and found[0].passed == 1
    assert found[2] is None and found[3] is not None and found[3].subjects == 1
