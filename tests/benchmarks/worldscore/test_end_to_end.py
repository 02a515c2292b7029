"""Gauge blocks -> data set in the released layout -> model inputs -> subjects -> run -> worldscore.json."""

import json

import numpy as np
import pytest
from PIL import Image

from benchmarks.worldscore import gauge_study
from worldgauge.benchmarks.worldscore.data.cases import read_dataset
from worldgauge.core.run_folder import Run


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def scores(root):
    return gauge_study.study(root, cases=4)


def means(root, subject, metric):
    columns = Run(root / "runs" / subject).columns()[metric]
    return float(np.nanmean(columns.values))


@pytest.mark.slow
def test_oracle_beats_the_faults_on_what_they_touch(root, scores):
    assert scores["oracle"]["photometric_consistency"] > scores["flicker-1"]["photometric_consistency"] + 20
    assert scores["oracle"]["style_consistency"] > scores["style_drift-1"]["style_consistency"] + 5
    assert means(root, "oracle", "smoothness_ssim") > means(root, "flicker-1", "smoothness_ssim") + 20


@pytest.mark.slow
def test_every_file_is_there(root, scores):
    cases = read_dataset(root / "WorldScore-Dataset")
    assert len(cases) == 4
    for case in cases:
        assert (root / "official" / "oracle" / case.id / "evaluation.json").is_file()
        # The conditioning image is the block's first frame: the size asked for is the block's own.
        given = np.asarray(Image.open(root / "inputs" / case.id / "input_image.png"))
        assert np.array_equal(given, np.asarray(Image.open(case.path(case.condition.image))))
    assert len(json.loads((root / "inputs" / "inputs.json").read_text())) == 4
    assert "instruments:" in (root / "official" / "oracle" / "remarks.txt").read_text()


@pytest.mark.slow
def test_no_record_is_an_error(root, scores):
    for subject in scores:
        statuses = {record["status"] for record in Run(root / "runs" / subject).records()}
        assert statuses <= {"ok", "skipped", "unscored"}, subject
