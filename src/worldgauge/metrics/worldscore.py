"""WorldScore's metrics of camera, geometry, flow, style and motion."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.camera_conventions import from_opencv
from worldgauge.functional.camera_error import CameraError, printed_camera_error, released_camera_error
from worldgauge.functional.pose import align_first_frame
from worldgauge.functional.trajectory_layouts import layout_path
from worldgauge.signals.worldscore import (
    anchor_styles,
    flow_cycles,
    frames_of_layout,
    layouts_of,
    object_motion,
    prediction_errors,
    world_cameras,
)

Definition = Literal["released", "paper"]

LONGEST = 20000.0
"""Px; no flow vector in an 8K frame is longer."""


def _camera_error(case: Case, cameras: Arrays, definition: Definition) -> CameraError:
    estimated = cameras["poses"]
    requested = _requested_path(case, len(estimated))
    if definition == "released":
        return released_camera_error(from_opencv(requested, "worldscore"), estimated)
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


@metric(version=1, unit="deg", higher_is_better=False, bounds=(0, 180), needs=[world_cameras()], requires=["case"])
def worldscore_camera_rotation(case: Case, cameras: Arrays, *, definition: Definition = "released") -> Measurement:
    """Mean angle between the requested and the recovered camera orientations."""
    return Measurement.from_curve(_camera_error(case, cameras, definition).rotation)


@metric(version=1, unit="units", higher_is_better=False, bounds=(0, 1e6), needs=[world_cameras()], requires=["case"])
def worldscore_camera_translation(case: Case, cameras: Arrays, *, definition: Definition = "released") -> Measurement:
    """Mean distance between the requested and the recovered camera positions, after one scale was fitted."""
    return Measurement.from_curve(_camera_error(case, cameras, definition).translation)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[world_cameras()], requires=["case"])
def worldscore_camera_control(
    case: Case, cameras: Arrays, *, rotation_worst: float = 15.0, translation_worst: float = 0.5
) -> Measurement:
    """Geometric mean of how well the rotation and the translation of the requested path were kept."""
    error = _camera_error(case, cameras, "released")
    rotation, translation = float(error.rotation.mean()), float(error.translation.mean())
    kept = (1.0 - min(rotation / rotation_worst, 1.0)) * (1.0 - min(translation / translation_worst, 1.0))
    return Measurement(math.sqrt(kept), reason=f"{rotation:.3g} deg, {translation:.3g} units")


@metric(version=1, unit="", higher_is_better=False, bounds=(0, 1e6), needs=[world_cameras()], requires=["case"])
def worldscore_camera_error(case: Case, cameras: Arrays) -> Measurement:
    """Mean over frames of the geometric mean of rotation error (deg) and translation error (units), as printed."""
    error = _camera_error(case, cameras, "paper")
    return Measurement.from_curve(np.sqrt(error.rotation * error.translation))


@metric(version=1, unit="px/8", higher_is_better=False, bounds=(0, 1e4), needs=[world_cameras()])
def worldscore_reprojection_error(case: Case, cameras: Arrays) -> Measurement:
    """Mean distance between seen and predicted points of a rigid scene, in pixels of an eighth of 512x512."""
    return Measurement.from_curve(cameras["residual"])


@metric(version=1, unit="px", higher_is_better=False, bounds=(0, LONGEST), needs=[flow_cycles()])
def worldscore_flow_cycle_error(case: Case, flow: Arrays) -> Measurement:
    """Mean distance between a pixel and where it lands after going to the next frame and back."""
    return Measurement.from_curve(flow["error"])


@metric(version=1, unit="", higher_is_better=False, bounds=(0, 1e6), needs=[anchor_styles()])
def worldscore_style_difference(case: Case, styles: Arrays, *, definition: Definition = "released") -> Measurement:
    """Mean difference of Gram matrices: later anchors against the input image, or the two ends of each layout."""
    return Measurement.from_curve(styles[definition])


@metric(version=1, unit="px", higher_is_better=True, bounds=(-LONGEST, LONGEST), needs=[object_motion()])
def worldscore_motion_accuracy(case: Case, motion: Arrays, *, definition: Definition = "released") -> Measurement:
    """Mean of the longest flow inside the objects that should move minus the longest outside."""
    contrasts = motion["contrast_squashed" if definition == "released" else "contrast_cropped"]
    lost = np.flatnonzero(np.isnan(contrasts))
    if len(lost):
        raise Unscored(f"the moving object is lost or fills the view in frame {lost[0]}")
    return Measurement.from_curve(contrasts)


@metric(version=1, unit="px/frame", higher_is_better=True, bounds=(0, LONGEST), needs=[object_motion()])
def worldscore_motion_magnitude(case: Case, motion: Arrays) -> Measurement:
    """Mean over pairs of frames of the median length of the flow."""
    return Measurement.from_curve(motion["median"])


@metric(version=1, unit="levels^2", higher_is_better=False, bounds=(0, 65025), needs=[prediction_errors()])
def worldscore_smoothness_mse(case: Case, errors: Arrays, *, wrap: bool = True) -> Measurement:
    """Mean squared error of frames predicted from their neighbours; `wrap`: squares of 8-bit levels modulo 256."""
    return Measurement.from_curve(errors["mse_wrapped" if wrap else "mse"])


@metric(version=1, unit="", higher_is_better=True, bounds=(-1, 1), needs=[prediction_errors()])
def worldscore_smoothness_ssim(case: Case, errors: Arrays) -> Measurement:
    """Mean structural similarity of frames predicted from their neighbours."""
    return Measurement.from_curve(errors["ssim"])
