"""How the target and its surroundings look after the return, beside the reference: what failures are named by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Phases
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.functional.masks import iou, resize_mask, same_place
from worldgauge.functional.phases import split, spread
from worldgauge.functional.return_evidence import (
    centre_of,
    changed_around,
    changed_share,
    colour_histogram,
    find_like,
    histogram_distance,
    novelty,
    ring,
    touches_border,
    turn_between,
)
from worldgauge.functional.stalled import stalled_place
from worldgauge.functional.usable import check_enough
from worldgauge.signals.matches import MatchInstrument
from worldgauge.signals.phases import frames_at
from worldgauge.signals.tracks import object_track, unpack_masks

SAMPLES = 6
"""Frames looked at in each phase."""
FIELD_OF_VIEW = 60.0
"""Degrees across, assumed where the case has no intrinsics."""
Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@signal(
    version=7,
    reads=("video", "reference", "phases", "camera"),
    needs=(object_track(), object_track(of="reference")),
    seat="matches",
    frames=FrameSpec().within(416),
    cost=0.2,
)
def return_evidence(
    clip: Clip,
    reference: Clip,
    phases: Phases,
    camera: CameraPath,
    track: Arrays,
    true_track: Arrays,
    matches: MatchInstrument,
) -> Arrays:
    """Clip against reference in sampled frames: camera, scenery, and the target's presence, place and looks.

    Over six frames of each phase, `turn_*`: degrees between the two cameras; `scenery_*`: share of the surroundings
    that changed. Over the sampled back frames in which the reference shows the target (`back_frames`, their numbers):
    `seen`: whether the clip's track has it, or else its true picture is found; `novel`: share of colours at the true
    place that are rare in the rest of the frame; `beyond`: pixels of other hue around the true outline, in its areas;
    `shift_x`, `shift_y`: its place less the true one, in target sizes; `from_reset`: distance, likewise, from where it
    would be had its process stood still while it was gone; `looks_true`: colour distance to the reference's target;
    `looks_there`: the same, over both outlines in both pictures where they are at one place (`same_place`):
    what a track leaves out of one of two equal pictures is no other look;
    `looks_last`: to the clip's own when last seen whole; `true_change`: how much the reference's own target changed
    since then; `drift`: colour distance of the two then; `overlap` of the two masks. Frames that show nothing of the
    world are not sampled; `left_out` is their share in the back phase.
    """
    camera.checked(frames=reference.count)
    counted = split(phases.gone, phases.back, reference.count, clip.count, "disjoint")
    if not counted.visible_frames or not counted.back_frames:
        raise InvalidVideo("the clip has no visible or no back phase")
    used = track["usable"]
    back = used[list(counted.back_frames)]
    check_enough(back, "frames after the return are usable")
    sampled = {
        "visible": _sampled(counted.visible_frames, used),
        "gone": _sampled(counted.gone_frames, used),
        "back": _sampled(counted.back_frames, used),
    }
    size = reference.frames().size
    masks, truth = ([resize_mask(m, size[1], size[0]) for m in unpack_masks(t)] for t in (track, true_track))
    scale = (reference.count - 1) / max(1, clip.count - 1)
    whole = [i for i in counted.visible_frames if used[i] and _is_whole(truth[round(i * scale)])]
    last = whole[-1] if whole else 0
    indices = sorted({last, *(i for of_phase in sampled.values() for i in of_phase)})
    twin = {i: round(i * scale) for i in indices}
    ours = frames_at(clip, indices, FrameSpec().resized(*size))
    theirs = frames_at(reference, twin.values(), reference.spec)
    for i in sampled["back"]:
        # A target whose process gave it other colours meanwhile may be lost to the tracker.
        if not masks[i].any():
            masks[i] = find_like(ours[i], theirs[twin[i]], truth[twin[i]])
    lens = _intrinsics(camera, reference.size, size)
    arrays: dict[str, list[float]] = {}
    for name, of_phase in sampled.items():
        pairs = [(theirs[twin[i]], ours[i]) for i in of_phase]
        described = [in_stacks(matches, matches.features, list(side)) for side in zip(*pairs, strict=True)]
        matched = matches.match(*described) if pairs else []
        arrays[f"turn_{name}"] = [turn_between(*points, lens) for points in matched]
        hidden = [_with_surroundings(truth[twin[i]] | masks[i]) for i in of_phase]
        arrays[f"scenery_{name}"] = [changed_share(a, b, out) for (a, b), out in zip(pairs, hidden, strict=True)]
    last_seen = (
        colour_histogram(ours[last], masks[last] if masks[last].any() else truth[twin[last]]),
        colour_histogram(theirs[twin[last]], truth[twin[last]]),
    )
    places = np.array([centre_of(mask) if _is_whole(mask) else (np.nan, np.nan) for mask in truth])
    poses = np.asarray(camera.poses)[: len(truth)]
    rows, back_frames = [], list[float]()
    for i in sorted(set(sampled["back"])):
        j = twin[i]
        if truth[j].any():
            back_frames.append(i)
            row = _compare(ours[i], theirs[j], masks[i], truth[j], last_seen)
            stalled = stalled_place(places, poses, lens, phases.gone, phases.back, j)
            row["from_reset"] = float(np.linalg.norm(centre_of(masks[i]) - stalled)) / _size(truth[j])
            rows.append(row)
    if not rows:
        raise Unscored("the target is not found in the back phase of the reference", code=OF_THE_CASE)
    arrays |= {name: [row[name] for row in rows] for name in rows[0]} | {"back_frames": back_frames}
    left_out = np.array(1 - back.mean())
    return {name: np.array(values, np.float64) for name, values in arrays.items()} | {"left_out": left_out}


def _sampled(phase: range, used: Mask) -> list[int]:
    """`SAMPLES` frames spread over a phase, or for one that is not usable the nearest that is: the others stay the
    same, and so does what they say. Nor is one right behind such frames sampled, where others are left: the target was
    followed across a gap."""
    sure = used & np.append(True, used[:-1])
    within = slice(phase.start, phase.stop)
    numbers = np.flatnonzero((sure if sure[within].any() else used)[within]) + phase.start
    return [int(numbers[np.abs(numbers - i).argmin()]) for i in spread(phase, SAMPLES)] if len(numbers) else []


def _compare(
    ours: Image, theirs: Image, mask: Mask, true_mask: Mask, last_seen: tuple[Floats, Floats]
) -> dict[str, float]:
    own = colour_histogram(ours, mask if mask.any() else true_mask)
    true = colour_histogram(theirs, true_mask)
    looks_true = histogram_distance(own, true)
    both = [colour_histogram(image, mask | true_mask) for image in (ours, theirs)]
    shift = (centre_of(mask) - centre_of(true_mask)) / _size(true_mask)
    return {
        "seen": float(mask.any()),
        "novel": novelty(ours, true_mask),
        "beyond": changed_around(theirs, ours, true_mask),
        "shift_x": float(shift[0]),
        "shift_y": float(shift[1]),
        "looks_true": looks_true,
        "looks_there": histogram_distance(*both) if same_place(mask, true_mask) else looks_true,
        "looks_last": histogram_distance(own, last_seen[0]),
        "true_change": histogram_distance(true, last_seen[1]),
        "drift": histogram_distance(*last_seen),
        "overlap": iou(mask, true_mask),
    }


def _is_whole(mask: Mask) -> bool:
    return bool(mask.any()) and not touches_border(mask)


def _with_surroundings(mask: Mask) -> Mask:
    """The target and a band around it: its shadow is not scenery."""
    return mask | ring(mask) if mask.any() else mask


def _size(mask: Mask) -> float:
    return float(np.sqrt(mask.sum()))


def _intrinsics(camera: CameraPath, full: tuple[int, int], size: tuple[int, int]) -> Floats:
    if camera.intrinsics is None:
        focal = size[0] / 2 / np.tan(np.radians(FIELD_OF_VIEW / 2))
        return np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1.0]])
    source = camera.size or full
    return np.asarray(np.diag([size[0] / source[0], size[1] / source[1], 1.0]) @ camera.intrinsics[0])
