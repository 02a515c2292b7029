"""How well the appearance instruments do on gauge blocks: flow, track, embedding, quality, style.

Each function takes one rendered block and gives plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.block import Truth
from worldgauge.blocks.faults import FAULTS, Given
from worldgauge.blocks.render import render_frames
from worldgauge.core.errors import Unscored
from worldgauge.core.stacks import in_stacks
from worldgauge.functional.embedding import cosine, pool
from worldgauge.functional.flow import end_point_error, occluded
from worldgauge.functional.masks import iou
from worldgauge.functional.style import gram_distance
from worldgauge.instruments.pocket.embedding import PatchStatistics
from worldgauge.instruments.pocket.flow import DisFlow
from worldgauge.instruments.pocket.quality import PictureStatistics
from worldgauge.instruments.pocket.style import FilterBankStyle
from worldgauge.instruments.pocket.track import ColourTrack
from worldgauge.signals.embeddings import EmbeddingInstrument
from worldgauge.signals.flow import FlowInstrument, both_ways
from worldgauge.signals.quality import QualityInstrument
from worldgauge.signals.style import StyleInstrument
from worldgauge.signals.tracks import TrackInstrument

Row = dict[str, float]

SMALLEST_OBJECT = 100
"""Px of a 320x180 frame; smaller glimpses are not asked of the embeddings."""
DOSES = tuple(np.linspace(0, 1, 11).tolist())
HARMS = ("blur", "noise", "compression")


def flow_errors(truth: Truth, flow: FlowInstrument | None = None, every: int = 4) -> Row:
    """End-point error (px) on visible pixels and F1 of the occlusion mask, over every `every`-th pair.

    The truth marks as occluded also pixels whose place in the next frame lies between two surfaces. `occlusion_f1`
    counts them; `occlusion_f1_hidden` leaves them out and asks only for what is wholly hidden or out of view.
    """
    flow = flow or DisFlow()
    errors: list[NDArray[np.float32]] = []
    counts = np.zeros((2, 3))
    for k in range(0, len(truth.flow), every):
        ((forward, backward),) = both_ways(flow, truth.frames[k : k + 2], [(0, 1)])
        lost = truth.occluded[k]
        errors.append(end_point_error(forward, truth.flow[k])[~lost])
        found, between = occluded(forward, backward), lost & _partly_visible(truth, k)
        counts[0] += _overlap(found, lost)
        counts[1] += _overlap(found & ~between, lost & ~between)
    pixels = np.concatenate(errors)
    both, found_total, lost_total = counts.T
    f1 = 2 * both / np.maximum(found_total + lost_total, 1)
    return {
        "end_point_median": float(np.median(pixels)),
        "end_point_p90": float(np.percentile(pixels, 90)),
        "occlusion_f1": float(f1[0]),
        "occlusion_f1_hidden": float(f1[1]),
    }


def track_errors(truth: Truth, track: TrackInstrument | None = None) -> Row:
    """Overlap with the true mask on visible frames, and how often presence is told right.

    `iou`: mean over frames with a pixel of the target; `redetected`: share of the frames from `back` on in which it is
    found (with any overlap); `false_away`: share of the frames with the target out of view in which it is claimed;
    `false_vanished`: the same for the frames from `back` on of a world whose target never returns.
    """
    track = track or ColourTrack()
    phases = truth.phases
    if phases is None:
        raise Unscored("the target of this block does not leave and return")
    seen = [s.mask for s in track.track(truth.frames, None, truth.visible[0])]
    overlap = np.array([iou(mask, true) for mask, true in zip(seen, truth.visible, strict=True)])
    there = truth.visible.any((1, 2))
    claimed = np.array([mask.any() for mask in seen])
    vanished = track.track(vanished_frames(truth), None, truth.visible[0])
    wrong = np.array([s.mask.any() for s in vanished])
    return {
        "iou": float(overlap[there].mean()),
        "redetected": float((overlap[phases.back :] > 0).mean()),
        "false_away": float(claimed[~there].mean()),
        "false_vanished": float(wrong[phases.back :].mean()),
    }


def embedding_pairs(
    truth: Truth, embedding: EmbeddingInstrument | None = None, every: int = 10
) -> tuple[list[float], list[float]]:
    """Similarities of glimpses of the same thing in different frames, and of different things of the scene."""
    embedding = embedding or PatchStatistics()
    glimpses: dict[int, list[NDArray[np.float32]]] = {}
    things = [i.id for i in truth.world.scene.instances if i.kind in ("target", "prop", "bystander")]
    smallest = SMALLEST_OBJECT * truth.ids[0].size / (320 * 180)
    for k in range(0, len(truth.frames), every):
        (grid,), _ = embedding.embeddings(truth.frames[k : k + 1])
        for thing in things:
            mask = truth.ids[k] == thing
            if np.count_nonzero(mask) >= smallest:
                glimpses.setdefault(thing, []).append(pool(grid, mask))
    owner = np.concatenate([[thing] * len(rows) for thing, rows in glimpses.items()])
    vectors = np.concatenate([np.stack(rows) for rows in glimpses.values()])
    similarity = cosine(vectors[:, None], vectors[None])
    upper = np.triu(np.ones(similarity.shape, bool), 1)
    same = owner[:, None] == owner[None]
    return similarity[upper & same].tolist(), similarity[upper & ~same].tolist()


def embedding_auc(truth: Truth, embedding: EmbeddingInstrument | None = None) -> Row:
    """Area under the ROC curve of telling the same thing from another thing of the scene; empty when one is lacking."""
    same, other = embedding_pairs(truth, embedding)
    return {"auc": roc_auc(same, other)} if same and other else {}


def quality_doses(truth: Truth, quality: QualityInstrument | None = None, every: int = 8) -> Row:
    """Spearman's rho between the dose of each harm and the overall figure, e.g. `rho_blur`."""
    from scipy.stats import spearmanr

    quality = quality or PictureStatistics()
    frames = truth.frames[::every]
    half = len(frames) // 2
    given = Given(truth.world, half, half, (), truth.block.seed)
    row: Row = {}
    for harm in HARMS:
        # The faults set in over the first frames; the later ones have the full dose.
        doses = [FAULTS[harm]().look(given, frames, dose)[half:] if dose else frames[half:] for dose in DOSES]
        figures = [np.mean([row["overall"] for row in in_stacks(quality, quality.figures, s)]) for s in doses]
        row[f"rho_{harm}"] = float(spearmanr(DOSES, figures).statistic)
    return row


def style_doses(truth: Truth, style: StyleInstrument | None = None, every: int = 8) -> Row:
    """Spearman's rho between the dose of style drift and the distance to the undrifted frame of the same view."""
    from scipy.stats import spearmanr

    style = style or FilterBankStyle()
    frames = truth.frames[::every]
    half = len(frames) // 2
    given = Given(truth.world, half, half, (), truth.block.seed)
    plain = in_stacks(style, style.grams, frames[half:])
    apart = []
    for dose in DOSES:
        shown = FAULTS["style_drift"]().look(given, frames, dose)[half:] if dose else frames[half:]
        drifted = in_stacks(style, style.grams, shown)
        apart.append(np.mean([gram_distance(f, p).sum() for f, p in zip(drifted, plain, strict=True)]))
    return {"rho_style": float(spearmanr(DOSES, apart).statistic)}


def vanished_frames(truth: Truth) -> NDArray[np.uint8]:
    """The block with its target gone for good from the moment it leaves the view (fault `vanish`, severity 1)."""
    timeline, phases = truth.world.timeline, truth.phases
    if phases is None:
        raise Unscored("the target of this block does not leave and return")
    linear = timeline.linear.copy()
    linear[phases.gone :, truth.world.scene.target.geoms] = 0
    return render_frames(truth.world.scene, replace(timeline, linear=linear))


def roc_auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Probability that a positive scores above a negative, ties counting half.

    >>> roc_auc([3.0, 2.0], [1.0, 2.0])
    0.875
    """
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([positive, negative]))
    count = len(positive)
    return float((ranks[:count].sum() - count * (count + 1) / 2) / (count * len(negative)))


def _overlap(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.array([np.count_nonzero(found & true), np.count_nonzero(found), np.count_nonzero(true)], float)


def _partly_visible(truth: Truth, k: int) -> NDArray[np.bool_]:
    """Pixels of frame k for which at least one of the four pixels around their place in frame k+1 shows their thing."""
    height, width = truth.ids[k].shape
    row, column = np.mgrid[:height, :width]
    x, y = column + truth.flow[k][..., 0], row + truth.flow[k][..., 1]
    inside = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
    seen = np.zeros((height, width), bool)
    for down in (0, 1):
        for right in (0, 1):
            there = (
                np.clip(np.floor(y) + down, 0, height - 1).astype(int),
                np.clip(np.floor(x) + right, 0, width - 1).astype(int),
            )
            seen |= truth.ids[k + 1][there] == truth.ids[k]
    return np.asarray(seen & inside)
