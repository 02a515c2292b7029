"""How well the geometry instruments do on gauge blocks: camera poses, matches, depth.

Each function takes one rendered block and gives plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldgauge.blocks.block import Truth
from worldgauge.core.errors import Unscored
from worldgauge.functional import pose
from worldgauge.functional.lens import lens_of
from worldgauge.functional.projection import rays
from worldgauge.instruments.pocket.depth import MotionDepth
from worldgauge.instruments.pocket.matches import SiftMatches
from worldgauge.instruments.pocket.poses import BundlePoses, Trajectory

Row = dict[str, float]

STANDING = 1e-3
"""Metres; a true path shorter than this has no direction."""
FAR = 1e3
"""Metres; the sky, for ranking depths."""


def recover(truth: Truth, *, given_lens: bool = True) -> Trajectory:
    """The camera path the pocket instrument finds; `Unscored` when it cannot place every frame."""
    size = truth.frames.shape[2], truth.frames.shape[1]
    return BundlePoses().trajectory(list(truth.frames), lens_of(truth.camera, size) if given_lens else None)


def pose_errors(truth: Truth, found: Trajectory | None = None) -> Row:
    """Errors of a camera path (the pocket instrument's unless one is given) against the truth.

    `rotation`: root mean square angle after first-frame alignment, degrees; `mean_rotation`: its mean; `doubted`: 1
    where the instrument itself does not trust the path; `left_out`: share of the frames not placed; `direction`: median
    angle between true and found displacement from the first frame, degrees; `path`: root mean square distance after
    first-frame alignment and best scale, as a share of the path's length (both NaN for a camera that stands);
    `false_step`: for a camera that stands, 1 when it is said to move; `focal`: relative error of the focal length.
    """
    found = found or recover(truth)
    true = truth.camera.poses
    rotation = pose.rotation_errors(pose.align_first_frame(found.poses, true), true)
    row = {"rotation": pose.root_mean_square(rotation), "mean_rotation": float(rotation.mean())}
    row |= {"doubted": float(bool(found.doubt)), "left_out": 1 - float(found.placed.mean())}
    row |= dict.fromkeys(("direction", "path", "false_step"), np.nan)
    length = pose.path_length(true[:, :3, 3])
    if length > STANDING:
        row["direction"] = float(np.nanmedian(pose.direction_errors(found.poses, true)))
        missed = pose.translation_errors(pose.align_scale(found.poses, true), true)
        row["path"] = pose.root_mean_square(missed) / length
    else:
        row["false_step"] = float(found.moves)
    lens = lens_of(truth.camera, found.lens.size)
    row["focal"] = abs(found.lens.focal / lens.focal - 1) if lens is not None else np.nan
    return row


def depth_errors(truth: Truth, found: Trajectory | None = None, *, every: int = 8) -> Row:
    """Depth from motion along a camera path (the pocket instrument's unless one is given).

    `rank_correlation`: with the true depth where a value is claimed, mean over frames that claim at least 200 pixels;
    `claimed`: share of the pixels. `Unscored` without parallax.
    """
    found = found or recover(truth)
    if not found.moves:
        raise Unscored("no parallax")
    chosen = list(range(0, len(truth.frames), every))
    depth, valid = MotionDepth().maps(list(truth.frames), found.poses, found.lens, chosen)
    true = np.minimum(truth.depth[chosen], FAR)
    ranks = [_rank_correlation(d[v], t[v]) for d, v, t in zip(depth, valid, true, strict=True) if v.sum() >= 200]
    if not ranks:
        raise Unscored("no parallax")
    return {"rank_correlation": float(np.mean(ranks)), "claimed": float(valid.mean())}


def match_errors(truth: Truth, *, gaps: Sequence[int] = (1, 8, 24)) -> Row:
    """Matches against the true geometry of static points, by frames apart.

    `median_error`: of the points that the other frame shows, px; `within_2px`: share of all matches that are right.
    """
    matcher = SiftMatches()
    row: Row = {}
    for gap in gaps:
        errors, shown, counts = [], [], []
        for i in range(0, len(truth.frames) - gap, 16):
            here, there = matcher.between_of(
                matcher.features_of(truth.frames[i]), matcher.features_of(truth.frames[i + gap])
            )
            counts.append(len(here))
            static = ~truth.visible[i][tuple(here.astype(int).T[::-1])]
            true = _carry(truth, here, i, i + gap)[static]
            errors.append(np.linalg.norm(true - there[static], axis=1))
            shown.append(((true >= 0) & (true <= truth.frames.shape[2:0:-1])).all(axis=1))
        error, in_view = np.concatenate(errors), np.concatenate(shown)
        row[f"matches_{gap}"] = float(np.mean(counts))
        row[f"median_error_{gap}"] = float(np.median(error[in_view])) if in_view.any() else np.nan
        row[f"within_2px_{gap}"] = float((error < 2).mean()) if len(error) else np.nan
    return row


def _carry(truth: Truth, pixel: np.ndarray, first: int, second: int) -> np.ndarray:
    """Where static points seen at `pixel` (K, 2) of one frame are in another."""
    assert truth.camera.intrinsics is not None
    matrix = truth.camera.intrinsics[0]
    x, y = pixel.astype(int).T
    depth = np.minimum(truth.depth[first, y, x], FAR).astype(np.float64)
    point = rays(pixel - matrix[:2, 2], matrix[0, 0]) * depth[:, None]
    step = pose.relative(truth.camera.poses[second], truth.camera.poses[first])
    there = point @ step[:3, :3].T + step[:3, 3]
    return np.asarray(matrix[0, 0] * there[:, :2] / np.maximum(there[:, 2:], 1e-6) + matrix[:2, 2])


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)
