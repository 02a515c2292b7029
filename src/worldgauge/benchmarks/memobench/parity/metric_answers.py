"""Our answers to recorded calls of the released code around a metric: clip in, recorded networks in the seats, the
registered signals and metrics of the benchmark's columns, number out.

Some calls were recorded with phase boundaries that the released map from keyframes never gives. A metric is handed
keyframes, so those go through the formulas it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.formulas.camera_control import resample_indices, trace_angle_deg
from worldgauge.benchmarks.memobench.formulas.depth_consistency import (
    depth_similarity,
    phase_consistency,
    released_geometry,
)
from worldgauge.benchmarks.memobench.formulas.patches import place_similarities, top_patch_agreement
from worldgauge.benchmarks.memobench.formulas.reappearance import DETECTOR_THRESHOLD, pooled_confidences, reappearance
from worldgauge.benchmarks.memobench.formulas.smoothness import (
    FEWEST_FRAMES,
    back_phase_counts,
    forward_sampled_error,
    released_phase,
    released_smoothness,
)
from worldgauge.benchmarks.memobench.official import columns
from worldgauge.benchmarks.memobench.parity import stand_ins
from worldgauge.benchmarks.memobench.parity.stand_ins import RecordedCall, measured, numbered, reached
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.functional.pairing import phase_pairs
from worldgauge.functional.phase_values import values_of_pairs
from worldgauge.functional.phases import clamp, spread, spread_pairs, stride_pairs
from worldgauge.instruments.neural.preparing import squares
from worldgauge.media.resize import resize
from worldgauge.parity import official_instrument

Arrays = Mapping[str, NDArray[Any]]
Answer = dict[str, Any]


def phase_mapping(given: Answer, arrays: Arrays) -> Answer:
    lengths = {
        "keyframes": np.array([given["h_gt"], given["r_gt"]]),
        "lengths": np.array([given["gen_total"], given["gt_total"]]),
    }
    case = Case(id="recorded")
    return {name: int(measured(f"{name}_start", case, lengths).value) for name in ("h", "r")}


def motion_smoothness(given: Answer, arrays: Arrays) -> Answer:
    frames, step = np.asarray(arrays[given["frames"]])[..., ::-1], given["sample_step"]
    shown = [_shrink(frame, given["max_side"]) for frame in frames]
    height, width = shown[0].shape[:2]
    stored = arrays[given["flows"]] if given["flows"] else np.zeros((0, 2, height, width))
    waiting = [
        (shown[i].tobytes(), shown[j].tobytes(), flow.astype(np.float32)[:, :height, :width].transpose(1, 2, 0))
        for (i, j), flow in zip(given["flow_pairs"], stored, strict=True)
    ]
    count, keyframes = given["N"], (given["h"], given["r"])
    ranges = {"V": range(keyframes[0] + 1), "R": range(keyframes[1], count)}
    sampled = {name: len(phase[::step]) for name, phase in ranges.items()}
    pairs = {n: stride_pairs(phase, step) if sampled[n] >= FEWEST_FRAMES else [] for n, phase in ranges.items()}
    used = [*pairs["V"], *pairs["R"]]
    if reached(count, *keyframes) and step == 4:
        with RecordedCall(frames, frames, keyframes, [stand_ins.RecordedFlow(waiting)], given["max_side"]) as call:
            total = call.measure("MotionSmoothness").value
            (warped,) = call.signals("MotionSmoothness")
        errors = {name: values_of_pairs(warped, "error", of_phase) for name, of_phase in pairs.items()}
    else:
        flows = {tuple(pair): flow for pair, (*_, flow) in zip(given["flow_pairs"], waiting, strict=True)}
        errors = {n: [forward_sampled_error(shown[i], shown[j], flows[i, j]) for i, j in p] for n, p in pairs.items()}
        total = None
    scores = {name: released_phase(errors[name], sampled[name]) for name in ranges}
    if total is None:
        back = scores["R"] if back_phase_counts(count, keyframes[1]) else None
        total = released_smoothness(scores["V"], back)
    return {
        "score_V": scores["V"],
        "score_R": scores["R"],
        "pairs_used": [list(pair) for pair in used],
        "pair_errors": [*errors["V"], *errors["R"]],
        "n_pairs_V": len(errors["V"]),
        "model_input": [_network_input(pair, shown) for pair in used[:1]],
        "TemporalScore": total,
    }


def identity(given: Answer, arrays: Arrays) -> Answer:
    tokens = arrays[given["tokens"]].astype(np.float32)
    frames, back = given["N"], given["start"]
    if reached(frames, 2, back) and given["top_k_frac"] == 0.4:
        clip = numbered(frames)
        with RecordedCall(clip, clip, (2, back), [stand_ins.RecordedTokens(tokens)]) as call:
            mean, minimum = (call.measure(f"ObjIdentity{part}") for part in ("Mean", "Min"))
        assert not callable(mean.frames) and mean.frames is not None
        values, indices = (mean.value, minimum.value), list(mean.frames)
    else:
        indices = clamp(spread(range(back, given["end"] + 1), given["n_sample"]), frames)
        agreement = top_patch_agreement(place_similarities(tokens[0], tokens[indices]), given["top_k_frac"])
        values = (round(agreement.mean, 4), round(agreement.minimum, 4))
    answer: Answer = {
        "obj_identity_consistency": values[0],
        "obj_min_identity_consistency": values[1],
        "indices_read": [0, *indices],
    }
    if "frame0" in given:
        network = _embedded(np.ascontiguousarray(arrays[given["frame0"]][..., ::-1]))
        answer["network_input_frame0"] = {
            "shape": [1, *network.shape],
            "mean": network.mean(axis=(1, 2)).tolist(),
            "std": network.std(axis=(1, 2), ddof=1).tolist(),
            "grid": network[:, 10::68, 10::68].tolist(),
        }
    return answer


def geo3d(given: Answer, arrays: Arrays) -> Answer:
    depth, frames, keyframes = arrays[given["depth"]].astype(np.float32), given["N"], (given["h"], given["r"])
    answer: Answer = {"frames_run": []}
    ranges = {"V": range(keyframes[0] + 1), "R": range(keyframes[1], frames)}
    pairs = {name: spread_pairs(phase, given["n_sample"], frames) for name, phase in ranges.items()}
    if reached(frames, *keyframes) and given["n_sample"] == 3:
        clip = numbered(frames)
        with RecordedCall(clip, clip, keyframes, [stand_ins.RecordedDepth(depth)]) as call:
            totals = [call.measure(f"GeoConsistency{part}").value for part in ("Mean", "Min")]
            (found,) = call.signals("GeoConsistencyMean")
        similarities = {name: values_of_pairs(found, "similarity", of_phase) for name, of_phase in pairs.items()}
    else:
        similarities = {n: [depth_similarity(depth[i], depth[j]) for i, j in p] for n, p in pairs.items()}
        totals = list(released_geometry(similarities["V"], similarities["R"]))
    for name, values in similarities.items():
        mean, low = phase_consistency(values) if values else (0.0, 0.0)
        answer[name] = {"geo_consistency": round(mean, 4), "min_geo_consistency": round(low, 4)}
        answer["frames_run"] += [index for pair in pairs[name] for index in pair]
    answer["n_calls_V"] = 2 * len(similarities["V"])
    answer["GeoConsistencyMean"], answer["GeoConsistencyMin"] = totals
    return answer


def pixel_fidelity(given: Answer, arrays: Arrays) -> Answer:
    subject, truth = (np.asarray(arrays[given[name]])[..., ::-1] for name in ("gen", "gt"))
    keyframes = (given["h_gt"], given["r_gt"])
    with RecordedCall(subject, truth, keyframes, [stand_ins.RecordedEmbedding()], given["max_side"]) as call:
        answer: Answer = {
            name: int(call.measure(column).value)
            for name, column in (("h", "h_start"), ("r", "r_start"), ("gt_frames", "gt_frames"))
        }
        answer |= {"gt_index_lists": {}, "unrounded": {}, "GTRevisitSim_is_none": False}
        pairs = phase_pairs(*keyframes, len(truth), len(subject), "shared")
        for letter, paired in zip(columns.PHASES, pairs.values(), strict=True):
            for name in ("PSNR", "SSIM"):
                try:
                    outcome = call.measure(f"GT_{letter}_{name}")
                except InvalidVideo:
                    answer[f"GT_{letter}_{name}"] = None
                    continue
                answer[f"GT_{letter}_{name}"] = outcome.value
                mean = float(np.mean([value for value in outcome.curve or () if value is not None]))
                answer["unrounded"].setdefault(letter, {})[name.lower()] = mean
                answer["gt_index_lists"][letter] = [j for _, j in paired]
        revisits = call.signals("GTRevisitSim")[0]["pairs"]
    answer["revisit_gen_indices"], answer["revisit_gt_indices"] = revisits.T.tolist()
    return answer


def camera_controllability(given: Answer, arrays: Arrays) -> Answer:
    requested, frames = arrays[given["gt_c2w"]], given["N"]
    estimate = arrays[given["est_c2w"]] if given["est_c2w"] else None
    if frames >= 2 and estimate is None:
        raise Unscored("no camera path could be estimated")
    found = {"poses": np.zeros((frames, 4, 4)) if estimate is None else estimate}
    with TemporaryDirectory() as name:
        CameraPath(requested).save(Path(name) / "camera.npz")
        case = Case(id="recorded", condition=Condition(camera="camera.npz")).at(Path(name))
        score, rms, step = (
            measured(column, case, found, {"frames": np.array(frames)}).value
            for column in ("CameraControllability", "ATE_RotDeg", "MeanRotErrorDeg")
        )
        net = measured("TotalGT_RotDeg", case).value
    indices = resample_indices(len(requested), frames)
    if len(found["poses"]) < frames:
        # The original looks at the part of the request that an estimator with too few poses has followed.
        last = requested[indices][len(found["poses"]) - 1, :3, :3]
        net = round(float(trace_angle_deg(requested[0, :3, :3], last)), 3)
    names = ("camera_controllability", "ate_rot_deg", "total_gt_rotation_deg", "mean_rot_error_deg")
    values = dict(zip(names, (score, rms, net, step), strict=True))
    return {"result": {"value": values}, "gt_index_list": {"value": indices}}


def ors(given: Answer, arrays: Arrays) -> Answer:
    frames, back, size = given["n_frames"], given["r_start"], (given["height"], given["width"])
    looked_at = [i for i in range(back, frames) if i not in given["unreadable_indices"]]
    recorded = dict(zip(looked_at, given["frames"], strict=True))
    masks = {index: _masks(found, arrays, size) for index, found in recorded.items()}
    pixels = {index: of_frame.mean(axis=(1, 2)) for index, of_frame in masks.items()}
    scores = {index: np.array(found["scores"] if found else []) for index, found in recorded.items()}
    if reached(frames, 2, back) and len(looked_at) == frames - back:
        clip = numbered(frames, *size)
        answers = {index: (masks[index], scores[index]) for index in looked_at}
        with RecordedCall(clip, clip, (2, back), [stand_ins.RecordedMasks(answers)]) as call:
            confidences = list(call.measure("ORS").curve or ())
            ids = ("ORS", "detection_rate", "mean_confidence")
            score, rate, mean = (call.measure(column).value for column in ids)
        result = reappearance(confidences)
    else:
        found = {
            "frames": np.array(looked_at, np.int64),
            "counts": np.array([len(pixels[index]) for index in looked_at], np.int64),
            "coverages": np.concatenate([np.zeros(0), *(pixels[index] for index in looked_at)]),
            "scores": np.concatenate([np.zeros(0), *(scores[index] for index in looked_at)]),
        }
        result = reappearance(pooled_confidences(found, range(back, frames))).rounded()
        score, rate, mean = result.score, result.detection_rate, result.mean_confidence
    return {
        "ors": score,
        "detection_rate": rate,
        "mean_confidence": mean,
        "n_r_frames": result.frames,
        "n_detected": result.detected,
        "threshold_set": DETECTOR_THRESHOLD if looked_at else None,
        "frames_sent": len(looked_at),
    }


def image_reward_pooling(given: Answer, arrays: Arrays) -> Answer:
    frames = numbered(given["N"])
    rewards = iter([np.nan if score is None else score for score in given["raw_scores"]])
    keyframes = (0, 0)
    with RecordedCall(frames, frames, keyframes, [stand_ins.RecordedReward(rewards)]) as call:
        outcome = call.measure("ImageRewardScore")
    assert callable(outcome.frames)
    return {"score": outcome.value, "indices": list(outcome.frames(given["N"]))}


ITEMS: dict[str, Callable[[Answer, Arrays], Answer]] = {
    "phase_mapping": phase_mapping,
    "motion_smoothness": motion_smoothness,
    "identity": identity,
    "geo3d": geo3d,
    "pixel_fidelity": pixel_fidelity,
    "camera_controllability": camera_controllability,
    "ors": ors,
    "image_reward_pooling": image_reward_pooling,
}


def _masks(found: Answer | None, arrays: Arrays, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Masks (K, H, W): as stored, or of the recorded number of pixels."""
    height, width = size
    if found is None:
        return np.zeros((0, height, width), bool)
    if found["masks_packed"]:
        bits = np.unpackbits(arrays[found["masks_packed"]], axis=1)[:, : height * width].astype(bool)
    else:
        bits = np.arange(height * width) < np.array(found["mask_pixels"], np.int64).reshape(-1, 1)
    return bits.reshape(-1, height, width)


def _shrink(image: NDArray[np.uint8], max_side: int) -> NDArray[np.uint8]:
    spec = FrameSpec().within(max_side)
    return resize(np.ascontiguousarray(image), spec.output_size(image.shape[1], image.shape[0]), "area")


def _embedded(frame: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A frame as the official embedding network sees it, (3, side, side)."""
    import torch

    from worldgauge.instruments.neural.networks import stacked

    network = official_instrument("memobench", "anchor_similarities")
    square = torch.from_numpy(squares(frame[None], network.short_side, network.crop))
    seen: NDArray[np.float32] = stacked.normalised(square, stacked.IMAGENET_MEAN, stacked.IMAGENET_DEVIATION)[0].numpy()
    return seen


def _network_input(pair: tuple[int, int], frames: list[NDArray[np.uint8]]) -> Answer:
    import torch

    fitting = official_instrument("memobench", "phase_warp_errors").fitting()
    shown = torch.from_numpy(np.stack([frames[index] for index in pair]))
    first, second = fitting.images(shown).numpy()
    return {
        "pair": list(pair),
        "shape": [1, *first.shape],
        "mean1": float(first.mean()),
        "mean2": float(second.mean()),
        "min1": float(first.min()),
        "max1": float(first.max()),
    }
