"""`paper` on gauge blocks: what known cameras and known faults are given, by true poses and by pocket instruments.

PYTHONPATH=tests python -m benchmarks.worldscore.paper_study FOLDER
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from worldgauge.benchmarks.worldscore.formulas.style_gram import matrix_distance
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS, layout_path
from worldgauge.benchmarks.worldscore.metrics import camera, consistency, motion
from worldgauge.benchmarks.worldscore.signals.weightless import predicted_frames, prediction_errors
from worldgauge.blocks.block import Block
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.faults.base import Fault, Given
from worldgauge.blocks.subjects import Shown, Studio, studio
from worldgauge.blocks.timeline import Timeline
from worldgauge.blocks.write import make_cases
from worldgauge.calibration.presets import SMALL
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.scale import Scale
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.functional.pose import align_first_frame
from worldgauge.functional.vgg_style import gram_matrix
from worldgauge.instruments.pocket.interpolation import FlowInterpolation
from worldgauge.instruments.pocket.poses import BundlePoses
from worldgauge.instruments.pocket.random_style import RandomStyle
from worldgauge.signals.poses import poses, rigid_cameras

WORLDS = replace(SMALL, kind="layouts")
"""Sixteen, each of the eight layouts twice."""
FAULTY = (("style_drift", 0.5), ("style_drift", 1.0), ("flicker", 0.5), ("geometry_wobble", 1.0))
Figures = dict[str, dict[str, Any]]


class OtherCamera(Fault):
    """Another path from where the first camera stands."""

    name = "other_camera"
    moves = ()

    def __init__(self, steps: np.ndarray) -> None:
        self.steps = steps

    def act(self, given: Given, severity: float) -> Timeline:
        known = given.timeline.camera
        return replace(given.timeline, camera=replace(known, poses=known.poses[0] @ self.steps))


def camera_faults(case: Case, given: Given) -> Iterator[tuple[str, Fault, float]]:
    """The cameras that are compared; lengths in units of the layout."""
    layout, count = case.tags["path"], len(given.timeline)
    random = given.random("paper study")
    reach = _reach(given)
    yield "oracle", FAULTS["frozen_camera"](), 0.0
    yield "frozen", FAULTS["frozen_camera"](), 1.0
    yield "mirrored", FAULTS["wrong_action"](), 1.0
    other = str(random.choice([name for name in LAYOUTS if name != layout]))
    steps = layout_path([other], count).poses.copy()
    steps[:, :3, 3] *= reach
    yield "other layout", OtherCamera(steps), 1.0
    yield "random walk", OtherCamera(random_walk(random, count, reach)), 1.0


def random_walk(random: np.random.Generator, count: int, reach: float = 1.0) -> np.ndarray:
    """Steps of 4 % of a unit and 2 degrees along and about every axis."""
    steps = np.tile(np.eye(4), (count, 1, 1))
    steps[1:, :3, 3] = np.cumsum(random.normal(scale=0.04 * reach, size=(count - 1, 3)), axis=0)
    turns = np.cumsum(random.normal(scale=2.0, size=(count - 1, 3)), axis=0)
    steps[1:, :3, :3] = Rotation.from_rotvec(np.radians(turns)).as_matrix()
    return steps


def control(case: Case, found: np.ndarray) -> float:
    """Camera control under `paper`."""
    asked = Case(id=case.id, extras={"camera_path": [case.tags["path"]]})
    return 100 * camera.camera_control.function(asked, {"poses": found}, protocol="paper").value


def true_cameras(blocks: Sequence[Block]) -> dict[str, Figures]:
    """Per world and camera: camera control by true poses. Nothing is rendered."""
    found: dict[str, Figures] = {}
    for block in blocks:
        case = Case(id=f"{block.path}-{block.seed}", tags={"path": block.path})
        given = Given.of(case, block.world())
        figures: Figures = {}
        for name, fault, severity in camera_faults(case, given):
            timeline = fault.act(given, severity) if severity else given.timeline
            figures[name] = {"true": control(case, align_first_frame(timeline.camera.poses))}
        found[case.id] = figures
    return found


def pocket_study(root: Path) -> dict[str, Figures]:
    """Per world and subject: what the pocket set makes of its clip."""
    found: dict[str, Figures] = {}
    for case in make_cases(root / "cases", WORLDS.blocks()):
        figures: Figures = {}
        with studio(case) as opened:
            for name, fault, severity in camera_faults(case, opened.given):
                figures[name] = _pocket(case, opened.perform(fault, severity))
            figures["oracle"] |= _look(opened, "style_drift", 0.0)
            for fault, severity in FAULTY:
                shown = opened.perform(FAULTS[fault](), severity)
                figures[f"{fault}-{severity:g}"] = _pocket(case, shown) | _look(opened, fault, severity)
        found[case.id] = figures
    return found


def _pocket(case: Case, shown: Shown) -> dict[str, Any]:
    clip = Clip(Video.from_array(shown.frames, layout="THWC"))
    try:
        path = poses.function(clip.under(poses.frames), BundlePoses())
    except Unscored:
        return {"pocket": None, "3d": None, "3d_released": None}
    cameras = rigid_cameras.function(path)
    error = consistency.reprojection_error.function(case, cameras).value
    return {
        "pocket": control(case, cameras["poses"]),
        "3d": scale_of("reprojection_error")(error),
        "3d_released": scale_of("reprojection_error", "released")(error),
    }


def scale_of(column: str, protocol: str = "paper") -> Scale:
    """The scale of a column for the pocket set."""
    uses = resolved_uses(read_benchmark_file("worldscore"), protocol)
    found = next(d.scale for d in resolve(uses, choose_seats("pocket")) if d.id == column)
    assert found is not None, column
    return found


def _look(opened: Studio, fault: str, severity: float) -> dict[str, float]:
    """Style difference and true squares of a subject, as `paper` has them."""
    shown = opened.perform(FAULTS[fault](), severity)
    clip = Clip(Video.from_array(shown.frames, layout="THWC"))
    style = RandomStyle()
    start, end = (map(gram_matrix, style.features(shown.frames[k])) for k in (0, -1))
    errors = prediction_errors.function(clip, predicted_frames.function(clip, FlowInterpolation()))
    return {
        "style": sum(map(matrix_distance, end, start)),
        "mse": motion.smoothness_mse.function(opened.case, errors, wrap=False).value,
    }


def _reach(given: Given) -> float:
    """Metres of one unit of the layouts."""
    return 0.5 * given.world.scene.stage.distance * given.unit


def means(found: dict[str, Figures], key: str) -> dict[str, float]:
    """Mean over worlds by subject."""
    names = dict.fromkeys(name for figures in found.values() for name in figures)
    values = {name: [f[name][key] for f in found.values() if f[name].get(key) is not None] for name in names}
    return {name: float(np.mean(numbers)) for name, numbers in values.items() if numbers}


def better(found: dict[str, Figures], key: str, fault: str) -> int:
    """Worlds in which the oracle's error is below that of a fault."""
    return sum(figures["oracle"][key] < figures[fault][key] for figures in found.values())


def moved(found: dict[str, Figures], key: str, fault: str) -> float:
    """Mean change of a score by a fault, over the worlds in which both are known."""
    pairs = [(f["oracle"][key], f[fault][key]) for f in found.values()]
    return float(np.mean([after - before for before, after in pairs if before is not None and after is not None]))


if __name__ == "__main__":
    sys.stdout.write(f"true: {json.dumps(means(true_cameras(WORLDS.blocks()), 'true'))}\n")
    result = pocket_study(Path(sys.argv[1]))
    for key in ("pocket", "3d", "style", "mse"):
        sys.stdout.write(f"{key}: {json.dumps(means(result, key))}\n")
    for key, fault in (("style", "style_drift-0.5"), ("mse", "flicker-0.5")):
        sys.stdout.write(f"{key} better than {fault}: {better(result, key, fault)} of {len(result)}\n")
    for fault in ("style_drift-0.5", "style_drift-1", "geometry_wobble-1"):
        for key in ("3d", "3d_released"):
            sys.stdout.write(f"{key} moved by {fault}: {moved(result, key, fault):.2f}\n")
