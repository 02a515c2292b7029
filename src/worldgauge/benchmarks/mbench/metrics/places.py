"""Environment consistency: do the views of a place fit together, and is it lit and painted as before?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worldgauge.benchmarks.mbench.data.case_parts import segments_of
from worldgauge.benchmarks.mbench.formulas.lighting import (
    LabRange,
    lighting_difference,
    lighting_score,
    mirrored_segments,
    runs_of_pairs,
)
from worldgauge.benchmarks.mbench.formulas.style import style_score
from worldgauge.benchmarks.mbench.formulas.two_views import (
    LEAST_BASELINE,
    Degenerate,
    Order,
    baseline,
    epipolar_error,
    reprojection_error,
    score_of_errors,
    turn_error,
)
from worldgauge.benchmarks.mbench.metrics.evidence import BASELINE, TOO_FEW_MATCHES, of_pairs
from worldgauge.benchmarks.mbench.signals.rendering import lab_means, style_early_late, style_steps
from worldgauge.benchmarks.mbench.signals.views import pair_matches, view_pairs
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.poses import poses

PIXELS = 0.0
"""`long_side`: errors are told in pixels of the clip's own size."""


@metric(
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[poses(), view_pairs(), pair_matches()],
    formula=epipolar_error,
)
def epipolar(
    case: Case,
    path: Arrays,
    chosen: Arrays,
    matches: Arrays,
    *,
    degenerate: Degenerate = "unscored",
    least_baseline: float = LEAST_BASELINE,
    least_matches: int = 8,
    long_side: float = PIXELS,
    order: Order = "exp_of_mean",
) -> Measurement:
    """exp(-E), E the mean distance in pixels of matched points of alike views to their epipolar lines."""
    found = _errors(path, chosen, matches, epipolar_error, degenerate, least_baseline, least_matches, long_side)
    return _of_errors(found, chosen, order)


@metric(
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[poses(), view_pairs(), pair_matches()],
    formula=reprojection_error,
)
def reprojection(
    case: Case,
    path: Arrays,
    chosen: Arrays,
    matches: Arrays,
    *,
    degenerate: Degenerate = "unscored",
    least_baseline: float = LEAST_BASELINE,
    least_matches: int = 8,
    long_side: float = PIXELS,
    order: Order = "exp_of_mean",
) -> Measurement:
    """exp(-E), E the mean distance in pixels of matched points of alike views to their triangulated points."""
    found = _errors(path, chosen, matches, reprojection_error, degenerate, least_baseline, least_matches, long_side)
    return _of_errors(found, chosen, order)


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[lab_means()], formula=lighting_difference)
def lighting(
    case: Case,
    light: Arrays,
    *,
    alpha: float = 0.5,
    tau: float = 10.0,
    lab: LabRange = "cielab",
) -> Measurement:
    """exp(-D / tau), D the mean difference in CIELAB between segments equally far from both ends of the clip."""
    pairs = mirrored_segments(len(light["means"]), segments_of(case))
    if not pairs:
        raise InvalidVideo(f"{len(light['means'])} frames have no two segments")
    differences = lighting_difference(light["means"], pairs, alpha=alpha, lab=lab)
    return Measurement(
        lighting_score(differences, tau=tau), tuple(differences.tolist()), frames=[p[0][0] for p in pairs]
    )


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[lab_means(), view_pairs()], formula=lighting_difference)
def lighting_by_view(
    case: Case,
    light: Arrays,
    chosen: Arrays,
    *,
    alpha: float = 0.5,
    tau: float = 10.0,
    lab: LabRange = "cielab",
    runs: int = 4,
) -> Measurement:
    """exp(-D / tau), D the mean difference in CIELAB between the way out and the way back, by views that are alike."""
    pairs = runs_of_pairs([(int(i), int(j)) for i, j in chosen["pairs"]], runs)
    differences = lighting_difference(light["means"], pairs, alpha=alpha, lab=lab)
    curve = tuple(differences.tolist())
    return Measurement(
        lighting_score(differences, tau=tau), curve, reason=of_pairs(chosen), frames=[p[0][0] for p in pairs]
    )


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[style_steps()], formula=style_score)
def style(case: Case, found: Arrays) -> Measurement:
    """1 less the mean distance of the Gram matrices of consecutive frames, not below 0."""
    return Measurement(style_score(found["distance"]), tuple((1.0 - found["distance"].mean(axis=1)).tolist()))


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[style_early_late()], formula=style_score)
def style_over_time(case: Case, found: Arrays) -> Measurement:
    """1 less the mean distance of the Gram matrices of early and late frames, not below 0."""
    curve = tuple((1.0 - found["distance"].mean(axis=1)).tolist())
    return Measurement(style_score(found["distance"]), curve, frames=found["pairs"][:, 0].tolist())


def _errors(
    path: Arrays,
    chosen: Arrays,
    matches: Arrays,
    measure: Callable[..., float],
    degenerate: Degenerate,
    least_baseline: float,
    least_matches: int,
    long_side: float,
) -> np.ndarray:
    """Error of each pair of views in px, NaN where it has none. Raises where no pair has one."""
    lens, cameras = path["intrinsics"], path["poses"]
    shrink = long_side / float(path["size"].max()) if long_side else 1.0
    errors, short, few = [], 0, 0
    for number, (i, j) in enumerate(chosen["pairs"].tolist()):
        points = matches["points"][matches["starts"][number] : matches["starts"][number + 1]].astype(np.float64)
        turns_only = degenerate != "keep" and baseline(cameras[i], cameras[j]) < least_baseline
        short, few = short + turns_only, few + (len(points) < least_matches)
        if len(points) < least_matches or (turns_only and degenerate == "unscored"):
            errors.append(np.nan)
            continue
        used = turn_error if turns_only else measure
        errors.append(shrink * used(points, lens, cameras[i], cameras[j]))
    found = np.array(errors)
    if not np.isfinite(found).any():
        if few == len(found):
            raise Unscored(f"no pair of views has {least_matches} matched points", code=TOO_FEW_MATCHES)
        raise Unscored(f"{short} of {len(found)} pairs have a baseline below {least_baseline:g}", code=BASELINE)
    return found


def _of_errors(errors: np.ndarray, chosen: Arrays, order: Order) -> Measurement:
    finite = errors[np.isfinite(errors)]
    curve = tuple(float(e) if np.isfinite(e) else None for e in errors)
    told = f"{len(finite)} of {len(errors)} pairs, {finite.mean():.3f} px; {of_pairs(chosen)}"
    return Measurement(score_of_errors(finite, order), curve, reason=told, frames=chosen["pairs"][:, 0].tolist())
