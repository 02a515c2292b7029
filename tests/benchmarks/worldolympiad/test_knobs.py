"""Every place where code, tables and paper disagree has a name, a note on what it does, and a test that shows it."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.worldolympiad.released_tree import numbered
from worldgauge.benchmarks.worldolympiad.analyses.published_scores import coverage, table
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import MASK_FRAMES, cut_spread, spread
from worldgauge.benchmarks.worldolympiad.signals.physics import COMPLIANCE, RELEVANCE
from worldgauge.benchmarks.worldolympiad.signals.view_distances import first_views, view_distances
from worldgauge.benchmarks.worldolympiad.signals.views import scene_views
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.clip import Clip
from worldgauge.core.metric import METRICS
from worldgauge.core.prompts import read_prompt
from worldgauge.core.video import Video
from worldgauge.functional.masks import encode_masks
from worldgauge.functional.scenes import SceneCameras

HERE = Path(__file__).parent
SHOWN = {
    "physical-aggregation": "test_judged.py::test_one_stored_run_yields_the_tables_of_all_protocols",
    "nothing-applies": "test_notes.py::test_nothing_that_applies_is_a_half_under_released_and_nothing_elsewhere",
    "confidence-role": "test_judged.py::test_one_stored_run_yields_the_tables_of_all_protocols",
    "interaction-pooling": "test_judged.py::test_one_stored_run_yields_the_tables_of_all_protocols",
    "clip-in-interaction": "test_notes.py::test_the_total_is_the_mean_of_three_columns",
    "clip-scaling": "test_notes.py::test_clip_is_scaled_after_rounding_the_mean",
    "caption-length": "test_judged.py::test_no_sentence_of_a_caption_is_lost_where_each_is_compared",
    "same-scenes": "test_published_arithmetic.py::test_coverage_differs_between_models",
    "dynamic-masks": "test_knobs.py::test_what_moves_is_filled_or_left_out_of_the_scene",
    "reconstruction-frames": "test_knobs.py::test_thirty_two_of_sixty_four_are_other_frames_than_of_all",
    "reference-trajectory": "test_knobs.py::test_a_stored_trajectory_is_not_used",
    "judge-model": "test_judged.py::test_one_stored_run_yields_the_tables_of_all_protocols",
    "randomness": "test_trajectory.py::test_the_seed_is_kept",
    "judge-evidence": "test_judged.py::test_evidence_and_scores_of_the_interaction_track",
    "render-intrinsics": "test_notes.py::test_a_wide_picture_gets_a_longer_lens",
    "near-static": "test_trajectory.py::test_golden_values_of_the_released_score",
    "captioning": "test_curation.py::test_a_folder_becomes_cases_that_the_reader_accepts",
    "case-count": "test_judged.py::test_official_files_of_a_run_are_read_back",
    "human-win-rates": "test_published_arithmetic.py::test_ranks_and_win_rates_of_table_4",
    "failure-is-zero": "test_whose_failure.py::test_a_clip_that_shows_nothing_is_zero_with_any_instrument",
    "combined-mean": "test_triathlon.py::test_three_models_and_twelve_cases_end_in_all_official_columns",
    "lpips-views": "test_knobs.py::test_a_perfect_scene_does_not_get_all_where_other_cameras_are_compared",
    "older-pipeline": "test_notes.py::test_nothing_that_applies_is_a_half_under_released_and_nothing_elsewhere",
    "nan-is-perfect": "test_parity.py::test_a_nan_is_perfect_under_released_alone",
    "relevance-per-model": "test_judged.py::test_rules_are_asked_once_per_case_and_judged_per_model",
    "truth-values": "test_fallbacks.py::test_false_as_a_text_is_no_verdict",
    "unreadable-answer": (
        "test_judged.py::test_an_unreadable_answer_at_one_level_leaves_the_others_and_is_all_that_is_asked_again"
    ),
    "unequal-spans": "test_judged.py::test_house_evidence_keeps_chunks_apart_and_spans_alike",
    "end-points": "test_judged.py::test_house_evidence_keeps_chunks_apart_and_spans_alike",
    "overlays": "test_judged.py::test_rules_are_asked_once_per_case_and_judged_per_model",
    "chunk-control": "test_inputs.py::test_controls_of_families",
    "sidecars": "test_data.py::test_nine_models_share_a_folder_and_sidecars_are_no_videos",
    "done-rules": "test_data.py::test_what_is_odd_is_told",
    "attitude": "test_knobs.py::test_a_judge_is_asked_neutrally_in_every_mode",
    "run-order": "test_geometry.py::test_a_run_of_geometry_changes_nothing_of_physics",
    "timestamps": "test_data.py::test_latent_frames_in_a_timestamp_file_are_recognised",
    "first-frame": "test_inputs.py::test_the_first_frame_may_be_that_of_the_file",
    "chunk-count": "test_data.py::test_a_bad_prompt_file_costs_its_own_chunks",
    "zero-or-none": "test_knobs.py::test_a_zero_was_judged_and_a_dash_was_not",
}
"""Deviation to the test that shows it."""


def test_every_deviation_has_a_test_and_every_test_is_there() -> None:
    assert set(SHOWN) == {one.id for one in read_benchmark_file("worldolympiad").deviations}
    for place in SHOWN.values():
        file, _, name = place.partition("::")
        defined = [n.name for n in ast.parse((HERE / file).read_text("utf-8")).body if isinstance(n, ast.FunctionDef)]
        assert name in defined, place


@pytest.mark.parametrize("dynamic", ["fill", "drop"])
def test_what_moves_is_filled_or_left_out_of_the_scene(dynamic: Any) -> None:
    class Handed(Exception):
        pass

    class Instrument:
        def reconstruct(self, frames: Any, cameras: SceneCameras, *, masks: Any = None, name: str = "") -> Any:
            raise Handed(frames, masks)

    clip = Clip(Video.from_array(numbered(), layout="THWC"))
    moving = np.zeros((48, 48, 64), bool)
    moving[0, 10:20, 10:20] = True
    runs, starts = encode_masks(list(moving))
    boxes = {"frames": np.arange(48), "mask_runs": runs, "mask_starts": starts, "size": np.array([64, 48])}
    path = {
        "poses": np.tile(np.eye(4), (48, 1, 1)), "intrinsics": np.diag([50.0, 50.0, 1.0]),
        "size": np.array([64, 48]), "moves": np.array(True),
    }  # fmt: skip
    with pytest.raises(Handed) as handed:
        scene_views.function(clip, boxes, path, Instrument(), dynamic=dynamic)
    frames, masks = handed.value.args
    assert len(frames) == 32
    # Frame 0 is of grey 16; what moves in it is taken from frame 1, of grey 20, at the same place.
    assert int(frames[0, 15, 15, 0]) == (20 if dynamic == "fill" else 16) and int(frames[0, 5, 5, 0]) == 16
    assert masks is None if dynamic == "fill" else masks[0, 15, 15] and not masks[1].any()


@pytest.mark.nightly
def test_a_perfect_scene_does_not_get_all_where_other_cameras_are_compared() -> None:
    """The scene shows at every camera how far that camera has come, as the frames do, and so without a fault."""

    class Scene:
        def __init__(self, cameras: SceneCameras) -> None:
            self.cameras = cameras

        def render(self, pose: Any, lens: Any, size: tuple[int, int]) -> Any:
            grey = (16 - 4 * float(pose[2, 3])) / 255
            return np.full((*size, 3), grey, np.float32), np.ones(size, np.float32)

    class Instrument:
        def reconstruct(self, frames: Any, cameras: SceneCameras, *, masks: Any = None, name: str = "") -> Scene:
            return Scene(cameras)

    class Distance:
        takes_rows = True

        def distances(self, first: Any, second: Any) -> Any:
            # Every picture is of one grey.
            return np.array(
                [abs(float(a[0, 0, 0]) - float(b[0, 0, 0])) / 255 for a, b in zip(first, second, strict=True)]
            )

    poses = np.tile(np.eye(4), (48, 1, 1))
    poses[:, 2, 3] = np.arange(48)
    runs, starts = encode_masks(list(np.zeros((48, 48, 64), bool)))
    boxes = {"frames": np.arange(48), "mask_runs": runs, "mask_starts": starts, "size": np.array([64, 48])}
    path = {
        "poses": poses, "intrinsics": np.array([[50.0, 0, 32], [0, 50.0, 24], [0, 0, 1]]),
        "size": np.array([64, 48]), "moves": np.array(True),
    }  # fmt: skip
    frames = np.stack([np.full((48, 64, 3), 16 + 4 * k, np.uint8) for k in range(48)])
    drawn = first_views.function(Clip(Video.from_array(frames, layout="THWC")), boxes, path, Instrument())
    assert drawn["shown"].shape == drawn["seen"].shape == (32, 512, 512, 3)
    assert drawn["frames"].tolist() == list(spread(48, 32))
    found = view_distances.function(drawn, Distance())
    metric = METRICS.get("worldolympiad/splat_lpips")
    value = metric.function(None, found).value
    assert value == pytest.approx(1 - float(found["distance"].mean())) and value < 0.8
    assert found["distance"][31] > 0.6, "frame 47 against a view between the first frames"
    assert "splat_lpips" not in {use.use for use in read_benchmark_file("worldolympiad").metrics}


def test_thirty_two_of_sixty_four_are_other_frames_than_of_all() -> None:
    segmented = cut_spread(200, MASK_FRAMES)
    twice = [segmented[k] for k in spread(len(segmented), 32)]
    once = spread(200, 32)
    assert (twice[0], twice[-1]) == (once[0], once[-1]) == (0, 199)
    assert twice != list(once) and max(abs(a - b) for a, b in zip(twice, once, strict=True)) <= 4


def test_a_stored_trajectory_is_not_used() -> None:
    for name in ("camera_motion", "camera_motion_fixed", "geometry"):
        read = METRICS.get(f"worldolympiad/{name}").inputs()
        assert "reference" in read and not any("trajectory" in part for part in read), name


def test_a_judge_is_asked_neutrally_in_every_mode() -> None:
    """One text for a rule alone and for several; it says nothing about what to do in doubt."""
    for prompt in (RELEVANCE, COMPLIANCE):
        text = read_prompt(prompt).lower()
        assert "{{rules}}" in text
        assert not any(word in text for word in ("doubt", "unclear", "normally", "prefer", "when in", "default"))


def test_a_zero_was_judged_and_a_dash_was_not() -> None:
    thermal = {model: table("7-robotics").score(model, "Thermotics") for model in table("7-robotics").rows}
    assert 0.0 in thermal.values(), "the printed zero"
    zero = next(model for model, rate in thermal.items() if rate == 0)
    assert coverage("robotics", zero).judged > 0 and table("8-robotics").score(zero, "vaporization") == 0.0
    assert math.isnan(table("8-robotics").score(zero, "sublimation")), "and the dash of what no case is about"
