"""Our answers to recorded calls of the released code, one function per item of the parity folder.

Each gets a call's `input` and the item's arrays and returns its `output` under the recorded names. Where the original
crashed or returned nothing, it raises the outcome that becomes a record's status.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.data import camera_tracks
from worldgauge.benchmarks.memobench.formulas import small_rules as released
from worldgauge.benchmarks.memobench.formulas.camera_control import control_score, resample_indices, trace_angle_deg
from worldgauge.benchmarks.memobench.formulas.depth_consistency import (
    depth_similarity,
    phase_consistency,
    released_geometry,
)
from worldgauge.benchmarks.memobench.formulas.patches import centre_crop_input, place_similarities, top_patch_agreement
from worldgauge.benchmarks.memobench.formulas.reappearance import DETECTOR_THRESHOLD, frame_confidence, reappearance
from worldgauge.benchmarks.memobench.formulas.revisits import revisit_indices
from worldgauge.benchmarks.memobench.formulas.smoothness import (
    FEWEST_FRAMES,
    back_phase_counts,
    forward_sampled_error,
    released_phase,
    released_smoothness,
)
from worldgauge.benchmarks.memobench.official import columns, leaderboard, vqa
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.functional.pairing import phase_pairs
from worldgauge.functional.phases import clamp, clamped_boundaries, split, spread, spread_pairs, stride_pairs
from worldgauge.functional.photometric import psnr, ssim
from worldgauge.functional.rotation_agreement import compare_rotations
from worldgauge.media.resize import resize

Arrays = Mapping[str, NDArray[Any]]
Answer = dict[str, Any]


def phase_mapping(given: Answer, arrays: Arrays) -> Answer:
    h, r = clamped_boundaries(given["h_gt"], given["r_gt"], given["gt_total"], given["gen_total"])
    return {"h": h, "r": r}


def motion_smoothness(given: Answer, arrays: Arrays) -> Answer:
    frames = [_shrink(f[..., ::-1], given["max_side"]) for f in arrays[given["frames"]]]
    height, width = frames[0].shape[:2]
    flows = {tuple(pair): arrays[given["flows"]][i] for i, pair in enumerate(given["flow_pairs"])}
    visible, back = range(given["h"] + 1), range(given["r"], given["N"])
    errors: dict[str, dict[tuple[int, int], float]] = {}
    for name, phase in (("V", visible), ("R", back)):
        sampled = len(phase[:: given["sample_step"]]) >= FEWEST_FRAMES
        pairs = stride_pairs(phase, given["sample_step"]) if sampled else []
        errors[name] = {
            (i, j): forward_sampled_error(
                frames[i], frames[j], flows[i, j].astype(np.float32)[:, :height, :width].transpose(1, 2, 0)
            )
            for i, j in pairs
        }
    used = [*errors["V"], *errors["R"]]
    scores = {
        name: released_phase(list(errors[name].values()), len(phase[:: given["sample_step"]]))
        for name, phase in (("V", visible), ("R", back))
    }
    counted_back = scores["R"] if back_phase_counts(given["N"], given["r"]) else None
    return {
        "score_V": scores["V"],
        "score_R": scores["R"],
        "pairs_used": [list(pair) for pair in used],
        "pair_errors": [*errors["V"].values(), *errors["R"].values()],
        "n_pairs_V": len(errors["V"]),
        "model_input": [_network_input(pair, frames) for pair in used[:1]],
        "TemporalScore": released_smoothness(scores["V"], counted_back),
    }


def identity(given: Answer, arrays: Arrays) -> Answer:
    tokens = arrays[given["tokens"]].astype(np.float32)
    indices = clamp(spread(range(given["start"], given["end"] + 1), given["n_sample"]), given["N"])
    agreement = top_patch_agreement(place_similarities(tokens[0], tokens[indices]), given["top_k_frac"])
    answer: Answer = {
        "obj_identity_consistency": round(agreement.mean, 4),
        "obj_min_identity_consistency": round(agreement.minimum, 4),
        "indices_read": [0, *indices],
    }
    if "frame0" in given:
        network = centre_crop_input(np.ascontiguousarray(arrays[given["frame0"]][..., ::-1]))
        answer["network_input_frame0"] = {
            "shape": [1, *network.shape],
            "mean": network.mean(axis=(1, 2)).tolist(),
            "std": network.std(axis=(1, 2), ddof=1).tolist(),
            "grid": network[:, 10::68, 10::68].tolist(),
        }
    return answer


def geo3d(given: Answer, arrays: Arrays) -> Answer:
    depth = arrays[given["depth"]].astype(np.float32)
    answer: Answer = {"frames_run": []}
    similarities = {}
    for name, phase in (("V", range(given["h"] + 1)), ("R", range(given["r"], given["N"]))):
        pairs = spread_pairs(phase, given["n_sample"], given["N"])
        similarities[name] = [depth_similarity(depth[i], depth[j]) for i, j in pairs]
        mean, low = phase_consistency(similarities[name]) if pairs else (0.0, 0.0)
        answer[name] = {"geo_consistency": round(mean, 4), "min_geo_consistency": round(low, 4)}
        answer["frames_run"] += [index for pair in pairs for index in pair]
    answer["n_calls_V"] = 2 * len(similarities["V"])
    answer["GeoConsistencyMean"], answer["GeoConsistencyMin"] = released_geometry(similarities["V"], similarities["R"])
    return answer


def pixel_fidelity(given: Answer, arrays: Arrays) -> Answer:
    subject = [_shrink(frame[..., ::-1], given["max_side"]) for frame in arrays[given["gen"]]]
    size = (subject[0].shape[1], subject[0].shape[0])
    truth = [resize(np.ascontiguousarray(frame[..., ::-1]), size, "area") for frame in arrays[given["gt"]]]
    keyframes, lengths = (given["h_gt"], given["r_gt"]), (len(truth), len(subject))
    phases = split(*keyframes, *lengths, "shared")
    answer: Answer = {"h": phases.gone, "r": phases.back, "gt_frames": len(truth)}
    pairs = phase_pairs(*keyframes, *lengths, "shared")
    answer |= {"gt_index_lists": {}, "unrounded": {}, "GTRevisitSim_is_none": False}
    answer |= {f"GT_{letter}_{metric}": None for letter in columns.PHASES for metric in ("PSNR", "SSIM")}
    answer["revisit_gt_indices"] = revisit_indices(given["r_gt"], len(truth))
    answer["revisit_gen_indices"] = revisit_indices(phases.back, len(subject))
    for letter, paired in zip(columns.PHASES, pairs.values(), strict=True):
        if not paired:
            continue
        means = {
            "PSNR": float(np.mean([psnr(subject[i], truth[j]) for i, j in paired])),
            "SSIM": float(np.mean([ssim(subject[i], truth[j], "reflect") for i, j in paired])),
        }
        answer["gt_index_lists"][letter] = [j for _, j in paired]
        answer["unrounded"][letter] = {name.lower(): mean for name, mean in means.items()}
        answer |= {f"GT_{letter}_{name}": round(mean, 4) for name, mean in means.items()}
    return answer


def camera_controllability(given: Answer, arrays: Arrays) -> Answer:
    requested = arrays[given["gt_c2w"]]
    estimate = arrays[given["est_c2w"]] if given["est_c2w"] else None
    if given["N"] < 2:
        raise InvalidVideo("a camera path needs two frames")
    indices = resample_indices(len(requested), given["N"])
    if estimate is None:
        raise Unscored("no camera path could be estimated")
    agreement = compare_rotations(estimate, requested[indices], trace_angle_deg)
    score = control_score(agreement.rms, agreement.net_rotation)
    degrees = (agreement.rms, agreement.net_rotation, agreement.mean_step_error)
    names = ("camera_controllability", "ate_rot_deg", "total_gt_rotation_deg", "mean_rot_error_deg")
    values = (round(score, 4), *(round(value, 3) for value in degrees))
    return {"result": {"value": dict(zip(names, values, strict=True))}, "gt_index_list": {"value": indices}}


def ue_csv_to_c2w(given: Answer, arrays: Arrays) -> Answer:
    angles, location = ([given[f"{kind}_{axis}"] for axis in "xyz"] for kind in ("rot", "loc"))
    return {"c2w": camera_tracks.engine_pose(angles, location).tolist()}


def ors(given: Answer, arrays: Arrays) -> Answer:
    readable = iter(given["frames"])
    confidences: list[float | None] = []
    sent = 0
    for index in range(given["r_start"], given["n_frames"]):
        if index in given["unreadable_indices"]:
            confidences.append(None)
            continue
        sent += 1
        found = next(readable)
        if found is None:
            confidences.append(None)
            continue
        pixels = np.array(found["mask_pixels"])
        if found["masks_packed"]:
            bits = np.unpackbits(arrays[found["masks_packed"]], axis=1)
            pixels = bits[:, : given["height"] * given["width"]].sum(axis=1)
        confidences.append(frame_confidence(pixels / (given["height"] * given["width"]), found["scores"]))
    result = reappearance(confidences).rounded()
    return {
        "ors": result.score,
        "detection_rate": result.detection_rate,
        "mean_confidence": result.mean_confidence,
        "n_r_frames": result.frames,
        "n_detected": result.detected,
        "threshold_set": DETECTOR_THRESHOLD if sent else None,
        "frames_sent": sent,
    }


def normalised_table(rows: list[Answer]) -> list[Answer]:
    """All rows of one table together, as the released code computes them; NaN becomes None."""
    import pandas

    table = columns.add_composites(pandas.DataFrame(rows))
    return [
        {str(key): None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
        for row in table.to_dict("records")
    ]


def vqa_scoring(given: Answer, arrays: Arrays) -> Answer:
    return {"value": vqa.score_answers(given["answers"], given["bank"])}


def vqa_answer_parsing(given: Answer, arrays: Arrays) -> Answer:
    return {"value": vqa.parse_answers(given["text"])}


def leaderboard_tree(given: Answer, arrays: Arrays) -> Answer:
    with TemporaryDirectory() as name:
        root = Path(name)
        for file in given["files"]:
            path = root / file["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file["text"], "utf-8")
            os.utime(path, (file["mtime"], file["mtime"]))
        rows = leaderboard.build_leaderboard(root / "eval", root / "ors", root / "vqa")
    orders = {
        column: [row["Model"] for row in leaderboard.sort_rows(rows, column)]
        for column in ("ORS", "LPIPS", "GT_ALL_LPIPS", "CamCtrl")
    }
    return {
        "columns": leaderboard.COLUMNS,
        "rows": [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in rows],
        "format_csv": leaderboard.to_csv(rows) + "\n",
        "row_order_with_sort_csv_format": orders,
        "row_order_sort_LPIPS_terminal": [r["Model"] for r in leaderboard.sort_rows(rows, "LPIPS", best_first=False)],
    }


def leaderboard_aggregate(given: Answer, arrays: Arrays) -> Answer:
    import pandas

    results = pandas.DataFrame({k: np.array(v, dtype=np.float64) for k, v in given["eval"].items()})
    scores = pandas.DataFrame(given["ors"]) if given["ors"] else None
    row = leaderboard.aggregate_model(given["model"], results, scores, given["vqa"])
    return {key: "NaN" if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}


def resize_max_side(given: Answer, arrays: Arrays) -> Answer:
    if "image" not in given:
        width, height = FrameSpec().within(given["max_side"]).output_size(given["w"], given["h"])
        return {"shape": [height, width]}
    image = _shrink(arrays[given["image"]], given["max_side"])
    return {"image": image, "shape": list(image.shape)}


def image_reward_pooling(given: Answer, arrays: Arrays) -> Answer:
    return {
        "score": released.pooled_reward(given["raw_scores"]),
        "indices": released.reward_frames(given["N"]),
    }


def iqa_laplacian_fallback(given: Answer, arrays: Arrays) -> Answer:
    return {"laplacian_quality": released.laplacian_quality(arrays[given["image"]][..., ::-1])}


ITEMS: dict[str, Callable[[Answer, Arrays], Answer]] = {
    "phase_mapping": phase_mapping,
    "motion_smoothness": motion_smoothness,
    "identity": identity,
    "geo3d": geo3d,
    "pixel_fidelity": pixel_fidelity,
    "camera_controllability": camera_controllability,
    "ue_csv_to_c2w": ue_csv_to_c2w,
    "ors": ors,
    "vqa_scoring": vqa_scoring,
    "vqa_answer_parsing": vqa_answer_parsing,
    "leaderboard_tree": leaderboard_tree,
    "leaderboard_aggregate": leaderboard_aggregate,
    "resize_max_side": resize_max_side,
    "image_reward_pooling": image_reward_pooling,
    "iqa_laplacian_fallback": iqa_laplacian_fallback,
}
"""Beside them: `normalise_composites` is one table, `subject_phrase` needs the released prompts."""


def _shrink(image: NDArray[np.uint8], max_side: int) -> NDArray[np.uint8]:
    spec = FrameSpec().within(max_side)
    return resize(np.ascontiguousarray(image), spec.output_size(image.shape[1], image.shape[0]), "area")


def _network_input(pair: tuple[int, int], frames: list[NDArray[np.uint8]]) -> Answer:
    first, second = (released.padded(frames[index]) for index in pair)
    return {
        "pair": list(pair),
        "shape": [1, 3, *first.shape[:2]],
        "mean1": float(first.mean()),
        "mean2": float(second.mean()),
        "min1": float(first.min()),
        "max1": float(first.max()),
    }
