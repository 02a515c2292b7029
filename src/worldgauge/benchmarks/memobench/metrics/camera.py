"""Camera controllability and what it is made of, and the house variant that knows paths that come back."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.formulas.camera_control import (
    control_score,
    followed_share,
    resample_indices,
    trace_angle_deg,
)
from worldgauge.benchmarks.memobench.formulas.orientation import starts_flipped
from worldgauge.benchmarks.memobench.formulas.protocols import Protocol, rounded
from worldgauge.benchmarks.memobench.signals.phases import clip_length, first_frame_flips
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.pose import geodesic_deg, root_mean_square
from worldgauge.functional.rotation_agreement import RotationAgreement, compare_rotations
from worldgauge.signals.poses import rigid_cameras

NOISE_DEG = 1.0
"""Rotation error the pocket pose instrument makes by itself."""
DEGREES = (0.0, 180.0)


@metric(
    version=2,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[rigid_cameras(), clip_length()],
    requires=("camera",),
    formula=control_score,
)
def camera_control(case: Case, cameras: Arrays, length: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Camera controllability: one minus the rotation error as a share of the net rotation, of at least ten degrees."""
    agreement = _agreement(case, cameras, length, protocol)
    score = control_score(agreement.rms, agreement.net_rotation)
    still = "" if agreement.path_rotation > 1e-3 else "the requested camera does not turn"
    return Measurement(rounded(score, protocol, 4), tuple(agreement.errors.tolist()), still)


@metric(
    version=2,
    unit="deg",
    higher_is_better=False,
    bounds=DEGREES,
    needs=[rigid_cameras(), clip_length()],
    requires=("camera",),
    formula=compare_rotations,
)
def camera_error(case: Case, cameras: Arrays, length: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Root mean square rotation error of the camera after the first frames are made equal."""
    agreement = _agreement(case, cameras, length, protocol)
    return Measurement(rounded(agreement.rms, protocol, 3), tuple(agreement.errors.tolist()))


@metric(
    version=2,
    unit="deg",
    higher_is_better=False,
    bounds=DEGREES,
    needs=[rigid_cameras(), clip_length()],
    requires=("camera",),
    formula=compare_rotations,
)
def camera_step_error(case: Case, cameras: Arrays, length: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean angle between the requested and the executed rotation from frame to frame."""
    return Measurement(rounded(_agreement(case, cameras, length, protocol).mean_step_error, protocol, 3))


@metric(
    version=1,
    unit="deg",
    higher_is_better=None,
    bounds=(0, 1e5),
    needs=[],
    requires=("camera",),
    formula=trace_angle_deg,
)
def requested_rotation(
    case: Case, *, measure: Literal["net", "path"] = "net", protocol: Protocol = "released"
) -> Measurement:
    """How far the requested camera turns: from start to end, or summed over the path."""
    rotation = case.camera().checked().rotation
    if measure == "path":
        return Measurement(float(geodesic_deg(rotation[:-1], rotation[1:]).sum()))
    angle = trace_angle_deg if protocol == "released" else geodesic_deg
    return Measurement(rounded(float(angle(rotation[0], rotation[-1])), protocol, 3))


@metric(
    version=2,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[rigid_cameras(), clip_length(), first_frame_flips()],
    requires=("camera",),
    formula=followed_share,
)
def house_camera_control(
    case: Case, cameras: Arrays, length: Arrays, flips: Arrays, *, noise_deg: float = NOISE_DEG
) -> Measurement:
    """Camera control against standing still: the share of a motionless camera's rotation error that is avoided.

    A clip that starts upside down or mirrored is another place, whatever its camera does there: 0.
    """
    requested = _requested(case, length, "paper")
    agreement = compare_rotations(cameras["poses"], requested)
    still = root_mean_square(geodesic_deg(requested[0, :3, :3], requested[:, :3, :3]))
    if still <= 2 * noise_deg:
        raise NotApplicable(f"a camera that stands still is off by {still:.1f} deg only")
    curve = tuple(agreement.errors.tolist())
    if starts_flipped(flips["likeness"]):
        return Measurement(0.0, curve, "the clip starts upside down or mirrored")
    return Measurement(followed_share(agreement.rms, still, noise_deg), curve)


def _agreement(case: Case, cameras: Arrays, length: Arrays, protocol: Protocol) -> RotationAgreement:
    requested = _requested(case, length, protocol)
    if len(cameras["poses"]) < 2:
        raise InvalidVideo("a camera path needs two frames")
    return compare_rotations(cameras["poses"], requested, trace_angle_deg if protocol == "released" else geodesic_deg)


def _requested(case: Case, length: Arrays, protocol: Protocol) -> NDArray[np.float64]:
    """The requested poses, one for each frame of the clip.

    A path is fitted to any length of video, but it has a pose for each frame of the reference, so at least up to the
    return; and every clip of the benchmark asks the camera to move. The released code scores a path that does not.
    """
    frames, phases = int(length["frames"]), case.reference.phases
    if frames < 2:
        raise InvalidVideo("a camera path needs two frames")
    last = max(phases.gone, phases.back) + 1 if phases else 2
    path = case.camera().checked(frames=last, moving=protocol != "released")
    return path.poses[resample_indices(len(path), frames)]
