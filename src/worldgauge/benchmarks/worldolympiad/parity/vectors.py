"""WorldOlympiad's parity vectors: recorded calls of the released code compared with ours, each within its tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.data.pipelines import cleaned, pipeline_of
from worldgauge.benchmarks.worldolympiad.formulas import static_scene
from worldgauge.benchmarks.worldolympiad.parity import arithmetic, driver, files
from worldgauge.core.errors import Outcome
from worldgauge.parity import Differs, NotComparable, ParityFolder, Vector, expect_close, expect_equal

ITEMS: dict[str, Callable[[Any, Any], dict[str, Any]]] = {**arithmetic.ITEMS, **files.ITEMS, **driver.ITEMS}
TOLERANCE = 1e-6
ROUNDED = 1e-4
"""Of scores that the original rounds."""
STRICT = {"three_d_score_parsing"}
"""The original takes any number in a text for the score; here an answer in another form than was requested is none."""
UNSTABLE = "which way the camera turns is not defined there"
TOKENS = {
    "<SCENE>": static_scene.SCENE,
    "<CAMERA>": static_scene.CAMERA,
    "<IGNORE>": static_scene.IGNORE,
    "<REMARK_JUDGE>": static_scene.REMARK_JUDGE,
    "<REMARK_RULE>": static_scene.REMARK_RULE,
}
"""Fixed texts of the original, which are not copied, and ours in their place."""


def vectors(folder: ParityFolder) -> Iterator[Vector]:
    """Every recorded call, in the order of the index."""
    for item in folder.index["items"]:
        kind = item["id"]
        cases = folder.resolve({"json": item["cases_file"]})["cases"]
        arrays = folder.arrays(item["arrays_file"]) if item["arrays_file"] else {}
        for number, case in enumerate(cases):
            given = folder.resolve(case["input"])
            for extra in ("prompts", "rules_in_order"):
                given |= {extra: item[extra]} if extra in item else {}
            recorded = folder.resolve(case["output"])
            check = partial(_check, kind, given, recorded, arrays)
            yield Vector(kind, f"{kind}[{number}]", check)
        for name, known in item.get("aliases", {}).items():
            yield Vector(kind, f"name {name}", partial(_same_name, name, known))
        for name, known in item.get("sanitised", {}).items():
            yield Vector(kind, f"file name {name}", partial(_same_file_name, name, known))


def _same_name(name: str, recorded: list[str]) -> None:
    expect_equal(name, list(pipeline_of(name) or ()), recorded)


def _same_file_name(name: str, recorded: str) -> None:
    expect_equal(name, cleaned(name), recorded)


def _check(kind: str, given: dict[str, Any], recorded: dict[str, Any], arrays: Any) -> str | None:
    try:
        ours = ITEMS[kind](given, arrays)
    except Outcome as outcome:
        if recorded.get("raises") or recorded.get("finite") is False or kind in STRICT:
            return type(outcome).__name__.lower()
        raise Differs(f"we give nothing ({outcome}), the original gives {str(recorded)[:200]}") from outcome
    except (ValueError, TypeError, OSError, AssertionError) as error:
        if recorded.get("raises"):
            return "refused"
        raise Differs(f"{type(error).__name__}: {error}, the original gives {str(recorded)[:200]}") from error
    if recorded.get("raises") and ours.get("raises") != recorded["raises"]:
        raise Differs(f"the original raises {recorded['raises']}, we give {str(ours)[:200]}")
    COMPARED.get(kind, _all_of)(ours, recorded, arrays)
    return None


def _all_of(ours: Any, recorded: Any, arrays: Any, tolerance: float = TOLERANCE, where: str = "") -> None:
    """Everything that is recorded and that we have; what only the original has, such as file sizes, is left out."""
    if isinstance(recorded, Mapping):
        if not isinstance(ours, Mapping):
            raise Differs(f"{where}: {ours!r}, recorded {recorded!r}")
        for key, value in recorded.items():
            if key in ours:
                _all_of(ours[key], value, arrays, ROUNDED if key in ("score",) else tolerance, f"{where}.{key}")
            elif key not in NOT_OURS:
                raise Differs(f"{where}.{key}: nothing, recorded {str(value)[:80]}")
    elif isinstance(recorded, list):
        ours = ours.tolist() if isinstance(ours, np.ndarray) else ours
        if not isinstance(ours, (list, tuple)) or len(ours) != len(recorded):
            raise Differs(f"{where}: {str(ours)[:200]}, recorded {str(recorded)[:200]}")
        for number, (a, b) in enumerate(zip(ours, recorded, strict=True)):
            _all_of(a, b, arrays, tolerance, f"{where}[{number}]")
    elif isinstance(recorded, bool) or recorded is None or isinstance(recorded, str):
        expect_equal(where, ours, recorded)
    elif isinstance(recorded, (int, float)) and isinstance(ours, (int, float, np.number)) and ours is not None:
        expect_close(where, float(ours), float(recorded), absolute=tolerance * (1 + 1e-9), relative=1e-9)
    else:
        expect_equal(where, ours, recorded)


NOT_OURS = {
    "keys",
    "note",
    "single_3d_script_text",
    "sha256",
    "n_lines",
    "judge_calls",
    "equals_input_stripped",
    "roles",
    "parts",
    "mime",
    "n_images",
    "prompt_occurrences_in_text",
    "timeout_s",
    "max_retries",
    "width",
    "height",
    "background",
    "sh_degree_for_9_coefficients",
    "render_mode",
    "packed",
    "tolerance_focal_relative",
    "raises",
}
"""Recorded beside the answer: helpers, and what belongs to the original's own transport."""


def _trajectory(ours: Any, recorded: Any, arrays: Any) -> None:
    if "core_no_alignment_float64" not in recorded:
        expect_close("score", ours["score"], recorded["score"])
        return
    expect_close("score", ours["score"], recorded["score"], absolute=recorded["score_tolerance"])
    expect_close("core", ours["core"], recorded["core_no_alignment_float64"], absolute=TOLERANCE)
    expect_equal("target poses", ours["target_indices"], recorded["target_indices"])
    if recorded["scale"] is not None:
        expect_close("scale", ours["scale"], recorded["scale"], relative=1e-3)


def _images(ours: Any, recorded: Any, arrays: Any) -> None:
    filled, left = arrays[recorded["filled"]], arrays[recorded["left_for_inpainting"]] > 0
    expect_equal("left", (ours["left_for_inpainting"] > 0).tolist(), left.tolist())
    expect_close("outside", ours["filled"][~left], filled[~left])
    expect_close("inpainted", ours["filled"][left], filled[left], absolute=2)


def _masks(ours: Any, recorded: Any, arrays: Any) -> None:
    # The original also blends the masks into a picture, which no judge is shown: no run makes it.
    expect_close("boxes", ours["bbox_overlay"], arrays[recorded["bbox_overlay"]])
    expect_close("grown", ours["dynamic_mask_dilated"] > 0, arrays[recorded["dynamic_mask_dilated"]] > 0)
    expect_equal("pixels", ours["dilated_pixels"], recorded["dilated_pixels"])
    expect_equal("colours", [list(one) for one in ours["colours_drawn_bgr"]], sorted(recorded["colours_drawn_bgr"]))


def _views(ours: Any, recorded: Any, arrays: Any) -> None:
    for key in ("n_interpolated", "n_views", "segments", "judged_indices"):
        expect_equal(key, ours[key], recorded[key])
    allowed = recorded["tolerance_viewmats"]
    if allowed is None:
        return
    for key in ("viewmats_w2c", "interpolated_c2w", "smoothed_c2w"):
        expect_close(key, ours[key], arrays[recorded[key]], absolute=allowed)
    expect_close("focal", ours["focal_effective_px"], arrays[recorded["focal_effective_px"]], relative=2e-6)
    key = "normalised_intrinsics_fx_fy_cx_cy"
    expect_close(key, ours[key], arrays[recorded[key]], absolute=1e-6)


def _parts(ours: Any, recorded: Any, arrays: Any) -> None:
    if recorded["tolerance"] is None:
        raise NotComparable(UNSTABLE)
    expect_close("poses", ours["poses_c2w"], arrays[recorded["poses_c2w"]], absolute=recorded["tolerance"])
    if "fx_fy" in recorded and "fx_fy" in ours:
        expect_close("fx_fy", ours["fx_fy"], arrays[recorded["fx_fy"]], absolute=1e-6, relative=1e-6)


def _lens(ours: Any, recorded: Any, arrays: Any) -> None:
    focal = recorded.get("tolerance_focal_relative", 1e-5)
    expect_close("K", ours["effective_K"], recorded["effective_K"], relative=focal, absolute=1e-9)
    _same_pose(ours["viewmat_w2c"], recorded["viewmat_w2c"], 1e-6)
    if "normalised_intrinsics" in recorded:
        expect_close("lens", ours["normalised_intrinsics"], recorded["normalised_intrinsics"], absolute=1e-6)


def _meta(ours: Any, recorded: Any, arrays: Any) -> None:
    expect_equal("index", ours["index"], recorded["index"])
    _same_pose(ours["viewmat_w2c"], recorded["viewmat_w2c"], 1e-5)
    expect_close("K", ours["effective_K"], recorded["effective_K"], relative=1e-5, absolute=1e-9)


def _same_pose(ours: Any, recorded: Any, relative: float) -> None:
    """What is not finite need only be so in both: single precision makes NaN of an infinite one."""
    a, b = np.asarray(ours, np.float64), np.asarray(recorded, np.float64)
    expect_equal("finite", np.isfinite(a).tolist(), np.isfinite(b).tolist())
    finite = np.isfinite(b)
    expect_close("pose", a[finite], b[finite], relative=relative, absolute=1e-6)


def _text(ours: Any, recorded: Any, arrays: Any) -> None:
    text = recorded["text"]
    for token, own in TOKENS.items():
        text = text.replace(token, own)
    expect_equal("text", ours["text"], text)


def _nan_too(ours: Any, recorded: Any, arrays: Any) -> None:
    for key, value in recorded.items():
        if isinstance(value, float) and math.isnan(value):
            expect_equal(key, math.isnan(ours[key]), True)
        else:
            expect_close(key, ours[key], value, absolute=ROUNDED * (1 + 1e-9))


COMPARED: dict[str, Callable[[Any, Any, Any], None]] = {
    "trajectory_score": _trajectory,
    "background_fill": _images,
    "mask_postprocessing": _masks,
    "splat_view_path": _views,
    "splat_path_parts": _parts,
    "render_intrinsics": _lens,
    "meta_view_choice": _meta,
    "static_scene_prompt": _text,
    "combine": _nan_too,
    "three_d_score_parsing": _nan_too,
}
