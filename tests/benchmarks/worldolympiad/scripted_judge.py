"""A judge as a function: what it is shown is written down, and what it answers is easy to compute by hand."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from worldgauge.judge.request import Request

SCORES = {"visual_quality": 4.0, "text_alignment": 2.0, "transition_smoothness": 3.0}
SCORES |= {"long_range_consistency": 5.0, "global_text_alignment": 1.0}
VIEW_SCORES = {"views": 0.6, "meta": 0.4}
RELATED = ("gravity", "impact", "hardness")
COMPLIES = ("gravity",)


def kind_of(request: Request) -> str:
    properties = request.schema["properties"]
    if "results" in properties:
        item = properties["results"]["items"]["properties"]
        return "relevance" if "related" in item else "compliance"
    names = (("visual_quality", "chunk"), ("transition_smoothness", "transition"), ("names", "objects"))
    for name, kind in (*names, ("static_scene_description", "rewrite")):
        if name in properties:
            return kind
    if "score" in properties:
        return "views" if len(request.pictures) > 1 else "meta"
    return "global"


def ids_of(request: Request) -> list[str]:
    found: list[str] = request.schema["properties"]["results"]["items"]["properties"]["question_id"]["enum"]
    return found


def note(request: Request) -> str:
    """Write down what was shown; returns the kind of the question."""
    kind = kind_of(request)
    pictures = [np.asarray(Image.open(io.BytesIO(one.data))) for one in request.pictures]
    line = {
        "kind": kind,
        "greys": [float(one[20:28, 24:40].mean()) for one in pictures],
        "middles": [one[one.shape[0] // 2, one.shape[1] // 2].tolist() for one in pictures],
        "green": [bool((one[..., 1].astype(int) - one[..., 0] > 60).any()) for one in pictures],
        "sizes": [one.size for one in request.pictures],
        "text": request.text,
        "ids": ids_of(request) if kind in ("relevance", "compliance") else [],
    }
    with Path(os.environ["JUDGE_LOG"]).open("a") as stream:
        stream.write(json.dumps(line) + "\n")
    return kind


def answer(request: Request) -> Any:
    kind = note(request)
    if kind == "objects":
        return {"names": ["red ball", "Red Ball", "hand"]}
    if kind == "relevance":
        return _results(request, "related", lambda rule: rule in RELATED)
    if kind == "compliance":
        return _results(request, "compliant", lambda rule: rule in COMPLIES)
    if kind == "rewrite":
        return {"static_scene_description": "a bare room", "camera_behavior": "", "ignore_for_3d": "a ball"}
    if kind in VIEW_SCORES:
        return {"score": VIEW_SCORES[kind], "reason": "seen"}
    names = [name for name in request.schema["properties"] if name != "reason"]
    return {**{name: SCORES.get(name, 2.5) for name in names}, "reason": "seen"}


def _results(request: Request, verdict: str, true: Any) -> Any:
    items = [
        {"question_id": rule, "reason": "seen", verdict: true(rule), "confidence": 0.8} for rule in ids_of(request)
    ]
    return {"results": items}


def no_global(request: Request) -> Any:
    """Nobody can read what it says about the whole clip."""
    return note(request) and "I liked it." if kind_of(request) == "global" else answer(request)


def no_meta(request: Request) -> Any:
    """Nobody can read what it says about the meta-view."""
    return note(request) and "Nice." if kind_of(request) == "meta" else answer(request)


def no_rewrite(request: Request) -> Any:
    """Cannot rewrite a text."""
    return note(request) and "Done." if kind_of(request) == "rewrite" else answer(request)


def no_batches(request: Request) -> Any:
    """Loses the thread when it is asked about several rules at once."""
    if kind_of(request) in ("relevance", "compliance") and len(ids_of(request)) > 1:
        return note(request) and "They are all fine."
    return answer(request)


def no_hardness(request: Request) -> Any:
    """Has nothing to say about one rule."""
    if kind_of(request) == "compliance" and "hardness" in ids_of(request):
        return note(request) and "Hard to tell."
    return answer(request)


def likes_the_whole(request: Request) -> Any:
    """Gives the whole clip twice what it gives the chunks and boundaries, so that poolings differ."""
    found = answer(request)
    return {**found, "overall": 5.0} if kind_of(request) == "global" else found
