"""Object consistency: is the target what it was when one comes back to it?"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from worldgauge.benchmarks.mbench.formulas.centroid import Absent, centroid_similarities, seen_again
from worldgauge.benchmarks.mbench.formulas.returns import LEAST_FRAMES, Presence, Stayed, presence
from worldgauge.benchmarks.mbench.formulas.warp import Region, masked_ssim
from worldgauge.benchmarks.mbench.metrics.evidence import NOT_THERE, of_pairs, place_in_view, what_became
from worldgauge.benchmarks.mbench.signals.objects import named_embeddings, named_masks
from worldgauge.benchmarks.mbench.signals.views import anchored_likeness, named_likeness, view_pairs
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.embeddings import object_embeddings
from worldgauge.signals.poses import poses
from worldgauge.signals.tracks import object_track

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


@metric(
    unit="",
    higher_is_better=True,
    bounds=(-1, 1),
    needs=[object_embeddings(), object_track(), poses()],
    formula=presence,
)
def texture_returned(
    case: Case,
    found: Arrays,
    track: Arrays,
    path: Arrays,
    *,
    least_frames: int = LEAST_FRAMES,
    stayed: Stayed = "no_value",
) -> Measurement:
    """Texture of a target that left and is seen again where its place is in view; 0 where it is not; for action clips.

    Ours. A target that never leaves has no value, or counts as it is. Source: this package.
    """
    return texture_after(_followed(track, path, least_frames), found, stayed)


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[named_embeddings(), named_masks()], formula=presence)
def named_texture_returned(
    case: Case, found: Arrays, named: Arrays, *, least_frames: int = LEAST_FRAMES
) -> Measurement:
    """Texture of a target that left and is seen again; 0 where it is not; target by its name.

    Ours. A target that never leaves has no value. Source: this package.
    """
    return texture_after(presence(np.asarray(named["visible"], bool), least_frames), found)


@metric(unit="share", higher_is_better=True, bounds=(0, 1), needs=[object_track(), poses()], formula=presence)
def target_left(case: Case, track: Arrays, path: Arrays, *, least_frames: int = LEAST_FRAMES) -> Measurement:
    """1 where the target leaves the picture, whether it comes back or not, else 0; ours, for action clips."""
    return left_of(_followed(track, path, least_frames))


@metric(unit="share", higher_is_better=True, bounds=(0, 1), needs=[named_masks()], formula=presence)
def named_target_left(case: Case, named: Arrays, *, least_frames: int = LEAST_FRAMES) -> Measurement:
    """1 where the target leaves the picture, whether it comes back or not, else 0; ours, target by its name."""
    return left_of(presence(np.asarray(named["visible"], bool), least_frames))


def left_of(became: Presence) -> Measurement:
    """Whether there is a return to judge: a target that is never seen at all was lost from the start."""
    return Measurement(float(became != "stayed"), reason=what_became("the target", became))


def texture_after(became: Presence, found: Arrays, stayed: Stayed = "no_value") -> Measurement:
    """The texture where the target has returned, 0 where it is lost."""
    if became == "stayed" and stayed == "no_value":
        raise NotApplicable(what_became("the target", became))
    if became not in ("returned", "stayed"):
        return Measurement(0.0, reason=what_became("the target", became))
    kept = texture_of(found, "skip", 1)
    return replace(kept, reason=f"{what_became('the target', became)}; {kept.reason}")


def _followed(track: Arrays, path: Arrays, least: int) -> Presence:
    """What became of a target that was followed, over the frames that can be used."""
    seen, usable = np.asarray(track["visible"], bool), np.asarray(track["usable"], bool)
    if not seen.any():
        return "unseen"
    first = int(np.flatnonzero(seen)[0])
    near, inside = place_in_view(path, track["box"][first], first)
    return presence(seen[usable], least, near[usable], inside[usable])


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
        return Measurement(0.0, reason="the target is not seen in both halves of the clip, our reading of Table 2")
    if visible.sum() < least_frames:
        raise Unscored(f"the target is seen in {int(visible.sum())} of {len(visible)} frames", code=NOT_THERE)
    curve = np.full(len(visible), np.nan)
    curve[visible] = centroid_similarities(found["vectors"][visible])
    if absent == "zero_frames":
        curve[~visible & usable] = 0.0
    return Measurement.from_curve(curve, reason=f"seen in {int(visible.sum())} of {len(visible)} frames")
