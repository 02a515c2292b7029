"""Bounds, totals and the published table."""

import math
from pathlib import Path

import numpy as np
import pytest

import worldgauge.benchmarks.worldscore as package
from worldgauge.benchmarks.worldscore.formulas.camera_error import released_camera_error
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import interpolate, keyframes, saved_cameras
from worldgauge.benchmarks.worldscore.official.aspects import ASPECTS, PARTS, benchmark_file, normalised, scales
from worldgauge.benchmarks.worldscore.official.evaluation_files import (
    DYNAMIC,
    LEADERBOARD_COLUMNS,
    STATIC,
    leaderboard_row,
    totals,
    worldscore,
)
from worldgauge.benchmarks.worldscore.parity.scores import renormalised
from worldgauge.core.published import read_published

FOLDER = Path(package.__file__).parent
TABLE = read_published(FOLDER).tables[0]

Z_SCORED = {
    "clip_score": (26.67, 0.8875, -1.5950, 1.2741),
    "clip_iqa+": (0.5842, 0.0441, -1.8342, 1.8703),
    "clip_aesthetic": (5.5952, 0.2561, -2.9342, 1.9741),
    "motion_accuracy": (-0.1965, 2.3687, -1.6147, 1.5180),
    "optical_flow": (3.2425, 3.4505, -0.8638, 2.7498),
}


@pytest.mark.parametrize("metric", Z_SCORED)
def test_z_map_end_points(metric):
    mean, deviation, low, high = Z_SCORED[metric]
    width = high - low
    for z, score in [
        (low, 0.25),
        (high, 0.75),
        (low - width / 2, 0.0),
        (high + width / 2, 1.0),
        (low + width / 2, 0.5),
    ]:
        assert normalised(metric, mean + deviation * z) == pytest.approx(score, abs=1e-9)
    assert normalised(metric, mean + deviation * (low - 2 * width)) == 0.0
    assert normalised(metric, mean + deviation * (high + 2 * width)) == 1.0


@pytest.mark.parametrize(
    ("metric", "worst", "best"),
    [
        ("object_detection", 0, 1),
        ("reprojection_error", 1.0719, 0),
        ("optical_flow_aepe", 1.1920, 0),
        ("gram_matrix", 0.0070, 0),
        ("camera_error", (15, 0.5), (0, 0)),
        ("camera_error", (15, 0), (0, 0)),
        ("motion_smoothness", (82.4014, 0.9224, 0.0228), (0, 1, 0)),
    ],
)
def test_bounds(metric, worst, best):
    assert normalised(metric, worst) == 0.0
    assert normalised(metric, best) == 1.0


def test_a_frozen_video_scores_in_motion_magnitude():
    assert normalised("optical_flow", 0.0) == pytest.approx(0.2395, abs=5e-5)


@pytest.mark.parametrize("metric", PARTS)
def test_what_the_original_makes_of_nan(metric):
    """The larger bound: the worst of an error, the best of everything else. Only its own result files hold NaN."""
    score = normalised(metric, [math.nan] * len(PARTS[metric]))
    errors = ("camera_error", "reprojection_error", "optical_flow_aepe", "gram_matrix")
    assert score == (0.0 if metric in errors else pytest.approx(1 / 3) if metric == "motion_smoothness" else 1.0)


def test_nan_in_a_result_file_becomes_the_mean():
    static = [{"3d_consistency": {"reprojection_error": {"score": math.nan, "score_normalized": math.nan}}}]
    scores = worldscore(static)
    assert math.isnan(scores["3d_consistency"])
    assert math.isnan(scores[STATIC])
    again = [renormalised(content) for content in static]
    assert worldscore(again)["3d_consistency"] == 0.0


def test_camera_parameters_repeat_the_scales():
    use = next(u for u in benchmark_file().metrics if u.id == "camera_control").under_protocol("released")
    rotation, translation = scales("camera_error")
    assert (use.parameters["rotation_worst"], use.parameters["translation_worst"]) == (
        rotation.source[0],
        translation.source[0],
    )


def test_table_has_all_models():
    assert len(TABLE.rows) == 19


@pytest.mark.parametrize("model", TABLE.rows)
def test_published_totals(model):
    scores = totals({aspect: TABLE.score(model, aspect) for aspect in ASPECTS})
    assert scores[STATIC] == pytest.approx(TABLE.score(model, "static"), abs=0.0101)
    assert scores[DYNAMIC] == pytest.approx(TABLE.score(model, "dynamic"), abs=0.0101)


@pytest.mark.parametrize(
    ("column", "metric", "count"),
    [("content_alignment", "clip_score", 18), ("motion_magnitude", "motion_magnitude", 12)],
)
def test_per_model_map_reproduces_the_published_columns(column, metric, count):
    """Inverting a column gives raw means whose own mean and spread are the constants the authors print."""
    use = next(u for u in benchmark_file().metrics if u.id == metric).under_protocol("paper")
    scale = use.scale
    assert scale is not None and scale.level == "model"
    (low, high), (zero, hundred) = scale.source, scale.target
    # The constants come from the models that are in the 25 .. 75 range by construction; 4D-fy is not among them.
    models = [m for m in TABLE.rows if m != "4D-fy" and TABLE.score(m, column) > 0]
    assert len(models) == count
    printed = np.array([TABLE.score(m, column) for m in models])
    raw = low + (printed - zero) / (hundred - zero) * (high - low)
    official = {"content_alignment": "clip_score", "motion_magnitude": "optical_flow"}[column]
    mean, deviation, *_ = Z_SCORED[official]
    assert raw.mean() == pytest.approx(mean, abs=0.01)
    assert raw.std(ddof=1) == pytest.approx(deviation, abs=0.01)
    z = (raw - raw.mean()) / raw.std(ddof=1)
    again = 25 + 50 * (z - z.min()) / (z.max() - z.min())
    assert np.abs(again - printed).max() < 0.05
    assert np.abs([scale(value) - score for value, score in zip(raw, printed, strict=True)]).max() < 0.05


def test_what_table_2_does_not_invert():
    """4D-fy's motion magnitude lies below that of no motion at all, and motion accuracy gives other constants."""
    uses = {use.id: use.under_protocol("paper").scale for use in benchmark_file().metrics}
    assert uses["motion_magnitude"].inverse(TABLE.score("4D-fy", "motion_magnitude")) == pytest.approx(-0.27, abs=0.01)
    models = [m for m in TABLE.rows if m != "4D-fy" and TABLE.score(m, "motion_accuracy") > 0]
    raw = np.array([uses["motion_accuracy"].inverse(TABLE.score(m, "motion_accuracy")) for m in models])
    mean, deviation, *_ = Z_SCORED["motion_accuracy"]
    assert abs(raw.mean() - mean) > 0.1 or abs(raw.std(ddof=1) - deviation) > 0.1
    assert min(TABLE.score(m, "motion_accuracy") for m in models) < 25


def test_3d_models_count_zero_for_what_they_do_not_do():
    entry = {"score": 0.0, "score_normalized": 1.0}
    static = [{aspect: dict.fromkeys(metrics, entry) for aspect, metrics in ASPECTS.items()}]
    scores = worldscore(static)
    assert scores[STATIC] == 100.0
    assert scores["motion_accuracy"] == 0
    assert scores[DYNAMIC] == 70.0


def test_leaderboard_row():
    scores = worldscore([]) | {STATIC: 12.345}
    row = leaderboard_row(scores, {"Model Name": "toy"})
    assert tuple(row) == LEADERBOARD_COLUMNS
    assert len(row) == 7 + 12
    assert row["Model Name"] == "toy"
    assert row[STATIC] in ("12.35", "12.34")


def test_notes_name_every_deviation():
    notes = (FOLDER / "NOTES.md").read_text("utf-8")
    missing = [d.id for d in benchmark_file().deviations if f"`{d.id}`" not in notes]
    assert not missing
    assert len(benchmark_file().deviations) >= 16


@pytest.mark.parametrize(
    ("layout", "score"),
    list(
        zip(
            ["push_in", "pull_out", "move_left", "move_right", "orbit_left", "orbit_right", "pan_left", "pan_right"],
            [0, 0, 70.71, 70.71, 0, 0, 0, 0],
            strict=True,
        )
    ),
)
def test_motionless_camera(layout, score):
    requested = saved_cameras(interpolate(keyframes([layout]), 50))
    error = released_camera_error(requested, np.tile(np.eye(4), (50, 1, 1)))
    ours = 100 * normalised("camera_error", (error.rotation.mean(), error.translation.mean()))
    assert ours == pytest.approx(score, abs=0.01)
