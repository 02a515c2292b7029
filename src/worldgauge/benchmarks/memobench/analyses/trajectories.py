"""Camera statistics of a set of cases: the columns of the paper's Table S2."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable
from worldgauge.functional.pose import geodesic_deg


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
    kinds: dict[str, list[Case]] = {}
    for case in cases:
        kinds.setdefault(" ".join(case.tags.get(tag, "-") for tag in by), []).append(case)
    return [_row(kind, members) for kind, members in kinds.items()]


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
