"""How well the geometry instruments do on gauge blocks: camera poses, matches, depth.

Each function takes one rendered block and gives plain numbers; `summarise_geometry` joins those of many blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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

TURNS = ("away_left", "away_right", "tilt", "head_turn", "exit_wait_reenter")
U_TURNS = ("u_turn",)
STEPS = ("push_in", "pull_out", "move_left", "move_right", "orbit_left", "orbit_right")
STANDING = 1e-3
"""Metres; a true path shorter than this has no direction."""
FAR = 1e3
"""Metres; the sky, for ranking depths."""


def recover(truth: Truth, *, given_lens: bool = True) -> Trajectory:
    """The camera path the pocket instrument finds; `Unscored` when it cannot place every frame."""
    size = truth.frames.shape[2], truth.frames.shape[1]
    return BundlePoses().trajectory(truth.frames, lens_of(truth.camera, size) if given_lens else None)


def pose_errors(truth: Truth, found: Trajectory | None = None) -> Row:
    """Errors of a camera path (the pocket instrument's unless one is given) against the truth.

    `rotation`: root mean square angle after first-frame alignment, degrees; `direction`: median angle between true and
    found displacement from the first frame, degrees; `path`: root mean square distance after first-frame alignment and
    best scale, as a share of the path's length (both NaN for a camera that stands); `false_step`: for a camera that
    stands, 1 when it is said to move; `focal`: relative error of the focal length.
    """
    found = found or recover(truth)
    true = truth.camera.poses
    rotation = pose.rotation_errors(pose.align_first_frame(found.poses, true), true)
    row = {"rotation": pose.root_mean_square(rotation), "direction": np.nan, "path": np.nan, "false_step": np.nan}
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
    depth, valid = MotionDepth().maps(truth.frames, found.poses, found.lens, chosen)
    true = np.minimum(truth.depth[chosen], FAR)
    ranks = [_rank_correlation(d[v], t[v]) for d, v, t in zip(depth, valid, true, strict=True) if v.sum() >= 200]
    if not ranks:
        raise Unscored("no parallax")
    return {"rank_correlation": float(np.mean(ranks)), "claimed": float(valid.mean())}


def match_errors(truth: Truth, *, gaps: Sequence[int] = (1, 8, 24)) -> Row:
    """Matches against the true geometry of static points: median error and share within 2 px, by frames apart."""
    matcher = SiftMatches()
    row: Row = {}
    for gap in gaps:
        errors, counts = [], []
        for i in range(0, len(truth.frames) - gap, 16):
            here, there = matcher.between(matcher.features(truth.frames[i]), matcher.features(truth.frames[i + gap]))
            counts.append(len(here))
            static = ~truth.visible[i][tuple(here.astype(int).T[::-1])]
            errors.append(np.linalg.norm(_carry(truth, here, i, i + gap) - there, axis=1)[static])
        joined = np.concatenate(errors)
        row[f"matches_{gap}"] = float(np.mean(counts))
        row[f"median_error_{gap}"] = float(np.median(joined)) if len(joined) else np.nan
        row[f"within_2px_{gap}"] = float((joined < 2).mean()) if len(joined) else np.nan
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


def summarise_geometry(rows: Mapping[str, Sequence[Row]]) -> Row:
    """Medians and 90th percentiles over blocks, from pose rows by path name (see `TURNS`, `U_TURNS`, `STEPS`)."""
    summary: Row = {}
    for name, paths in (("turns", TURNS), ("u_turns", U_TURNS), ("steps", STEPS)):
        chosen = [row for path in paths for row in rows.get(path, ())]
        if not chosen:
            continue
        summary[f"{name}_blocks"] = float(len(chosen))
        for key in ("rotation", "direction", "path"):
            values = np.array([row[key] for row in chosen])
            values = values[np.isfinite(values)]
            if len(values):
                summary[f"{name}_{key}_median"] = float(np.median(values))
                summary[f"{name}_{key}_p90"] = float(np.percentile(values, 90))
    return summary
