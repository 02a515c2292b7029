"""Camera statistics of a set of cases: the columns of the paper's Table S2."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from worldgauge.benchmarks.memobench.formulas.camera_kinds import real_kind, synthetic_kind
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable
from worldgauge.functional.pose import geodesic_deg

NOT_TOLD = "not told: no camera file"
PRINTED_KINDS = {
    "real pan left": "real: pan left, then right",
    "real pan right": "real: pan right, then left",
    "real tilt up": "real: tilt up, then down",
    "synthetic u-turn": "synthetic: U-turn",
    "synthetic forward": "synthetic: forward",
    "synthetic head turn": "synthetic: head turn",
    "synthetic vertical": "synthetic: vertical",
}
"""Kind here to the row of Table S2."""


@dataclass(frozen=True)
class TrajectoryRow:
    """One kind of camera path."""

    kind: str
    clips: int
    """All cases of the kind."""
    path_rotation: float | None
    """Mean rotation summed over the path, degrees; None where no case has a camera."""
    net_rotation: float | None
    """Mean rotation between the first and the last frame, degrees."""
    reach: float | None
    """Mean of the largest rotation away from the first frame, degrees."""
    gap: float | None
    """Mean frames between leaving and coming back; None where no case has phases."""


def trajectory_statistics(cases: Iterable[Case], by: tuple[str, ...] = ("data_type", "motion")) -> list[TrajectoryRow]:
    """Statistics per combination of the tags `by`, in order of appearance."""
    return _grouped(cases, lambda case: " ".join(case.tags.get(tag, "-") for tag in by))


def statistics_by_camera(cases: Iterable[Case]) -> list[TrajectoryRow]:
    """Statistics per kind of path, told from the camera files; cases without one stand in rows of their own."""
    return _grouped(cases, camera_kind)


def camera_kind(case: Case) -> str:
    """Split and kind of a case's camera path, by its camera file."""
    split = case.tags.get("data_type", "-")
    try:
        path = case.camera("reference")
    except NotApplicable:
        return f"{split} {NOT_TOLD}"
    return f"{split} {real_kind(path) if split == 'real' else synthetic_kind(path)}"


def rotations(case: Case) -> tuple[float, float, float]:
    """Path, net and farthest rotation of a case's camera, in degrees."""
    rotation = case.camera("reference").rotation
    from_start = geodesic_deg(rotation[0], rotation)
    path = float(geodesic_deg(rotation[:-1], rotation[1:]).sum()) if len(rotation) > 1 else 0.0
    return path, float(from_start[-1]), float(from_start.max())


def reappearance_angle(case: Case) -> float:
    """Rotation between the first frame and the frame at which the target is back, in degrees."""
    phases = case.reference.phases
    if phases is None:
        raise NotApplicable("the case has no phases")
    rotation = case.camera("reference").rotation
    return float(geodesic_deg(rotation[0], rotation[min(phases.back, len(rotation) - 1)]))


def _grouped(cases: Iterable[Case], kind_of: Callable[[Case], str]) -> list[TrajectoryRow]:
    kinds: dict[str, list[Case]] = {}
    for case in cases:
        kinds.setdefault(kind_of(case), []).append(case)
    return [_row(kind, members) for kind, members in kinds.items()]


def _row(kind: str, cases: list[Case]) -> TrajectoryRow:
    measured = []
    for case in cases:
        try:
            measured.append(rotations(case))
        except NotApplicable:
            continue
    gaps = [c.reference.phases.back - c.reference.phases.gone for c in cases if c.reference.phases is not None]
    path, net, reach = np.mean(measured, axis=0).tolist() if measured else (None, None, None)
    return TrajectoryRow(kind, len(cases), path, net, reach, float(np.mean(gaps)) if gaps else None)
