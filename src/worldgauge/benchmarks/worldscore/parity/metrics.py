"""Parity checks of the metrics' own arithmetic. Each gets inputs, recorded outputs and tolerance."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldscore.formulas.camera_error import mirrored_tracker_poses, released_camera_error
from worldgauge.benchmarks.worldscore.formulas.interpolation_error import (
    colour_ssim,
    predicted_numbers,
    wrapped_squared_error,
)
from worldgauge.benchmarks.worldscore.formulas.motion_regions import grow
from worldgauge.benchmarks.worldscore.formulas.phrase_matching import asked_objects, detector_caption
from worldgauge.benchmarks.worldscore.formulas.style_gram import matrix_mse
from worldgauge.benchmarks.worldscore.official.aspects import normalised
from worldgauge.benchmarks.worldscore.official.evaluation_files import failed_entry
from worldgauge.benchmarks.worldscore.parity.registered import (
    Answers,
    case_with_camera,
    clip_of,
    flow_cycle_error,
    flow_stacks,
    measured,
    motion_magnitude,
    motion_regions,
    official,
    perceived,
    predictions,
)
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, NotApplicable, Unscored, WorldGaugeError
from worldgauge.functional.vgg_style import Layer, gram_matrix, style_features, style_image
from worldgauge.instruments.pocket.random_style import random_layers
from worldgauge.parity import Differs, expect_close, expect_equal

Stored = dict[str, Any]


def status_of(call: Callable[[], Any]) -> str:
    """The status we give where the original crashed or answered nonsense; a plain result instead is a difference."""
    try:
        result = call()
    except InvalidVideo:
        return "invalid"
    except Unscored:
        return "unscored"
    except NotApplicable:
        return "skipped"
    except WorldGaugeError:
        return "error"
    raise Differs(f"the original has no sound answer, we say {result!r}")


def camera_error(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    saved, tracker = given["gt_c2w_saved"], given["tracker_c2w"]
    largest = max(1.0, float(np.nanmax(np.abs(tracker[:, :3, 3]))))
    converted = mirrored_tracker_poses(tracker)
    expect_close("converted rotation", converted[:, :3, :3], recorded["pred_R_converted"], 1e-6 * largest)
    expect_close("converted translation", converted[:, :3, 3], recorded["pred_t_converted"], 1e-6 * largest)
    with TemporaryDirectory() as folder:
        case = case_with_camera(Path(folder), saved, given["camera_speed"])
        if math.isnan(recorded["rot_error_deg"]):
            return status_of(lambda: measured("camera_control", {"poses": tracker}, case=case))
        rotation, translation, control = (
            measured(name, {"poses": tracker}, case=case).value
            for name in ("camera_rotation", "camera_translation", "camera_control")
        )
    expect_close("rotation error", rotation, recorded["rot_error_deg"], tolerance["rot_error_deg_abs"])
    expect_close("translation error", translation, recorded["trans_error"], tolerance["trans_error_abs"])
    expect_close("score", control, recorded["score_normalized"], tolerance["score_normalized_abs"])
    if tolerance["scale"].startswith("rel"):
        error, expected = released_camera_error(saved, tracker, given["camera_speed"]), recorded["scale_from_solver"]
        expect_close("scale", error.scale, expected, max(1e-4, 5e-3 * abs(expected)))
    return None


def flow_pair(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    flows = [given[key].astype(np.float32) for key in ("forward", "backward")]
    if math.isnan(recorded["aepe"]) and not all(np.isfinite(flow).all() for flow in flows):
        return status_of(lambda: flow_cycle_error(flows))
    error = flow_cycle_error(flows).value
    if not math.isnan(recorded["aepe"]):
        expect_close("error", error, recorded["aepe"], tolerance["aepe_abs"], tolerance["aepe_rel"])
    score = normalised("optical_flow_aepe", error)
    expect_close("score", score, recorded["score_normalized"], tolerance["score_normalized_abs"])
    return None


def flow_video(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    if "flows" not in given:
        return status_of(lambda: flow_cycle_error([]))
    error = flow_cycle_error(given["flows"].astype(np.float32)).value
    expect_close("mean error", error, recorded["value"], relative=tolerance["rel"])
    return None


def flow_wrapper(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    """How frames become what the official flow network sees, and its field one of the frames."""
    import torch

    fitting, frame = official("flow_fields").fitting(), given["image_rgb_uint8"]
    height, width = frame.shape[:2]
    seen = recorded["network_input_chw"]
    seen = seen.reshape(seen.shape[-3:])
    # Levels of -1 to 1 here and of 0 to 255 in the recording, which was made before the sides are filled up.
    levels = (fitting.images(torch.from_numpy(np.ascontiguousarray(frame[None])))[0].numpy() + 1) * 127.5
    top, left = ((side - own) // 2 for side, own in zip(levels.shape[1:], seen.shape[1:], strict=True))
    inner = levels[:, top : top + seen.shape[1], left : left + seen.shape[2]]
    expect_close("network input", inner, seen, max(tolerance["abs"], 255 * np.finfo(np.float32).eps * 4))
    half = given["network_flow_half"].astype(np.float32)
    answer = np.zeros((1, 2, *levels.shape[1:]), np.float32)
    answer[..., top : top + half.shape[0], left : left + half.shape[1]] = half.transpose(2, 0, 1)
    flow = fitting.field(torch.from_numpy(answer), height, width)[0].numpy()
    expect_equal("flow size", list(flow.shape[:2]), recorded["flow_HW"])
    full = recorded["flow_full"]
    expect_close("flow", flow, full if full.shape == flow.shape else full.transpose(1, 2, 0), tolerance["abs"])
    return None


def gram(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    reference, frame = (given[key].astype(np.float32) for key in ("reference_features", "frame_features"))
    reference, frame = (array.reshape(array.shape[-3:]) for array in (reference, frame))
    expect_close("reference Gram", gram_matrix(reference), recorded["gram_reference"], tolerance["gram_abs"])
    expect_close("frame Gram", gram_matrix(frame), recorded["gram_frame"], tolerance["gram_abs"])
    loss = matrix_mse(gram_matrix(frame), gram_matrix(reference))
    expect_close("loss", loss, recorded["loss"], relative=tolerance["loss_rel"])
    return None


def style_images(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    side, mode = given["shorter_side"], given["reference_saved_as_mode"]
    if "raises" in recorded:
        return status_of(lambda: style_image(given["reference_rgb_uint8"], mode, side))
    layers = checked_layers(given["vgg"])
    image = given["reference_rgb_uint8"]
    if mode == "L":
        from PIL import Image

        image = np.asarray(Image.fromarray(image).convert("L"))
    grams = [gram_matrix(features) for features in style_features(style_image(image, mode, side), layers)]
    losses = []
    for frame in given["frames_rgb_uint8"]:
        features = style_features(style_image(frame, "RGB", side), layers)
        losses.append([matrix_mse(gram_matrix(own), given) for own, given in zip(features, grams, strict=True)])
    corner = np.stack([matrix[:6, :6] for matrix in grams])
    expected = recorded["reference_gram_top_left_6x6_per_layer"]
    # Entries near zero are differences of large ones, so the tolerance is relative to the largest.
    expect_close("Gram", corner, expected, tolerance["gram_rel"] * float(np.abs(expected).max()))
    traces = recorded["reference_gram_trace_per_layer"]
    expect_close("Gram trace", [np.trace(matrix) for matrix in grams], traces, relative=tolerance["gram_rel"])
    expect_close("losses", losses, recorded["loss_per_frame_per_layer"], 1e-12, tolerance["loss_rel"])
    score = measured("style_difference", {"released": np.sum(losses, axis=1)}, case=_anchored(len(losses))).value
    expect_close("score", score, recorded["score"], 1e-12, tolerance["score_rel"])
    wanted = recorded["score_normalized"]
    expect_close("normalised", normalised("gram_matrix", score), wanted, tolerance["score_normalized_abs"])
    return None


def _anchored(scenes: int) -> Case:
    return Case(id="vector", extras={"camera_path": ["push_in"] * scenes})


def checked_layers(recipe: Stored) -> list[Layer]:
    """The random VGG19 prefix of a recipe, checked against its checksum."""
    layers = random_layers(recipe["vgg_seed"])
    digest = hashlib.sha256(b"".join(array.tobytes() for layer in layers for array in layer)).hexdigest()
    expect_equal("weights", digest, recipe["sha256_of_float32_bytes_w1_b1_w2_b2_to_w5_b5"])
    return layers


def motion(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    """Through the signals and metrics of a run, with the recorded logits for those of the official mask follower."""
    width = given["mask_HW"][1]
    flows = [np.asarray(flow, np.float32) for flow in given["flows"]]
    logits = given["mask_logits_per_frame"].astype(np.float32)
    regions = motion_regions(logits)
    masks = [grow(mask) for mask in regions["released"]]
    packed = [np.unpackbits(mask, axis=-1, count=width).astype(bool) for mask in recorded["dilated_masks"]]
    expect_equal("dilated masks", [mask.tolist() for mask in masks], [mask.tolist() for mask in packed])
    magnitude = recorded["motion_magnitude"]
    if isinstance(magnitude, float) and math.isfinite(magnitude):
        ours = motion_magnitude(flows).value
        expect_close("magnitude", ours, magnitude, tolerance["magnitude_abs"])
        expect_close("scaled", normalised("optical_flow", ours), recorded["motion_magnitude_normalized"], 1e-6)
    else:
        status_of(lambda: motion_magnitude(flows))

    def accuracy() -> Any:
        return perceived("object_motion", regions, flow_stacks(flows))

    stored = recorded["stored_by_evaluator"]
    finite = all(np.isfinite(flow).all() for flow in flows)
    unlike = flows and not {full - side for full, side in zip(given["mask_HW"], flows[0].shape, strict=False)} <= {0, 1}
    if not flows or not finite or unlike:
        return status_of(accuracy)
    found = accuracy()
    if "raises" not in recorded:
        pairs = [p for p in recorded["per_pair"] if isinstance(p, float)]
        expect_close("per pair", found["released"], pairs, tolerance["abs"])
    score = measured("motion_accuracy", found).value
    expect_close("score", score, stored["score"], tolerance["abs"])
    expect_close("normalised", normalised("motion_accuracy", score), stored["score_normalized"], tolerance["abs"])
    return None


def median(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    ours = motion_magnitude([np.asarray(given["flow"], np.float32)]).value
    expect_close("median", ours, recorded["value"], tolerance["abs"])
    return None


def smoothness(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    frames = given["frames_rgb_uint8"]

    def predicted() -> list[Any]:
        stored = [np.asarray(output, np.float32) / np.float32(512) for output in given["network_output"]]
        return predictions(stored, *frames.shape[1:3])

    def errors() -> Any:
        clip = clip_of(frames)
        made = perceived("predicted_frames", clip, Answers(predicted()))
        distances = Answers(given["lpips_per_pair"])
        return perceived("prediction_errors", clip, made), perceived("prediction_distances", clip, made, distances)

    if "raises" in recorded or "ssim_abs" not in tolerance:
        if "raises" not in recorded:
            pairs = zip(predicted(), (frames[i] for i in predicted_numbers(len(frames))), strict=True)
            mse = float(np.mean([wrapped_squared_error(*pair) for pair in pairs]))
            expect_close("MSE", mse, recorded["score_mse_ssim_lpips"][0], tolerance["mse_abs"])
        return status_of(errors)
    first = predicted()[0][..., ::-1]
    expect_equal("first prediction", first.tolist(), recorded["interpolated_uint8_bgr_first_pair"].tolist())
    compared, distances = errors()
    raw = (
        measured("smoothness_mse", compared).value,
        measured("smoothness_ssim", compared).value,
        measured("smoothness_lpips", distances).value,
    )
    expect_close("MSE", raw[0], recorded["score_mse_ssim_lpips"][0], tolerance["mse_abs"])
    expect_close("SSIM", compared["ssim"], recorded["ssim_per_pair"], tolerance["ssim_abs"])
    score = normalised("motion_smoothness", raw)
    expect_close("score", score, recorded["score_normalized"], tolerance["score_normalized_abs"])
    return None


def padded(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    """How the official interpolation network fills the sides of its frames up."""
    from worldgauge.instruments.neural.networks.between_pairs import margins
    from worldgauge.instruments.neural.networks.vfimamba import STRIDE

    expect_equal("multiples", STRIDE, given["divisor"])
    height, width = given["HW"]
    left, right, top, bottom = margins(height, width)
    expect_equal("padding", [left, right, top, bottom], recorded["left_right_top_bottom"])
    expect_equal("size", [height + top + bottom, width + left + right], recorded["padded_HW"])
    return None


def ssim(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    expect_close("SSIM", colour_ssim(given["a_uint8"], given["b_uint8"]), recorded["value"], tolerance["abs"])
    return None


class RecordedTagger:
    """A tagger that gives recorded answers."""

    def __init__(self, tagged: Stored) -> None:
        self._tagged = tagged

    def nouns(self, phrase: str) -> set[str]:
        return {word for word, tag, _ in self._tagged.get(phrase, []) if tag in ("NOUN", "PROPN")}


def phrases(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    objects = asked_objects(given["content"])
    expect_equal("detector text", ", ".join(objects), recorded["text_given_to_detector"])
    # A clip has at least two anchors; all of them twice have the same mean.
    images = given["detected_phrases_per_image"] * 2
    found = {"released": np.array(["\n".join(image) for image in images])}
    path, contents = ["push_in"] * (len(images) - 1), [given["content"]] * len(images)
    case = Case(id="vector", extras={"camera_path": path, "content_list": contents})
    tagged = perceived("anchor_nouns", case, found, RecordedTagger(given["tagger_output"]))
    score = measured("object_control", found, tagged, case=case).value
    if "raises" in recorded:
        # What the evaluator stores for a metric that raised.
        expect_equal("stored", {"score": score, "score_normalized": 0.0}, failed_entry("object_detection"))
        return None
    possible = [recorded["rate"], *(other["rate"] for other in recorded.get("other_possible_outputs", []))]
    if not any(math.isclose(score, value, abs_tol=1e-9) for value in possible):
        raise Differs(f"rate {score}, recorded {possible}")
    return None


def grounding(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    detector = replace(
        official("anchor_detections"), box_threshold=given["box_threshold"], text_threshold=given["text_threshold"]
    )
    sure = 1.0 / (1.0 + np.exp(-np.asarray(given["pred_logits"], np.float32)))
    tokens = np.array(given["tokens"])
    # The recording's tokenizer was a stub that joins its tokens with blanks.
    boxes = np.zeros((len(sure), 4), np.float32)
    found = detector.detected(sure[:, : len(tokens)], boxes, (1, 1), lambda meant: " ".join(tokens[meant]))
    expect_equal("phrases", [one.told for one in found], recorded["phrases"])
    expect_equal("caption", detector_caption([given["caption"]]), recorded["caption_given_to_network"])
    return None
