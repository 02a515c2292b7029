"""Camera controllability and what it is made of, and the house variant that knows paths that come back."""

from __future__ import annotations

from typing import Literal

from worldgauge.benchmarks.memobench.formulas.camera_control import (
    control_score,
    path_control_score,
    resample_indices,
    trace_angle_deg,
)
from worldgauge.benchmarks.memobench.formulas.protocols import Protocol, rounded
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.pose import geodesic_deg
from worldgauge.functional.rotation_agreement import RotationAgreement, compare_rotations
from worldgauge.signals.poses import rigid_cameras

NOISE_DEG = 1.0
"""Rotation error the pocket pose instrument makes by itself."""
DEGREES = (0.0, 180.0)


@metric(
    version=1,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[rigid_cameras()],
    requires=("camera",),
    formula=control_score,
)
def camera_control(case: Case, cameras: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Camera controllability: one minus the rotation error as a share of the net rotation, of at least ten degrees."""
    agreement = _agreement(case, cameras, protocol)
    score = control_score(agreement.rms, agreement.net_rotation)
    return Measurement(rounded(score, protocol, 4), tuple(agreement.errors.tolist()))


@metric(
    version=1,
    unit="deg",
    higher_is_better=False,
    bounds=DEGREES,
    needs=[rigid_cameras()],
    requires=("camera",),
    formula=compare_rotations,
)
def camera_error(case: Case, cameras: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Root mean square rotation error of the camera after the first frames are made equal."""
    agreement = _agreement(case, cameras, protocol)
    return Measurement(rounded(agreement.rms, protocol, 3), tuple(agreement.errors.tolist()))


@metric(
    version=1,
    unit="deg",
    higher_is_better=False,
    bounds=DEGREES,
    needs=[rigid_cameras()],
    requires=("camera",),
    formula=compare_rotations,
)
def camera_step_error(case: Case, cameras: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean angle between the requested and the executed rotation from frame to frame."""
    return Measurement(rounded(_agreement(case, cameras, protocol).mean_step_error, protocol, 3))


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
    version=1,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[rigid_cameras()],
    requires=("camera",),
    formula=path_control_score,
)
def house_camera_control(case: Case, cameras: Arrays, *, noise_deg: float = NOISE_DEG) -> Measurement:
    """Camera control by path length: rotation error beyond the instrument's noise as a share of the summed rotation."""
    agreement = _agreement(case, cameras, "paper")
    if agreement.path_rotation <= 2 * noise_deg:
        raise NotApplicable(f"the requested camera turns by {agreement.path_rotation:.1f} deg in all")
    score = path_control_score(agreement.rms, agreement.path_rotation, noise_deg)
    return Measurement(score, tuple(agreement.errors.tolist()))


def _agreement(case: Case, cameras: Arrays, protocol: Protocol) -> RotationAgreement:
    estimate, phases = cameras["poses"], case.reference.phases
    if len(estimate) < 2:
        raise InvalidVideo("a camera path needs two frames")
    # A path is fitted to any length of video, but it has a pose for each frame of the reference, so at least up to the
    # return; and every clip of the benchmark asks the camera to move.
    requested = case.camera().checked(frames=phases.back + 1 if phases else 2, moving=True).poses
    matched = requested[resample_indices(len(requested), len(estimate))]
    return compare_rotations(estimate, matched, trace_angle_deg if protocol == "released" else geodesic_deg)
