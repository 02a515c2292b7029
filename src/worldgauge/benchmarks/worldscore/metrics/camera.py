"""Camera control: how far the recovered camera is from the requested one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.camera_error import (
    ROTATION_WORST,
    TRANSLATION_WORST,
    CameraError,
    fixed_camera_error,
    kept_share,
    printed_camera_error,
    released_camera_error,
)
from worldgauge.benchmarks.worldscore.formulas.convention import CAMERA_DATA
from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path
from worldgauge.benchmarks.worldscore.signals.weightless import frames_of_layout, layouts_of
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, WorldGaugeError
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.camera_conventions import from_opencv
from worldgauge.functional.pose import align_first_frame
from worldgauge.signals.poses import rigid_cameras

REQUESTED = ("case", "extras.camera_path|camera")
"""The layouts of the case, or its own camera path."""


def _camera_error(case: Case, cameras: Arrays, protocol: Protocol) -> CameraError:
    estimated = _finite_poses(cameras)
    requested = _requested_path(case, len(estimated))
    if protocol == "released":
        return released_camera_error(from_opencv(requested, CAMERA_DATA), estimated)
    return printed_camera_error(requested, estimated)


def _finite_poses(cameras: Arrays) -> NDArray[np.float64]:
    poses = cameras["poses"]
    if not np.isfinite(poses).all():
        raise WorldGaugeError("a recovered camera is not finite")
    return poses


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
    version=2,
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
    version=2,
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
    version=2,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[rigid_cameras()],
    requires=REQUESTED,
    formula=kept_share,
)
def camera_control(
    case: Case,
    cameras: Arrays,
    *,
    protocol: Protocol = "released",
    rotation_worst: float = ROTATION_WORST,
    translation_worst: float = TRANSLATION_WORST,
) -> Measurement:
    """Geometric mean of how well the rotation and the translation of the requested path were kept; 0 where an error
    reaches the worst, under `paper` that of a camera that does not move on this path. Eq. 3 to the letter is the column
    camera_literal."""
    error = _camera_error(case, cameras, protocol)
    worst = rotation_worst, translation_worst
    if protocol == "paper":
        worst = fixed_camera_error(_requested_path(case, len(cameras["poses"])))
    rotation, translation = float(error.rotation.mean()), float(error.translation.mean())
    reason = f"{rotation:.3g} of {worst[0]:.3g} deg, {translation:.3g} of {worst[1]:.3g} units"
    return Measurement(kept_share(error, worst), reason=reason, weight=float(len(error.rotation)))


@metric(
    version=2,
    unit="",
    higher_is_better=False,
    bounds=(0, 1e6),
    needs=[rigid_cameras()],
    requires=REQUESTED,
    formula=printed_camera_error,
)
def camera_error(case: Case, cameras: Arrays) -> Measurement:
    """Mean over frames of the geometric mean of rotation error (deg) and translation error (units), as Eq. 3 has it:
    zero wherever one of the two is, and by its free scale for the opposite motion too."""
    requested = _requested_path(case, len(cameras["poses"]))
    error = printed_camera_error(requested, _finite_poses(cameras), free_scale=True)
    return Measurement.from_curve(np.sqrt(error.rotation * error.translation))
