"""The reappearance score from a segmenter that is asked in words: a made one, and none."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import helpers
from benchmarks.memobench.released_layout import run_noise
from worldgauge.benchmarks.memobench.analyses.sensitivity import SWEEPS, sweep
from worldgauge.benchmarks.memobench.analyses.wordings import by_wording
from worldgauge.benchmarks.memobench.formulas.reappearance import pooled_confidences
from worldgauge.benchmarks.memobench.formulas.wordings import WORDINGS
from worldgauge.benchmarks.memobench.official import columns
from worldgauge.benchmarks.memobench.official.files import ors_table, write_files
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.manifest import include
from worldgauge.core.run_folder import Run
from worldgauge.engine.definitions import choose_seats, resolve

STUB = Path(__file__).parent / "stub_segmenter.py"
METRICS = "ORS,detection_rate,mean_confidence,num_frames,r_start"
PHRASE_WORDS = {"Barnyard_001": 5, "ZenGarden_010": 5, "real_001": 2, "real_007": 2}
"""Of "a red fox(subject) running right" and "a glass"."""
SMALL = float(np.mean([1 / words for words in PHRASE_WORDS.values()]))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Wider than the 640 px that everything else is shrunk to.
    asked = ("--include", STUB, "--use", "segmenter=stub_segmenter")
    return run_noise(tmp_path_factory.mktemp("reappearance"), (12, 20, 700), METRICS, *asked)


@pytest.fixture(autouse=True)
def _included() -> None:
    include(STUB)


def test_the_best_score_of_the_pool_counts(root: Path) -> None:
    records = [r for r in helpers.records(root / "run") if r["video"]]
    found = {r["case"]: r["raw"] for r in records if r["metric"] == "ORS"}
    assert found == {case: 1 / words for case, words in PHRASE_WORDS.items()}
    assert {r["raw"] for r in records if r["metric"] == "detection_rate"} == {1.0}


def test_without_a_segmenter_there_is_no_official_number() -> None:
    file = read_benchmark_file("memobench")
    definitions = {d.id: d for d in resolve(resolved_uses(file, "released"), choose_seats("pocket"))}
    for column in ("ORS", "detection_rate", "mean_confidence"):
        assert definitions[column].unavailable == "no segmenter instrument in the 'pocket' set"
    assert definitions["pocket_reappearance"].unavailable is None


def test_official_files_hold_the_segmenters_scores(root: Path) -> None:
    run = Run(root / "run")
    table = ors_table(run)
    assert list(table) == columns.ORS
    assert table["ors"].tolist() == [1 / words for words in PHRASE_WORDS.values()]
    # Frames 8 to 11 of synthetic clips, 9 to 11 of real ones.
    assert table["n_r_frames"].tolist() == [4, 4, 3, 3]
    write_files([run], root / "files", allow_unofficial=True)
    with (root / "files" / "leaderboard.csv").open() as stream:
        (row,) = csv.DictReader(stream)
    assert row["ORS"] == f"{100 * SMALL:.4f}"


def test_table_s3_sweeps_the_pool_of_masks(root: Path) -> None:
    run, names = Run(root / "run"), ("coverage", "coverage-strict")
    kept, strict = ({row["band"]: row for row in sweep([run], root / "store", SWEEPS[name])} for name in names)
    # One tenth is inside every band; from 60 per cent on the larger mask joins the pool and is surer.
    assert kept[0.0005, 0.5]["mean"] == pytest.approx(SMALL)
    assert kept[0.0005, 0.6]["mean"] == pytest.approx(0.8)
    assert [{row["fallback"] for row in rows.values()} for rows in (kept, strict)] == [{0.7}, {0.0}]


def test_the_second_try_is_for_frames_whose_band_holds_no_mask() -> None:
    pool = {"frames": np.array([0, 1]), "counts": np.array([2, 1])}
    pool |= {"coverages": np.array([0.1, 0.6, 0.6]), "scores": np.array([0.3, 0.8, 0.7])}
    assert pooled_confidences(pool, range(2)) == [0.3, 0.7]
    assert pooled_confidences(pool, range(2), fallback=0.0) == [0.3, None]


def test_table_s4_asks_every_wording(root: Path) -> None:
    rows = {row["wording"]: row for row in by_wording([Run(root / "run")], root / "store")}
    assert list(rows) == list(WORDINGS)
    added = {"original": 0, "the": 1, "detect": 4, "photo": 3}
    for name, words in added.items():
        expected = np.mean([round(1 / (own + words), 4) for own in PHRASE_WORDS.values()])
        assert rows[name]["mean"] == pytest.approx(expected), name
    assert rows["first_word"]["mean"] == 1.0
    assert rows["original"]["n"] == 4
