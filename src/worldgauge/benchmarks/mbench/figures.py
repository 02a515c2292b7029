"""What the case page draws of a clip: the camera against its script, the target in view, which views are compared."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worldgauge.benchmarks.mbench.data.case_parts import LEGS, legs_of
from worldgauge.benchmarks.mbench.formulas.action import ideal_twists, twists
from worldgauge.benchmarks.mbench.formulas.conditions import read_condition
from worldgauge.benchmarks.mbench.formulas.control import ideal_way, way_along
from worldgauge.benchmarks.mbench.formulas.pairs import EARLY_LATE, SYMMETRIC
from worldgauge.benchmarks.mbench.scripts.checker import check_clip
from worldgauge.benchmarks.mbench.scripts.script import Script
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.evidence import Curve, Evidence, FramePairs, Stored
from worldgauge.core.signal import Arrays


def evidence(stored: Stored) -> Evidence:
    """What the store has of one clip."""
    path, chosen = stored.arrays("poses"), stored.arrays("mbench/view_pairs")
    controls = control_drawn(stored.case, path) if path is not None else ()
    pairs = pairs_drawn(stored.case, chosen) if chosen is not None else ()
    track = stored.arrays("object_track")
    targets = target_drawn(stored.case, track, path) if track is not None else ()
    return Evidence(figures=(*controls, *targets, *pairs))


def control_drawn(case: Case, path: Arrays) -> Iterator[Curve]:
    """The way along the script's axis over frames, and the ideal one: yaw in degrees, right is up, or a distance."""
    steps = twists(path["poses"])
    if not case.extras.get(LEGS) or not len(steps):
        return
    ideal = ideal_twists(legs_of(case), len(steps))
    moves = (ideal != 0).any(axis=1)
    if not moves.any():
        return
    axis = np.abs(ideal[moves][0])
    found = way_along(steps, axis)
    asked, note = _asked(case, ideal, axis, found)
    turns = bool(axis[3:].any())
    title, unit = (
        ("Yaw over frames", "degrees, right is up") if turns else ("Way over frames", "scene depths, ahead is up")
    )
    yield Curve(title, unit, tuple(found.tolist()), tuple(asked.tolist()), note)


def target_drawn(case: Case, track: Arrays, path: Arrays | None = None) -> Iterator[Curve]:
    """How much of the target is in view over frames, and what the script promised of it that the clip does not keep."""
    legs = legs_of(case) if case.extras.get(LEGS) else []
    areas = np.nan_to_num(np.where(track["visible"], track["area"], 0.0))
    # Only a script that leaves at once and comes back says when the target has to be hidden.
    if len(legs) < 2 or legs[0][0] == "wait" or len(areas) < 2:
        return
    ends = np.rint(np.cumsum([0.0, *(share for _, share in legs)]) * (len(areas) - 1)).astype(int)
    steps = tuple((verb, int(count)) for (verb, _), count in zip(legs, np.diff(ends), strict=True))
    script = Script(case.tags.get("condition", ""), steps, np.tile(np.eye(4), (len(areas), 1, 1)), 0.0)
    checked = check_clip(areas.tolist(), script, path["poses"] if path is not None else None)
    kept = "As the script promises: hidden where the camera is farthest, and back at the end."
    note = f"Not as the script promises: {'; '.join(checked.faults)}." if checked.faults else kept
    yield Curve("Target in view", "of its area in the first frame", checked.areas, note=note)


def pairs_drawn(case: Case, chosen: Arrays) -> Iterator[FramePairs]:
    """Pairs of views, how far apart their poses are, and the rule they were chosen by."""
    pairs = tuple((int(i), int(j)) for i, j in chosen["pairs"])
    rule, turnaround, excursion = str(chosen["rule"]), int(chosen["turnaround"]), float(chosen["excursion"])
    if rule == EARLY_LATE:
        note = "The most similar poses of the first two and the last two segments."
    elif rule == SYMMETRIC:
        note = (
            f"No clear turnaround: frame {turnaround}, the farthest, is {excursion:.3f} from the first pose or at an "
            "end. Frames equally far from both ends are compared."
        )
    else:
        note = f"Turnaround at frame {turnaround}, {excursion:.3f} from the first pose; nearest poses out and back."
    facts = {"step, scene depths": chosen["step"], "turn, degrees": chosen["turn"]}
    yield FramePairs(
        title="Views that are compared",
        pairs=pairs,
        facts={name: tuple(numbers.tolist()) for name, numbers in facts.items()},
        marks={"turnaround": turnaround} if rule not in (EARLY_LATE, SYMMETRIC) else {},
        note=note,
    )


def _asked(case: Case, ideal: np.ndarray, axis: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, str]:
    """The ideal over the clip's frames: by the case's camera file, by whole turns, else as far as the camera goes."""
    far = float(np.abs(found).max())
    if case.condition.camera is not None:
        way = way_along(twists(case.camera().poses), axis)
        if not axis[3:].any():
            # Metres there, scene depths here.
            way = way * far / max(float(np.abs(way).max()), 1e-12)
        return np.interp(np.linspace(0, 1, len(found)), np.linspace(0, 1, len(way)), way), "Ideal: the case's camera."
    try:
        degrees = read_condition(case.tags.get("condition", "")).degrees
    except WorldGaugeError:
        degrees = None
    if degrees is not None:
        return ideal_way(ideal, axis, degrees), f"Ideal: {degrees:g} degrees at one speed."
    return ideal_way(ideal, axis, far), "The script does not say how far: the ideal goes as far as the camera does."
