"""Joint scores: the same numbers as the summary, and comparisons that hold their level."""

import numpy as np
import pytest

from report.synthetic import SKILL, write_run
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint
from worldgauge.report.summary import summarise
from worldgauge.stats.bootstrap import percentile_interval


@pytest.fixture(scope="module")
def joint(tmp_path_factory):
    root = tmp_path_factory.mktemp("joint")
    return Joint([Run(write_run(root / model, model, curves=False)) for model in SKILL])


def test_scores_and_intervals_equal_the_summary(joint):
    for k, run in enumerate(joint.runs):
        summary = summarise(run)
        for i, key in enumerate(joint.ids):
            score = (summary.metrics | summary.groups)[key]
            assert joint.scores[k, i] == pytest.approx(score.value, rel=1e-12)
            assert percentile_interval(joint.replicates[k, i], clusters=6) == pytest.approx(score.interval, rel=1e-9)


def test_difference_is_the_mean_over_shared_cases(joint):
    m = joint.ids.index("rotation_error")
    a, b = joint.values[0, m], joint.values[1, m]
    found = joint.difference(0, 1)["rotation_error"]
    assert found.value == pytest.approx(np.nanmean(a - b))
    assert found.cases == np.isfinite(a - b).sum()
    assert (found.wins, found.losses) == ((a > b).sum(), (a < b).sum())


def test_order_changes_the_sign_only(joint):
    forward, back = joint.difference(0, 2), joint.difference(2, 0)
    for key in joint.ids:
        assert forward[key].value == pytest.approx(-back[key].value)
        assert forward[key].interval == pytest.approx((-back[key].interval[1], -back[key].interval[0]))
        assert forward[key].p_value == pytest.approx(back[key].p_value)


def test_far_apart_models_are_told_apart(joint):
    column = joint.ids.index("overall")
    groups = joint.ties(column, better=1)
    names = [[joint.runs[k].name for k in group] for group in groups]
    assert names[0] == ["oracle"]
    assert names[-1] == ["frozen"]


def test_equal_models_share_a_letter_at_the_stated_level():
    """Four models without a difference: some pair is told apart in at most about 5 % of benchmarks."""
    random = np.random.default_rng(1)
    wrong = 0
    repetitions = 200
    for _ in range(repetitions):
        joint = Joint.__new__(Joint)
        joint.runs, joint.definitions = [None] * 4, []
        joint.cluster_names = np.arange(15)
        means = random.normal(0, 1, (4, 15)) + random.normal(0, 2, 15)
        drawn = random.integers(0, 15, (400, 15))
        joint.__dict__["scores"] = means.mean(axis=1)[:, None]
        joint.__dict__["replicates"] = means[:, drawn].mean(axis=2)[:, None]
        wrong += len(joint.ties(0, better=1)) > 1
    assert wrong / repetitions <= 0.09
