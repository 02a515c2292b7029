"""Writing cases with known truth in the released layout, so that the reader and the metrics can be tried on them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError

INDOOR = ("room", "hall", "shelf")
"""Families of gauge blocks that are indoors."""
MOTIONS = {
    "melting": "deformable",
    "inflating": "deformable",
    "draining": "fluid",
    "mixing": "fluid",
    "windmill": "articulated",
}
"""Process of a gauge block to the kind of motion; the others are rigid."""


def write_released(root: Path, static: Sequence[Case], dynamic: Sequence[Case]) -> dict[str, str]:
    """Write gauge blocks as a WorldScore data set; returns its case ids and the blocks they were made from.

    Static blocks must follow camera layouts, dynamic ones stand still. A block holds no scenes but one, so every scene
    of a static world has the block's prompt and target.
    """
    names: dict[str, str] = {}
    for movement, cases in (("static", static), ("dynamic", dynamic)):
        records = []
        for number, case in enumerate(cases):
            record = _static(case, number) if movement == "static" else _dynamic(case, number)
            _copy(case, case.condition.image, root / record["image"])
            for mask in record.get("masks", []):
                _copy(case, case.reference.target.mask if case.reference.target else None, root / mask)
            records.append(record)
            names[_case_id(record)] = case.id
        (root / movement).mkdir(parents=True, exist_ok=True)
        (root / movement / f"{movement}.json").write_text(json.dumps(records, indent=1) + "\n", "utf-8")
    return names


def _static(case: Case, number: int) -> dict[str, Any]:
    layouts = case.tags["path"].split("+")
    if not set(layouts) <= set(LAYOUTS):
        raise WorldGaugeError(
            f"{case.id} does not follow camera layouts", f"make blocks with paths of {', '.join(LAYOUTS)}"
        )
    family, scenes = case.tags["family"], len(layouts) + 1
    scene = "indoor" if family in INDOOR else "outdoor"
    return {
        "visual_movement": "static",
        "visual_style": "photorealistic",
        "scene_type": scene,
        "category": family,
        "style": "photorealistic",
        "camera_path": layouts,
        "content_list": [f"{family}, {_target(case)}"] * scenes,
        "prompt_list": [case.condition.prompt] * scenes,
        "image": f"./static/photorealistic/images/{family}/{number:03d}.png",
    }


def _dynamic(case: Case, number: int) -> dict[str, Any]:
    motion = MOTIONS.get(case.tags["process"], "rigid")
    return {
        "visual_movement": "dynamic",
        "visual_style": "photorealistic",
        "motion_type": motion,
        "style": "photorealistic",
        "camera_path": ["fixed"],
        "objects": [_target(case)],
        "prompt": case.condition.prompt,
        "image": f"./dynamic/photorealistic/images/{motion}/{number:03d}.png",
        "masks": [f"./dynamic/photorealistic/masks/{motion}/{number:03d}/{number:03d}-0.png"],
    }


def _target(case: Case) -> str:
    return case.reference.target.name if case.reference.target else "object"


def _case_id(record: dict[str, Any]) -> str:
    from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec

    return WorldSpec.model_validate(record).folder


def _copy(case: Case, source: str | None, target: Path) -> None:
    if source is None:
        raise WorldGaugeError(
            f"{case.id} has no first image or no mask", "use cases written by 'worldgauge blocks make'"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(case.path(source), target)
