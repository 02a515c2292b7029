"""Recorded calls of the released WorldScore code, answered by our arithmetic under `released`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from worldgauge.benchmarks.worldscore.parity import dispatch as parity_dispatch
from worldgauge.benchmarks.worldscore.parity import metrics as parity_metrics
from worldgauge.benchmarks.worldscore.parity import scores as parity_scores
from worldgauge.benchmarks.worldscore.parity import worlds as parity_worlds
from worldgauge.parity import ParityFolder, Vector

Check = Callable[[dict[str, Any], dict[str, Any], dict[str, Any]], str | None]
"""(inputs, recorded outputs, tolerance) -> status or None."""

CHECKS: dict[tuple[str, str], Check] = {
    ("1_camera_trajectory", ""): parity_worlds.trajectory,
    ("2_camera_error", ""): parity_metrics.camera_error,
    ("3_optical_flow_aepe", "aepe_video"): parity_metrics.flow_video,
    ("3_optical_flow_aepe", ""): parity_metrics.flow_pair,
    ("3_flow_wrapper", ""): parity_metrics.flow_wrapper,
    ("4_gram_matrix", "gram_fn"): parity_metrics.gram,
    ("4_gram_matrix", "gram_img"): parity_metrics.style_images,
    ("5_motion_accuracy_magnitude", "mot_"): parity_metrics.motion,
    ("5_motion_accuracy_magnitude", "median"): parity_metrics.median,
    ("5_motion_accuracy_magnitude", "mask_files"): parity_worlds.object_masks,
    ("6_motion_smoothness", "smooth"): parity_metrics.smoothness,
    ("6_motion_smoothness", "pad"): parity_metrics.padded,
    ("6_motion_smoothness", "ssim"): parity_metrics.ssim,
    ("7_object_detection", "obj"): parity_metrics.phrases,
    ("7_object_detection", "ground"): parity_metrics.grounding,
    ("8_normalisation", "norm"): parity_scores.normalisation,
    ("8_normalisation", "fail_frame_count"): parity_worlds.frame_count,
    ("8_normalisation", "fail"): parity_scores.failure,
    ("8_normalisation", "dispatch"): parity_dispatch.dispatch,
    ("9_aggregation", "agg"): parity_scores.aggregation,
    ("9_aggregation", "evalfile"): parity_scores.evaluation_file,
    ("10_geometry", "crop"): parity_worlds.crop,
    ("10_geometry", "droid_in_pixels"): parity_worlds.tracker_pixels,
    ("10_geometry", "droid_in"): parity_worlds.tracker_size,
    ("10_geometry", "iqa_input"): parity_worlds.quality_pixels,
    ("10_prompts_counts", "adapt"): parity_worlds.model_inputs,
    ("10_prompts_counts", "data3d"): parity_worlds.model_inputs_3d,
    ("10_prompts_counts", "layout"): parity_worlds.layout_text,
    ("10_prompts_counts", "conv"): parity_worlds.camera_types,
}
"""Group and start of the id to the check; the first that fits is taken."""


def vectors(folder: ParityFolder) -> Iterator[Vector]:
    """One vector per item of the folder."""
    for item in folder.index["items"]:
        yield Vector(item["group"], item["id"], partial(_run, folder, item))


def _run(folder: ParityFolder, item: dict[str, Any]) -> str | None:
    check = next(
        check for (group, start), check in CHECKS.items() if group == item["group"] and item["id"].startswith(start)
    )
    # Trees of result files write NaN as text too, so what was read is resolved once more.
    given, recorded = (folder.resolve(folder.resolve(item[part])) for part in ("inputs", "outputs"))
    return check(given, recorded, item["tolerance"])
