"""`paper` on gauge blocks, each of the eight layouts twice: cameras by true poses, looks by the pocket set."""

import pytest

from benchmarks.worldscore import paper_study

BLOCKS = paper_study.WORLDS.blocks()


def check_cameras(found):
    given = paper_study.means(found, "true")
    assert given["oracle"] >= 95
    assert given["frozen"] == pytest.approx(0, abs=1e-3)
    assert given["mirrored"] <= 10
    assert given["other layout"] <= 10
    assert given["random walk"] <= 20


def test_cameras_of_a_few_worlds():
    check_cameras(paper_study.true_cameras(BLOCKS[:8:2]))


@pytest.mark.nightly
def test_cameras():
    found = paper_study.true_cameras(BLOCKS)
    assert len(found) == 16
    check_cameras(found)


@pytest.mark.nightly
def test_looks(tmp_path):
    found = paper_study.pocket_study(tmp_path)
    assert paper_study.better(found, "style", "style_drift-0.5") >= 15
    assert paper_study.better(found, "mse", "flicker-0.5") >= 15
    assert abs(paper_study.moved(found, "3d", "style_drift-0.5")) <= 3
    assert paper_study.moved(found, "3d", "geometry_wobble-1") < 5 * paper_study.moved(found, "3d", "style_drift-0.5")
