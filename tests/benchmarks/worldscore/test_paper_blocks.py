"""`paper` on sixteen gauge blocks, each of the eight layouts twice: true poses, and the pocket set on what is shown."""

import pytest

from benchmarks.worldscore import paper_study


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return paper_study.study(tmp_path_factory.mktemp("study"))


@pytest.mark.nightly
def test_cameras(found):
    given = paper_study.means(found, "true")
    assert len(found) == 16
    assert given["oracle"] >= 95
    assert given["frozen"] == pytest.approx(0, abs=1e-3)
    assert given["mirrored"] <= 10
    assert given["other layout"] <= 10
    assert given["random walk"] <= 20


@pytest.mark.nightly
def test_looks(found):
    assert paper_study.better(found, "style", "style_drift-0.5") >= 15
    assert paper_study.better(found, "mse", "flicker-0.5") >= 15
