"""Which views of a clip are compared, and what they show: matched points, depth, and objects seen from one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.data.case_parts import is_text, segments_of
from worldgauge.benchmarks.mbench.formulas.pairs import early_late_pairs, fold_pairs
from worldgauge.benchmarks.mbench.formulas.warp import masked_ssim, moved_by, warped_to
from worldgauge.benchmarks.mbench.signals.objects import named_masks
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.functional.lens import lens_of
from worldgauge.functional.masks import Mask, resize_mask
from worldgauge.functional.pose import geodesic_deg
from worldgauge.signals.depth import DepthInstrument
from worldgauge.signals.matches import MatchInstrument
from worldgauge.signals.poses import as_camera_path, poses
from worldgauge.signals.tracks import object_track, unpack_masks

LIMITED = FrameSpec().within(640)
SMALL = FrameSpec().within(416)


@signal(version=1, reads=("case",), needs=(poses(),), cost=0.001)
def view_pairs(
    case: Case,
    path: Arrays,
    *,
    keep_text: int = 5,
    keep_action: int = 20,
    step_scale: float = 0.1,
    turn_scale: float = 10.0,
    least_excursion: float = 0.05,
) -> Arrays:
    """Pairs of frames, early and late, that look from one place: `pairs` (P, 2), and the evidence for them.

    `step` (P,) in scene depths and `turn` (P,) in degrees between the two; `rule`: `early_late` for text clips, `fold`
    for action clips, `symmetric` where an action clip has no clear `turnaround` (a frame); `excursion` there.
    """
    found = path["poses"]
    if is_text(case):
        segments = segments_of(case)
        chosen = early_late_pairs(
            found, segments=segments, keep=keep_text, step_scale=step_scale, turn_scale=turn_scale
        )
    else:
        chosen = fold_pairs(found, keep=keep_action, least_excursion=least_excursion)
    if not chosen.pairs:
        raise Unscored(f"{len(found)} frames have no early and late part")
    first, second = np.array(chosen.pairs).T
    return {
        "pairs": np.array(chosen.pairs),
        "step": np.linalg.norm(found[first, :3, 3] - found[second, :3, 3], axis=1),
        "turn": geodesic_deg(found[first, :3, :3], found[second, :3, :3]),
        "rule": np.array(chosen.rule),
        "turnaround": np.array(chosen.turnaround),
        "excursion": np.array(chosen.excursion),
    }


@signal(version=1, reads=("video",), needs=(view_pairs(),), seat="matches", frames=LIMITED, cost=0.15)
def pair_matches(clip: Clip, chosen: Arrays, instrument: MatchInstrument, *, most: int = 500) -> Arrays:
    """Matched points of every pair of views, at most `most` of each.

    `points` (M, 4): x, y in the first and x, y in the second frame, px of the clip's own size; `starts` (P + 1,): where
    the matches of each pair begin.
    """
    frames, pairs = clip.frames(), chosen["pairs"].tolist()
    enlarge = clip.size[0] / frames.size[0]
    numbers = sorted({k for pair in pairs for k in pair})
    features = dict(zip(numbers, in_stacks(instrument, instrument.features, [frames[k] for k in numbers]), strict=True))
    rows, starts = [np.zeros((0, 4))], [0]
    for points in instrument.match([features[i] for i, _ in pairs], [features[j] for _, j in pairs]):
        found = np.concatenate(points, axis=1)
        # Evenly thinned, so that what is kept covers the frame as the whole did.
        kept = np.unique(np.linspace(0, len(found) - 1, most).astype(int)) if len(found) > most else slice(None)
        rows.append(found[kept])
        starts.append(starts[-1] + len(rows[-1]))
    return {"points": np.concatenate(rows) * enlarge, "starts": np.array(starts)}


@signal(version=1, reads=("video",), needs=(poses(), view_pairs()), seat="depth", frames=SMALL, cost=0.3)
def pair_depths(clip: Clip, path: Arrays, chosen: Arrays, instrument: DepthInstrument) -> Arrays:
    """Depth of the frames that are compared: `frames` (F,), `depth` (F, H, W), 0 where unknown, `intrinsics` (3, 3).

    A camera that only turns sees the same whatever the depth: it is 1 everywhere then, and nobody is asked.
    """
    frames = clip.frames()
    lens = lens_of(as_camera_path(path), frames.size)
    if lens is None:
        raise Unscored("the lens is not known")
    numbers = np.unique(chosen["pairs"]).tolist()
    width, height = frames.size
    if bool(path["moves"]):
        # Some were trained at a size of their own and bring frames to it themselves.
        whole = getattr(instrument, "whole_frames", False)
        given = clip.frames(replace(clip.spec, max_side=None)) if whole else frames
        maps, valid = instrument.maps(given, path["poses"], lens_of(as_camera_path(path), given.size), numbers)
        depth = _at_size(np.where(valid, maps, 0.0), (width, height)).astype(np.float16)
    else:
        depth = np.ones((len(numbers), height, width), np.float16)
    return {"frames": np.array(numbers), "depth": depth, "intrinsics": lens.matrix()}


def _at_size(maps: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64]:
    """Depth maps (F, H, W) at another size; what is unknown stays 0 and is not mixed with what is known."""
    if maps.shape[:0:-1] == size:
        return maps
    import cv2

    return np.stack([cv2.resize(one, size, interpolation=cv2.INTER_NEAREST) for one in maps])


@signal(
    version=2,
    reads=("video",),
    needs=(poses(), view_pairs(), pair_depths(), object_track()),
    frames=SMALL,
    cost=0.02,
)
def anchored_likeness(clip: Clip, path: Arrays, chosen: Arrays, depths: Arrays, track: Arrays) -> Arrays:
    """How alike the target looks in each pair of views, the late one brought to where the early one was taken.

    `masked`, `map`, `whole` (P,): SSIM over the three regions, NaN where the target is not in the early view or cannot
    be seen from the late one; `area` (P,): share of the frame it covers; `seen_late` (P,): whether it is in the late
    view at all; `moved` (P,): how far it is from where it would be if it had stood still, in its own sizes, NaN where
    it is not seen whole in both.
    """
    return _likeness(clip, path, chosen, depths, unpack_masks(track))


@signal(
    version=2, reads=("video",), needs=(poses(), view_pairs(), pair_depths(), named_masks()), frames=SMALL, cost=0.02
)
def named_likeness(clip: Clip, path: Arrays, chosen: Arrays, depths: Arrays, named: Arrays) -> Arrays:
    """As `anchored_likeness`, for a target that is known by its name alone."""
    return _likeness(clip, path, chosen, depths, unpack_masks(named))


def _likeness(clip: Clip, path: Arrays, chosen: Arrays, depths: Arrays, masks: Sequence[Mask]) -> Arrays:
    frames, place = clip.frames(), {int(k): n for n, k in enumerate(depths["frames"])}
    width, height = frames.size
    found: dict[str, list[float]] = {"masked": [], "map": [], "whole": [], "area": [], "seen_late": [], "moved": []}
    for i, j in chosen["pairs"].tolist():
        mask, later = (resize_mask(masks[k], height, width) for k in (i, j))
        here, there = (depths["depth"][place[k]].astype(np.float64) for k in (i, j))
        seen, known = warped_to(
            frames[j], here, depths["intrinsics"], path["poses"][i], path["poses"][j], _nothing_if_flat(there)
        )
        for region in ("masked", "map", "whole"):
            found[region].append(masked_ssim(frames[i], seen, mask, known, region))
        found["area"].append(float(mask.mean()))
        found["seen_late"].append(float(masks[j].any()))
        found["moved"].append(moved_by(mask, later, here, depths["intrinsics"], path["poses"][i], path["poses"][j]))
    return {name: np.array(values, np.float64) for name, values in found.items()}


def _nothing_if_flat(depth: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Depth that was not measured hides nothing."""
    return None if (depth == 1.0).all() else depth
