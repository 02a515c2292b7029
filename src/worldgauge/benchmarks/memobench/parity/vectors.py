"""MemoBench's parity vectors: recorded calls of the released code compared with ours, each within its tolerance."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.data.phrases import subject_phrase
from worldgauge.benchmarks.memobench.data.questions import whole_number
from worldgauge.benchmarks.memobench.official.model_names import model_key, shown_name
from worldgauge.benchmarks.memobench.parity import answers as parity_answers
from worldgauge.core.errors import InvalidVideo, NotApplicable, Outcome, Unscored, WorldGaugeError
from worldgauge.core.reading import read_table
from worldgauge.core.status import Status
from worldgauge.parity import Differs, NotComparable, ParityFolder, Vector, expect_close, expect_equal

TOLERANCES: dict[str, float] = {
    "pair_errors": 2e-5,
    "model_input": 1e-5,
    "network_input_frame0": 5e-3,
    "grid": 2e-2,
    "psnr": 1e-3,
    "PSNR": 1e-3,
    "ate_rot_deg": 2e-3,
    "total_gt_rotation_deg": 2e-3,
    "mean_rot_error_deg": 2e-3,
    "c2w": 1e-9,
    "rows": 1e-6,
}
"""Allowed difference by field, else the item's own, as `index.json` states them in words."""
ITEM_TOLERANCES = {"normalise_composites": 1e-6, "leaderboard_tree": 1e-6, "leaderboard_aggregate": 1e-6}
DEFAULT_TOLERANCE = 1e-4
STATUS = {InvalidVideo: Status.INVALID, Unscored: Status.UNSCORED, NotApplicable: Status.SKIPPED}
METADATA = Path("sam3_metadata/synthetic_metadata.csv")
"""Where the released prompts lie in the data set."""


def vectors(folder: ParityFolder) -> Iterator[Vector]:
    """Every recorded call, in the order of the index."""
    for item in folder.index["items"]:
        kind = item["id"]
        cases = folder.resolve({"json": item["cases_file"]})["cases"]
        arrays = folder.arrays(item["arrays_file"]) if item["arrays_file"] else {}
        if kind == "normalise_composites":
            tables = {"table": ([c["input"] for c in cases], [c["output"] for c in cases])}
            tables |= {name: (item[name]["rows"], item[name]["output"]) for name in item if name.endswith("_table")}
            for name, (rows, outputs) in tables.items():
                answers = partial(parity_answers.normalised_table, rows)
                for number, output in enumerate(outputs):
                    yield Vector(kind, f"{name}[{number}]", partial(_check_row, answers, number, output))
            continue
        prompts = _prompts(folder) if kind == "subject_phrase" else {}
        for number, case in enumerate(cases):
            if kind == "subject_phrase":
                call = partial(_answer_phrase, prompts, case["input"])
            else:
                call = partial(parity_answers.ITEMS[kind], case["input"], arrays)
            yield Vector(kind, f"{kind}[{number}]", partial(_check, kind, call, case["output"], arrays))
            if "lpips_backbone" in case["input"]:
                yield Vector(kind, f"{kind}[{number}] LPIPS", _no_network)
        for folder_name, recorded in item.get("names", {}).items():
            yield Vector(kind, f"name of {folder_name}", partial(_check_name, folder_name, recorded))


def _check(kind: str, answer: Callable[[], dict[str, Any]], recorded: dict[str, Any], arrays: Any) -> str | None:
    try:
        ours = answer()
    except Outcome as outcome:
        if not _is_without_score(recorded):
            raise Differs(f"we give no score ({outcome}), the original gives {recorded}") from outcome
        return STATUS[type(outcome)].value
    if kind == "geo3d":
        # The original runs its network twice on frames it could have kept; the set of frames is what counts.
        ours["frames_run"], recorded = sorted(set(ours["frames_run"])), dict(recorded)
        recorded["frames_run"] = sorted(set(recorded["frames_run"]))
    if kind == "resize_max_side" and "image" in recorded:
        expect_close("image", ours["image"], arrays[recorded["image"]], absolute=1)
        ours.pop("image")
    _compare(kind, ours, recorded, ITEM_TOLERANCES.get(kind, DEFAULT_TOLERANCE))
    return None


def _check_row(answers: Callable[[], list[dict[str, Any]]], number: int, recorded: dict[str, Any]) -> None:
    _compare("row", answers()[number], recorded, ITEM_TOLERANCES["normalise_composites"])


def _check_name(folder_name: str, recorded: list[str]) -> None:
    key = model_key(folder_name)
    expect_equal(folder_name, [key, shown_name(key)], recorded)


def _no_network() -> None:
    raise NotComparable("LPIPS with a random AlexNet: there is no such network here")


def _compare(where: str, ours: Any, recorded: Any, tolerance: float) -> None:
    """Walk the recorded output; LPIPS values in it are vectors of their own."""
    if isinstance(recorded, dict):
        if not isinstance(ours, dict):
            raise Differs(f"{where}: {ours!r}, recorded {recorded!r}")
        for key, value in recorded.items():
            if key not in ours and ("lpips" in key.lower() or key == "image"):
                continue
            if key not in ours:
                raise Differs(f"{where}.{key}: nothing, recorded {value!r}")
            field = key if key in TOLERANCES else key.rpartition("_")[2]
            _compare(f"{where}.{key}", ours[key], value, TOLERANCES.get(field, tolerance))
    elif isinstance(recorded, list):
        if not isinstance(ours, list) or len(ours) != len(recorded):
            raise Differs(f"{where}: {ours!r}, recorded {recorded!r}")
        for number, (a, b) in enumerate(zip(ours, recorded, strict=True)):
            _compare(f"{where}[{number}]", a, b, tolerance)
    elif isinstance(recorded, float) and isinstance(ours, int | float | np.floating):
        # One unit in the last place of a rounded decimal must not fail on its binary representation.
        expect_close(where, ours, recorded, absolute=tolerance * (1 + 1e-9))
    else:
        expect_equal(where, ours, recorded)


def _is_without_score(recorded: dict[str, Any]) -> bool:
    """Whether the original crashed there, or returned nothing."""
    if "raises" in recorded:
        return True
    if "result" in recorded:
        result = recorded["result"]
        return "raises" in result or all(value is None for value in result["value"].values())
    scores = [value for key, value in recorded.items() if key.startswith("GT_")]
    return bool(scores) and all(value is None for value in scores)


def _prompts(folder: ParityFolder) -> dict[str, str]:
    """Released prompts by clip, from the data set that was named, else from one that lies beside the vectors."""
    beside = folder.path.resolve().parent.parent / "memobench"
    places = [beside] if folder.data is None else [folder.data, folder.data / "data"]
    file = next((place / METADATA for place in places if (place / METADATA).is_file()), None)
    if file is None:
        if folder.data is not None:
            raise WorldGaugeError(f"{folder.data} has no {METADATA}", "name the data set, or its folder 'data'")
        return {}
    rows = read_table(file, ("scene", "video_id", "prompt"))
    return {f"{row['scene']}_{whole_number(row['video_id'], file):03d}": row["prompt"] for row in rows}


def _answer_phrase(prompts: dict[str, str], given: dict[str, str]) -> dict[str, Any]:
    prompt = given.get("prompt") or prompts.get(given["clip_id"])
    if prompt is None:
        raise NotComparable("the prompt is in the data set: name it with --data")
    if "prompt_sha256" in given and hashlib.sha256(prompt.encode()).hexdigest() != given["prompt_sha256"]:
        raise NotComparable(f"the prompt of {given['clip_id']} is not the recorded one")
    return {"phrase": subject_phrase(prompt)}
