"""A judge of all three tracks: what it says hangs on the corner that tells whose clip it is shown."""

from __future__ import annotations

import io
import json
import os
import signal
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from worldgauge.judge.request import Failed, Request

RELATED = ("gravity", "impact", "melting", "hardness")


def kind_of(request: Request) -> str:
    properties = request.schema["properties"]
    if "results" in properties:
        return "relevance" if "related" in properties["results"]["items"]["properties"] else "compliance"
    if "score" in properties:
        return "views" if len(request.pictures) > 1 else "meta"
    names = {"visual_quality": "chunk", "transition_smoothness": "transition", "names": "objects"}
    names |= {"static_scene_description": "rewrite", "long_range_consistency": "global"}
    return next(kind for name, kind in names.items() if name in properties)


def level(request: Request) -> float:
    """From 0 to 1, by the corner of the first picture."""
    picture = np.asarray(Image.open(io.BytesIO(request.pictures[0].data)).convert("L"))
    return float(round(picture[-6:-2, -6:-2].mean() / 250, 1))


def answer(request: Request) -> Any:
    kind = kind_of(request)
    down = os.environ.get("JUDGE_DOWN")
    if kind == "chunk" and down and down in request.text:
        # An outage: nobody answers about the chunks of one case. The judge is the same, so runs stay comparable.
        raise Failed("down", "connection refused", again=False)
    with Path(os.environ["JUDGE_LOG"]).open("a") as stream:
        # Pictures are part of the question.
        stream.write(json.dumps([kind, request.text, [zlib.crc32(one.data) for one in request.pictures]]) + "\n")
    _die(kind)
    if kind == "objects":
        return {"names": ["red ball"]}
    if kind == "rewrite":
        return {"static_scene_description": "a bare room", "camera_behavior": "it moves", "ignore_for_3d": "a ball"}
    if kind in ("relevance", "compliance"):
        return {"results": [_verdict(request, kind, rule) for rule in _ids(request)]}
    if kind in ("views", "meta"):
        return {"score": 0.5 * level(request), "reason": "The room is seen."}
    names = [name for name in request.schema["properties"] if name != "reason"]
    return {**dict.fromkeys(names, 5 * level(request)), "reason": "It is as asked."}


def _verdict(request: Request, kind: str, rule: str) -> dict[str, Any]:
    told = {"question_id": rule, "reason": f"What {rule} says is seen.", "confidence": 0.9}
    if kind == "relevance":
        return {**told, "related": rule in RELATED}
    return {**told, "compliant": rule == "gravity" or level(request) > 0.4}


def _ids(request: Request) -> list[str]:
    found: list[str] = request.schema["properties"]["results"]["items"]["properties"]["question_id"]["enum"]
    return found


def _die(kind: str) -> None:
    """Killed at the n-th question of a kind, as `KIND:N` in the environment says."""
    wanted, _, number = os.environ.get("JUDGE_DIES", "").partition(":")
    if kind == wanted:
        lines = Path(os.environ["JUDGE_LOG"]).read_text().splitlines()
        if sum(json.loads(line)[0] == kind for line in lines) == int(number):
            os.kill(os.getpid(), signal.SIGKILL)
