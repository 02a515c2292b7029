"""Environment consistency: do the views of a place fit together, and is it lit and painted as before?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
    pairs = _PairErrors.of(path, chosen, matches, epipolar_error, degenerate, least_baseline, least_matches, long_side)
    return pairs.measurement(chosen, order)


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
    pairs = _PairErrors.of(
        path, chosen, matches, reprojection_error, degenerate, least_baseline, least_matches, long_side
    )
    return pairs.measurement(chosen, order)


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


@dataclass(frozen=True, eq=False)
class _PairErrors:
    """The error of each pair of views in px, NaN where it has none; `literal` knows no least baseline."""

    used: np.ndarray
    literal: np.ndarray
    few: np.ndarray
    """Pairs with too few matches."""
    short: np.ndarray
    """Pairs closer than `least`."""
    least: float
    degenerate: Degenerate

    @classmethod
    def of(
        cls,
        path: Arrays,
        chosen: Arrays,
        matches: Arrays,
        measure: Callable[..., float],
        degenerate: Degenerate,
        least_baseline: float,
        least_matches: int,
        long_side: float,
    ) -> _PairErrors:
        """Measure every pair. Raises where too few points of each are matched."""
        lens, cameras, pairs = path["intrinsics"], path["poses"], chosen["pairs"].tolist()
        shrink = long_side / float(path["size"].max()) if long_side else 1.0
        few = np.diff(matches["starts"]) < least_matches
        if few.all():
            raise Unscored(f"no pair of views has {least_matches} matched points", code=TOO_FEW_MATCHES)
        short = np.array([baseline(cameras[i], cameras[j]) < least_baseline for i, j in pairs])
        literal, used = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
        for k, (i, j) in enumerate(pairs):
            if few[k]:
                continue
            points = matches["points"][matches["starts"][k] : matches["starts"][k + 1]].astype(np.float64)
            literal[k] = shrink * measure(points, lens, cameras[i], cameras[j])
            used[k] = literal[k]
            if short[k] and degenerate != "keep":
                turns = degenerate == "rotation"
                used[k] = shrink * turn_error(points, lens, cameras[i], cameras[j]) if turns else np.nan
        return cls(used, literal, few, short, least_baseline, degenerate)

    def measurement(self, chosen: Arrays, order: Order) -> Measurement:
        """The score of the pairs that have an error. Raises where none has one."""
        finite = self.used[np.isfinite(self.used)]
        if not len(finite):
            raise Unscored(self._why_none(order), code=BASELINE)
        told = f"{len(finite)} of {len(self.used)} pairs, {finite.mean():.3f} px; {of_pairs(chosen)}"
        if self.degenerate == "unscored" and self.short.any():
            told = f"{told}; {self._limit()}, {self._literally(order)}"
        curve = tuple(float(error) if np.isfinite(error) else None for error in self.used)
        return Measurement(score_of_errors(finite, order), curve, reason=told, frames=chosen["pairs"][:, 0].tolist())

    def _why_none(self, order: Order) -> str:
        if self.degenerate == "unscored" and self.short.any():
            return f"{self._limit()}; {self._literally(order)}"
        return "no pair of views has an error: without any distance between its two cameras it is 0/0"

    def _limit(self) -> str:
        counts = f"{self.short.sum()} of {len(self.short)} pairs"
        return f"{counts} have a baseline below {self.least:g}, which is our own limit"

    def _literally(self, order: Order) -> str:
        """What the formula gives without the limit, which the paper does not print."""
        known = self.literal[np.isfinite(self.literal)]
        if not len(known):
            return "without it the error is 0/0"
        return f"without it the score is {score_of_errors(known, order):.4g} ({known.mean():.4g} px)"
