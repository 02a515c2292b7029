"""Parity of formulas and registered metrics: recorded answers put where a run has its signals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.data.rules import Rule
from worldgauge.benchmarks.worldolympiad.formulas import frame_rules, splat_views, view_path
from worldgauge.benchmarks.worldolympiad.formulas.alignment import aligned_scale
from worldgauge.benchmarks.worldolympiad.formulas.background_fill import fill_background
from worldgauge.benchmarks.worldolympiad.formulas.combination import combined_score, geometry_score
from worldgauge.benchmarks.worldolympiad.formulas.judge_loop import Failed, judge_rules
from worldgauge.benchmarks.worldolympiad.formulas.mask_choice import (
    COLOURS,
    Found,
    chosen,
    moving_mask,
    with_boxes,
)
from worldgauge.benchmarks.worldolympiad.formulas.object_names import object_names
from worldgauge.benchmarks.worldolympiad.formulas.score_text import normalised
from worldgauge.benchmarks.worldolympiad.formulas.static_scene import in_form, static_scene
from worldgauge.benchmarks.worldolympiad.formulas.target_poses import target_poses
from worldgauge.benchmarks.worldolympiad.formulas.trajectory import compare_profiles
from worldgauge.benchmarks.worldolympiad.official.judge_files import ROUNDED, physical_summary
from worldgauge.benchmarks.worldolympiad.parity.stand_ins import measured, stored
from worldgauge.benchmarks.worldolympiad.signals import view_judgements, views
from worldgauge.core.errors import Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.reasons import NO_ANSWER
from worldgauge.functional.scenes import SceneCameras
from worldgauge.judge.forms import Unreadable, object_in

Arrays = Mapping[str, NDArray[Any]]
Answer = dict[str, Any]


def trajectory_score(given: Answer, arrays: Arrays) -> Answer:
    """Through the registered metric; the core without alignment beside it."""
    # As the original gets them: world-to-camera in single precision.
    single = np.linalg.inv(np.linalg.inv(arrays[given["pred_c2w"]].astype(np.float64)).astype(np.float32))
    predicted = arrays[given["pred_c2w"]].astype(np.float64)
    target = arrays[given["target_c2w"]].astype(np.float64)
    if len(predicted) < 2:
        return {"score": 0.0}
    fitted = target[frame_rules.resampled(len(target), len(predicted))]
    seed = given["ransac_seed"]
    return {
        "score": measured("camera_motion", {"poses": predicted}, {"poses": fitted}, seed=seed).value,
        "scale": aligned_scale(single, fitted, seed),
        "core": compare_profiles(predicted, fitted).score,
        "target_indices": frame_rules.resampled(len(target), len(predicted)),
    }


def trajectory_target_formats(given: Answer, arrays: Arrays) -> Answer:
    found = target_poses(given["target"], given["target_len"])
    if found is None:
        return {"raises": None, "is_none": True, "centres": None, "rot00": None}
    return {"raises": None, "is_none": False, "centres": found[:, :3, 3].tolist(), "rot00": found[:, 0, 0].tolist()}


def frame_index_rules(given: Answer, arrays: Arrays) -> Answer:
    total, most = given["total"], given["max"]
    return {
        "reconstruction": frame_rules.spread(total, most),
        "sam_proxy": frame_rules.cut_spread(total, most),
        "qwen_video": frame_rules.shown_frames(total, most),
        "pose_resample": frame_rules.resampled(total, most) if most > 0 else None,
    }


def judge_image_size(given: Answer, arrays: Arrays) -> Answer:
    width, height = FrameSpec().within(given["max_side"]).output_size(given["w"], given["h"])
    return {"shape": [height, width]}


def physical_case_score(given: Answer, arrays: Arrays) -> Answer:
    """The summary of a judge file; its score through the registered metric where the verdicts are what ours can be."""
    summary = physical_summary(given["results"])
    value = measured("physical_case", stored(given["results"])).value if summary["score"] <= 1 else summary["score"]
    return {"value": {**summary, "score": round(value, ROUNDED)}}


def physical_judge_loop(given: Answer, arrays: Arrays) -> Answer:
    asker = _Script(given)
    rules = [
        Rule(id=name, dimension=dimension, asks="", holds="", also="") for name, dimension in given["rules_in_order"]
    ]
    try:
        found = judge_rules(rules, given["mode"], asker)
    except ValueError:
        return {"results": None, "raises": "ValueError", "calls": asker.calls, "summary": None}
    results = []
    for one in found:
        told = {key: one[key] for key in ("question_id", "dimension", "related", "compliant", "confidence")}
        if "relevance_confidence" in one:
            told["relevance_confidence"] = one["relevance_confidence"]
        told["has_error"] = "error" in one
        if "error" in one:
            told["error_stage"] = one["error"].partition(":")[0]
        results.append(told)
    return {"results": results, "raises": None, "calls": asker.calls, "summary": {"value": physical_summary(found)}}


class _Script:
    """A judge with recorded answers, as the kinds of the item describe them."""

    def __init__(self, given: Answer) -> None:
        self.given, self.calls = given, list[list[Any]]()

    def relevance(self, asked: Any, batched: bool) -> Any:
        ids = self._note("rel", asked, batched)
        if not batched:
            alone = self.given["mode"] == "none"
            answers = self.given["relevance" if alone else "relevance_in_per_question_fallback"]
            return self._single(ids, answers, self.given["failing_relevance_ids"])
        return self._batch(ids, self.given["relevance"], "batch_relevance")

    def compliance(self, asked: Any, batched: bool) -> Any:
        ids = self._note("comp", asked, batched)
        if not batched:
            return self._single(ids, self.given["compliance"], self.given["failing_compliance_ids"])
        return self._batch(ids, self.given["compliance"], "batch_compliance")

    def _note(self, stage: str, asked: Any, batched: bool) -> list[str]:
        ids = [rule.id for rule in asked]
        self.calls.append([f"b{stage}" if batched else stage, ids])
        return ids

    def _single(self, ids: list[str], answers: Any, failing: list[str]) -> Any:
        if ids[0] in failing:
            raise Failed("no answer")
        return answers[ids[0]]

    def _batch(self, ids: list[str], answers: Any, stage: str) -> Any:
        kind = self.given["kind"]
        if kind == f"{stage}_bad_json":
            raise Failed("not JSON")
        listed: list[Any] = [{"question_id": name, **answers[name]} for name in ids]
        if kind == f"{stage}_missing_id":
            listed = listed[:-1]
        if kind == "extra_and_duplicate_ids":
            first = dict(listed[0])
            if "related" in first:
                first["related"] = not first["related"]
            listed = [*listed, first, {"question_id": "unknown"}, 3]
        return {"results": listed}


def three_d_score_parsing(given: Answer, arrays: Arrays) -> Answer:
    parts = given.get("content_list", ())
    return {"score": _score_in(given["text"] if "text" in given else "".join(part["text"] for part in parts))}


def _score_in(text: str) -> float:
    """The score of a judge's answer as a run reads it; the original takes any number of a text for one."""
    try:
        answer = view_judgements.SCORE.read(object_in(text))
    except Unreadable as problem:
        raise Unscored(str(problem), code=NO_ANSWER) from problem
    return normalised(answer["score"])


def combine(given: Answer, arrays: Arrays) -> Answer:
    if set(given) <= {"final_score"}:
        raw = float(given.get("final_score", 0.0))
        return {"final_score_raw": raw, "final_score_normalized": round(geometry_score(raw), ROUNDED)}
    found = combined_score([given["physical"], given["interaction"], given["three_d"]])
    return {"combined_score": None if found is None else round(found, ROUNDED)}


def background_fill(given: Answer, arrays: Arrays) -> Answer:
    if "frames" not in given:
        fill_background(np.zeros((2, 4, 4, 3), np.uint8), np.zeros((1, 4, 4), bool))
    filled, left = fill_background(arrays[given["frames"]], arrays[given["masks"]] > 0)
    return {"filled": filled, "left_for_inpainting": left.astype(np.uint8)}


def mask_postprocessing(given: Answer, arrays: Arrays) -> Answer:
    frame = arrays[given["frame"]][..., ::-1]
    height, width = given["height"], given["width"]
    found = []
    packed = arrays[given["masks_packed"]] if given["masks_packed"] else ()
    for k, row in enumerate(packed):
        mask = np.unpackbits(row)[: height * width].reshape(height, width) > 0
        if given["boxes_is_none"]:
            found.append(Found(mask, 1.0, k))
        else:
            x0, y0, x1, y1 = (float(number) for number in given["xyxy"][k])
            found.append(Found(mask, float(np.float32(given["conf"][k])), given["cls"][k], (x0, y0, x1, y1)))
    things = chosen(found)
    grown = moving_mask(things, height, width)
    return {
        "bbox_overlay": with_boxes(frame, things)[..., ::-1],
        "dynamic_mask_dilated": grown.astype(np.uint8),
        "colours_drawn_bgr": sorted({COLOURS[one.name % 5][::-1] for one in things}),
        "dilated_pixels": int(grown.sum()),
    }


def named_objects(given: Answer, arrays: Arrays) -> Answer:
    return {"value": list(object_names(given["judge_answer"]))}


def splat_view_path(given: Answer, arrays: Arrays) -> Answer:
    """What a run draws from, and the rest of its path."""
    path = views.path_of(_cameras(given, arrays))
    drawn = [views.camera_at(path, k) for k in range(len(path.focal))]
    return {
        "n_interpolated": len(path.between),
        "n_views": len(drawn),
        "segments": [list(part) for part in path.segments],
        "judged_indices": path.judged,
        "viewmats_w2c": np.stack([pose[:3] for pose, _ in drawn]),
        "interpolated_c2w": path.between[:, :3],
        "smoothed_c2w": path.smooth[:, :3],
        "focal_effective_px": np.stack([lens[[0, 1], [0, 1]] for _, lens in drawn]),
        "normalised_intrinsics_fx_fy_cx_cy": path.intrinsics,
    }


def _cameras(given: Answer, arrays: Arrays) -> SceneCameras:
    return SceneCameras(
        splat_views.as_square(arrays[given["extrinsics_w2c"]]),
        arrays[given["intrinsics_px"]],
        (splat_views.SIDE, splat_views.SIDE),
        is_metric=bool(given["is_metric"]),
        factor=given["scale_factor"],
    )


def splat_view_counts(given: Answer, arrays: Arrays) -> Answer:
    counts = splat_views.view_counts(given["n_poses"])
    return {
        "raises": None,
        "n_interpolated": counts.path,
        "middle_index": counts.middle,
        "n_wander": counts.inserted + 2,
        "n_dolly": counts.inserted,
        "n_views": counts.views,
        "judged_indices": splat_views.judged_views(counts.views),
    }


def splat_path_parts(given: Answer, arrays: Arrays) -> Answer:
    def pose(name: str) -> NDArray[np.float64]:
        return arrays[given[name]].astype(np.float64)

    match given["part"]:
        case "interpolate_pose":
            weights = view_path.eased(given["n_samples"])
            found = view_path.interpolated(pose("initial_c2w"), pose("final_c2w"), weights)
        case "smooth":
            found = view_path.smoothed(pose("poses_c2w"), given["kernel_asked"])
        case "wander":
            focal = float(pose("normalised_intrinsics")[0, 0] * splat_views.SIDE)
            found = view_path.wander(pose("c2w"), focal, given["num_frames"])
        case _:
            found, factors = view_path.dolly(pose("c2w"), given["num_frames"])
            lens = pose("normalised_intrinsics")
            return {"poses_c2w": found[:, :3], "fx_fy": factors[:, None] * np.array([lens[0, 0], lens[1, 1]])}
    return {"poses_c2w": found[:, :3]}


def render_intrinsics(given: Answer, arrays: Arrays) -> Answer:
    height, width = given["render_height_width"]
    lens, focal = splat_views.render_lens(np.array([given["intrinsics_px"]], np.float64), (width, height))
    pose = splat_views.unscaled(
        np.array([given["extrinsics_w2c"]], np.float64), bool(given["is_metric"]), given["scale_factor"]
    )
    matrix = [[focal[0, 0], 0.0, width / 2], [0.0, focal[0, 1], height / 2], [0.0, 0.0, 1.0]]
    return {"normalised_intrinsics": lens[0], "viewmat_w2c": pose[0], "effective_K": matrix}


def meta_view_choice(given: Answer, arrays: Arrays) -> Answer:
    """What a run draws its meta-view from; recorded are renders of its size."""
    index, (pose, lens) = views.meta_camera(_cameras(given, arrays))
    return {"index": index, "viewmat_w2c": pose, "effective_K": lens.tolist()}


def splat_judge_message(given: Answer, arrays: Arrays) -> Answer:
    if given["part"] == "splat_video":
        shape: list[int] = given.get("tensor_shape") or [given["n_views"], 3, splat_views.SIDE, splat_views.SIDE]
        if len(shape) != 4:
            raise ValueError("views are (T, 3, H, W)")
        return {"frames_sent": splat_views.judged_views(shape[0]), "score": _score_in('{"score": 0.625}')}
    if "image_chw" in given:
        pixels = splat_views.shown_pixels(np.array(given["image_chw"], np.float32))
    else:
        pixels = np.array(given["image_chw_uint8"], np.uint8)
    return {"pixels_hwc": pixels.transpose(1, 2, 0).tolist(), "score": _score_in('{"score": 0.625}')}


def static_scene_prompt(given: Answer, arrays: Arrays) -> Answer:
    if "scene_parts" in given:
        return {"text": in_form(given["scene_parts"], given["camera_parts"], given["fallback_parts"])}
    answer = None if given["judge_raises"] else given["judge_answer"]
    return {"text": static_scene(given["prompt"], answer)}


ITEMS: dict[str, Callable[[Answer, Arrays], Answer]] = {
    "trajectory_score": trajectory_score,
    "trajectory_target_formats": trajectory_target_formats,
    "frame_index_rules": frame_index_rules,
    "judge_image_size": judge_image_size,
    "physical_case_score": physical_case_score,
    "physical_judge_loop": physical_judge_loop,
    "three_d_score_parsing": three_d_score_parsing,
    "combine": combine,
    "background_fill": background_fill,
    "mask_postprocessing": mask_postprocessing,
    "object_names": named_objects,
    "splat_view_path": splat_view_path,
    "splat_view_counts": splat_view_counts,
    "splat_path_parts": splat_path_parts,
    "render_intrinsics": render_intrinsics,
    "meta_view_choice": meta_view_choice,
    "splat_judge_message": splat_judge_message,
    "static_scene_prompt": static_scene_prompt,
}
