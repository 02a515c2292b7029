"""Camera control: how far the recovered camera is from the requested one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.camera_error import (
    CameraError,
    printed_camera_error,
    released_camera_error,
)
from worldgauge.benchmarks.worldscore.formulas.convention import CAMERA_DATA
from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path
from worldgauge.benchmarks.worldscore.signals.weightless import frames_of_layout, layouts_of
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.camera_conventions import from_opencv
from worldgauge.functional.pose import align_first_frame
from worldgauge.signals.poses import rigid_cameras

REQUESTED = ("case", "extras.camera_path|camera")
"""The layouts of the case, or its own camera path."""


def _camera_error(case: Case, cameras: Arrays, protocol: Protocol) -> CameraError:
    estimated = cameras["poses"]
    requested = _requested_path(case, len(estimated))
    if protocol == "released":
        return released_camera_error(from_opencv(requested, CAMERA_DATA), estimated)
    return printed_camera_error(requested, estimated)


def _requested_path(case: Case, count: int) -> NDArray[np.float64]:
    """OpenCV camera-to-world of the layouts, or of the case's own camera path; the first is the identity."""
    layouts = layouts_of(case)
    if layouts:
        return layout_path(layouts, frames_of_layout(case, count)).poses
    path = align_first_frame(case.camera().poses)
    if len(path) != count:
        raise InvalidVideo(f"the video has {count} frames, its camera path {len(path)}")
    return path


@metric(
    version=1,
    unit="deg",
    higher_is_better=False,
    bounds=(0, 180),
    needs=[rigid_cameras()],
    requires=REQUESTED,
    formula=released_camera_error,
)
def camera_rotation(case: Case, cameras: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean angle between the requested and the recovered camera orientations."""
    return Measurement.from_curve(_camera_error(case, cameras, protocol).rotation)


@metric(
    version=1,
    unit="units",
    higher_is_better=False,
    bounds=(0, 1e6),
    needs=[rigid_cameras()],
    requires=REQUESTED,
    formula=released_camera_error,
)
def camera_translation(case: Case, cameras: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean distance between the requested and the recovered camera positions, after one scale was fitted."""
    return Measurement.from_curve(_camera_error(case, cameras, protocol).translation)


@metric(
    version=1,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[rigid_cameras()],
    requires=REQUESTED,
    formula=released_camera_error,
)
def camera_control(
    case: Case, cameras: Arrays, *, rotation_worst: float = 15.0, translation_worst: float = 0.5
) -> Measurement:
    """Geometric mean of how well the rotation and the translation of the requested path were kept."""
    error = _camera_error(case, cameras, "released")
    rotation, translation = float(error.rotation.mean()), float(error.translation.mean())
    kept = (1.0 - min(rotation / rotation_worst, 1.0)) * (1.0 - min(translation / translation_worst, 1.0))
    return Measurement(math.sqrt(kept), reason=f"{rotation:.3g} deg, {translation:.3g} units")


@metric(
    version=1,
    unit="",
    higher_is_better=False,
    bounds=(0, 1e6),
    needs=[rigid_cameras()],
    requires=REQUESTED,
    formula=printed_camera_error,
)
def camera_error(case: Case, cameras: Arrays) -> Measurement:
    """Mean over frames of the geometric mean of rotation error (deg) and translation error (units), as printed."""
    error = _camera_error(case, cameras, "paper")
    return Measurement.from_curve(np.sqrt(error.rotation * error.translation))
