"""The text a judge of the static reconstruction gets: the scene and the camera, without those who move in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.score_text import unfenced

SCENE = "Static scene to look for: "
CAMERA = "How the camera should behave: "
IGNORE = "Not part of the reconstruction: "
REMARK_JUDGE = "Whatever moves may be missing from the reconstruction; that alone is no fault."
REMARK_RULE = "Judge the static scene and the camera alone. Actors that move may be missing; that alone is no fault."
STATIC_CAMERA = "camera is static"

_ENDS = r"(?=Character Appearance:|Character Actions:|{other}:|\Z)"
_SCENE_PART = re.compile(r"Scene Dynamics:(.*?)" + _ENDS.format(other="Camera Movement"), re.DOTALL | re.IGNORECASE)
_CAMERA_PART = re.compile(r"Camera Movement:(.*?)" + _ENDS.format(other="Scene Dynamics"), re.DOTALL | re.IGNORECASE)


def from_judge(answer: Any) -> str | None:
    """The text out of a judge's rewriting; None where that cannot be used."""
    if not isinstance(answer, str):
        return None
    try:
        content = json.loads(unfenced(answer))
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    scene = str(content.get("static_scene_description", "")).strip()
    if not scene:
        return None
    camera = str(content.get("camera_behavior", "")).strip() or STATIC_CAMERA
    ignore = str(content.get("ignore_for_3d", "")).strip()
    lines = [SCENE + scene, CAMERA + camera, *([IGNORE + ignore] if ignore else []), REMARK_JUDGE]
    return "\n".join(lines)


def by_rule(description: str) -> str:
    """The text out of the description itself, where no judge rewrote it, as the released code makes it.

    What is no JSON is handed on unchanged. Of a JSON list the keys say what is scene, camera or caption; anything else
    is looked through for sections as it is written, quotes and braces included. Captions are put into the form one by
    one and then once more together, so their labels are nested.
    """
    text = description.strip()
    try:
        content = json.loads(text)
    except ValueError:
        return text
    if not isinstance(content, list):
        return _sections(text)
    scene, camera, captions = list[str](), list[str](), list[str]()
    for item in content:
        for key, value in item.items() if isinstance(item, Mapping) else ():
            name, said = str(key).lower(), str(value).strip()
            if not said or said.lower() == "none":
                continue
            if any(word in name for word in ("scene", "environment", "background")):
                scene.append(said)
            elif "camera" in name:
                camera.append(said)
            elif name in ("caption", "prompt", "description"):
                captions.append(_sections(said))
    return in_form(scene, camera, captions or [text])


def in_form(scene: Sequence[str], camera: Sequence[str], otherwise: Sequence[str]) -> str:
    """Labelled lines; `otherwise` is the scene where nothing says what it is.

    >>> in_form([], [], []) == REMARK_RULE
    True
    """
    shown = _joined(scene) or _joined(otherwise)
    moved = _joined(camera)
    lines = [*([SCENE + shown] if shown else []), *([CAMERA + moved] if moved else []), REMARK_RULE]
    return "\n".join(lines)


def static_scene(description: str | None, answer: Any = None) -> str:
    """The rewritten text, else the one by rule; empty for an empty description."""
    text = (description or "").strip()
    return (from_judge(answer) or by_rule(text)) if text else ""


def _sections(text: str) -> str:
    return in_form(_SCENE_PART.findall(text), _CAMERA_PART.findall(text), [text])


def _joined(parts: Sequence[str]) -> str:
    return " ".join(part.strip() for part in parts if part.strip())
