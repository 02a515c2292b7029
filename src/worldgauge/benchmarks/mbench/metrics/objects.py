"""Object consistency: is the target what it was when one comes back to it?"""

from __future__ import annotations

from typing import Final

import numpy as np

from worldgauge.benchmarks.mbench.formulas.centroid import Absent, centroid_similarities, seen_again
from worldgauge.benchmarks.mbench.formulas.warp import Region, masked_ssim
from worldgauge.benchmarks.mbench.metrics.evidence import NOT_THERE, of_pairs
from worldgauge.benchmarks.mbench.signals.objects import named_embeddings
from worldgauge.benchmarks.mbench.signals.views import anchored_likeness, named_likeness, view_pairs
from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.embeddings import object_embeddings

MOVED: Final = 0.1
"""Of the target's size: a median motion between the two views from which on the record tells of it."""
MOVED_WORDS: Final = "the target moved by"


@metric(
    unit="SSIM",
    higher_is_better=True,
    bounds=(-1, 1),
    needs=[anchored_likeness(), view_pairs()],
    formula=masked_ssim,
)
def geometry(
    case: Case, likeness: Arrays, chosen: Arrays, *, region: Region = "masked", absent: Absent = "skip"
) -> Measurement:
    """Mean SSIM of the target between early views and late ones brought to the same viewpoint; target by its anchor."""
    return geometry_of(likeness, chosen, region, absent)


@metric(unit="SSIM", higher_is_better=True, bounds=(-1, 1), needs=[named_likeness(), view_pairs()], formula=masked_ssim)
def named_geometry(
    case: Case, likeness: Arrays, chosen: Arrays, *, region: Region = "masked", absent: Absent = "skip"
) -> Measurement:
    """Mean SSIM of the target between early views and late ones brought to the same viewpoint; target by its name."""
    return geometry_of(likeness, chosen, region, absent)


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[object_embeddings()], formula=centroid_similarities)
def texture(case: Case, found: Arrays, *, absent: Absent = "skip", least_frames: int = 2) -> Measurement:
    """Mean cosine of the target's looks to their mean, over the frames that show it; target by its anchor."""
    return texture_of(found, absent, least_frames)


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[named_embeddings()], formula=centroid_similarities)
def named_texture(case: Case, found: Arrays, *, absent: Absent = "skip", least_frames: int = 2) -> Measurement:
    """Mean cosine of the target's looks to their mean, over the frames that show it; target by its name."""
    return texture_of(found, absent, least_frames)


def geometry_of(likeness: Arrays, chosen: Arrays, region: Region, absent: Absent) -> Measurement:
    """Mean over the pairs of views that show the target; a pair whose late view has lost it has no number, or 0."""
    scores, lost = likeness[region], (likeness["area"] > 0) & (likeness["seen_late"] == 0)
    if absent == "zero_frames":
        scores = np.where(lost, 0.0, scores)
    if absent != "skip" and lost.any() and not (likeness["seen_late"] > 0).any():
        return Measurement(0.0, reason="the target is in none of the late views")
    if not np.isfinite(scores).any():
        raise Unscored("no pair of views shows the target in both", code=NOT_THERE)
    remark = f"{int(np.isfinite(scores).sum())} of {len(scores)} pairs; {of_pairs(chosen)}{_motion(likeness)}"
    return Measurement.from_curve(scores, reason=remark, frames=chosen["pairs"][:, 0].tolist())


def _motion(likeness: Arrays) -> str:
    """What the record says of a target that has moved: the score is for targets that stand still."""
    moved = likeness["moved"][np.isfinite(likeness["moved"])]
    if not moved.size or float(np.median(moved)) < MOVED:
        return ""
    return f"; {MOVED_WORDS} {float(np.median(moved)):.2f} of its size, and this score is for ones that stand still"


def texture_of(found: Arrays, absent: Absent, least_frames: int) -> Measurement:
    """Over the frames that show the target; one that is not there again counts as `absent` says."""
    visible = np.asarray(found["visible"], bool)
    usable = np.asarray(found.get("usable", np.ones(len(visible), bool)), bool)
    if absent != "skip" and not seen_again(visible):
        return Measurement(0.0, reason="the target is not seen in both halves of the clip")
    if visible.sum() < least_frames:
        raise Unscored(f"the target is seen in {int(visible.sum())} of {len(visible)} frames", code=NOT_THERE)
    curve = np.full(len(visible), np.nan)
    curve[visible] = centroid_similarities(found["vectors"][visible])
    if absent == "zero_frames":
        curve[~visible & usable] = 0.0
    return Measurement.from_curve(curve, reason=f"seen in {int(visible.sum())} of {len(visible)} frames")
