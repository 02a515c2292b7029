"""Parity checks of scaling, aggregation and result files. Each gets inputs, recorded outputs and tolerance."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from worldgauge.benchmarks.worldscore.official.aspects import (
    ASPECTS,
    PARTS,
    STATIC_ASPECTS,
    Raw,
    normalised,
)
from worldgauge.benchmarks.worldscore.official.evaluation_files import (
    Evaluation,
    evaluation,
    failed_entry,
    raw_means,
    worldscore,
)
from worldgauge.benchmarks.worldscore.parity.metrics import status_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json
from worldgauge.parity import Differs, expect_close, expect_equal

Stored = dict[str, Any]


def normalisation(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    for raw, expected in zip(given["raw"], recorded["normalized"], strict=True):
        expect_close(f"score of {raw}", normalised(given["metric"], raw), expected, tolerance["abs"])
    return None


def failure(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    """What is stored of a metric that went wrong in the way that was recorded: it raised, or it returned NaN."""
    metric, event = given["metric"], given["event"]
    if re.fullmatch(r"metric raises \w+", event):
        if "raises" in recorded:
            return status_of(lambda: failed_entry(metric))
        _expect_entry(failed_entry(metric), recorded)
        return None
    if event != "metric returns NaN (all components)":
        raise Differs(f"the event '{event}' is not known")
    nan: Raw = [math.nan] * len(PARTS[metric]) if len(PARTS[metric]) > 1 else math.nan
    aspect = next(aspect for aspect, metrics in ASPECTS.items() if metric in metrics)
    stored = evaluation({metric: nan}, "static" if aspect in STATIC_ASPECTS else "dynamic", _NEW_SCENE)
    _expect_entry(stored[aspect][metric], recorded)
    return None


_NEW_SCENE = ("pull_out",)
"""A camera path for which every aspect is judged."""


def _expect_entry(ours: Stored, recorded: Stored) -> None:
    if not recorded or not recorded.keys() <= ours.keys():
        raise Differs(f"fields {sorted(ours)}, recorded {sorted(recorded)}")
    for field in recorded:
        expect_close(f"stored {field}", ours[field], recorded[field], 1e-12)


def aggregation(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    read = {path: parse_evaluation(c if isinstance(c, str) else json.dumps(c)) for path, c in given["tree"].items()}
    contents: dict[str, Evaluation] = {path: content for path, content in read.items() if content is not None}
    if given["mode"] == "only_mean":
        contents = {path: renormalised(content) for path, content in contents.items()}
        for path, content in recorded["evaluation_after"].items():
            _same_evaluation(contents[path], content, 1e-9)
    static = [content for path, content in contents.items() if path.startswith("static/")]
    dynamic = [content for path, content in contents.items() if path.startswith("dynamic/")]
    if given["mode"] == "raw":
        means = raw_means(static, dynamic)
        expect_equal("aspects", list(means), list(recorded["file"]))
        for aspect, numbers in means.items():
            expect_close(aspect, numbers, recorded["file"][aspect], relative=tolerance["raw_rel"])
        return None
    scores = worldscore(static, [] if given["model_type"] == "3D" else dynamic)
    expect_equal("keys", list(scores), list(recorded["file"]))
    for key, value in recorded["file"].items():
        expect_close(key, scores[key], value, tolerance["rounded_scores_abs"])
    return None


def evaluation_file(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    fixed = given["raw_values"]
    metrics = [metric for names in ASPECTS.values() for metric in names]
    raws = {metric: fixed.get(metric, fixed["every_other_metric"]) for metric in metrics}
    content = evaluation(raws, given["visual_movement"], given["camera_path"])
    _same_evaluation(content, recorded["evaluation_json"], tolerance["abs"])
    return None


def parse_evaluation(text: str) -> Evaluation | None:
    """A recorded `evaluation.json`; None when it cannot be parsed, which the official mean silently leaves out."""
    try:
        # The released code writes NaN where a number went wrong, and so becomes its mean.
        content = parse_json(text, "evaluation.json", finite=False)
    except WorldGaugeError:
        return None
    return content if isinstance(content, dict) else None


def renormalised(content: Evaluation) -> dict[str, Any]:
    """The same evaluation with every score worked out again from its raw numbers."""
    return {
        aspect: {
            metric: dict(entry) | {"score_normalized": normalised(metric, entry["score"])}
            for metric, entry in entries.items()
            if "score" in entry
        }
        for aspect, entries in content.items()
    }


def _same_evaluation(ours: Evaluation, recorded: Evaluation, tolerance: float) -> None:
    if {a: list(m) for a, m in ours.items()} != {a: list(m) for a, m in recorded.items()}:
        raise Differs(f"aspects {list(ours)}, recorded {list(recorded)}")
    for aspect, metrics in recorded.items():
        for metric, entry in metrics.items():
            for field in ("score", "score_normalized"):
                expect_close(f"{metric} {field}", ours[aspect][metric][field], entry[field], tolerance)
