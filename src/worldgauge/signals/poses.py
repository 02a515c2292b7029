"""Camera path of a clip, with the lens taken from the case or estimated from the clip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.cameras import CameraPath
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.reasons import OF_THE_CLIP, OF_THE_INSTRUMENT, POSE_NOT_TRUSTED, TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.lens import Lens, lens_of
from worldgauge.functional.usable import LEAST_SHARE, faults_of, usable

LIMITED = FrameSpec().within(640)
"""Poses gain nothing from larger frames."""
GRID_AREA = 512 * 512
"""Px; the frame in whose eighths residuals are told."""


class PosesInstrument(Protocol):
    """What the seat `poses` offers."""

    def trajectory(self, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Any:
        """Poses (N, 4, 4), lens, which frames were placed, confidence and residual (N,), distance and sightings (N-1,),
        whether the camera moves, and why the path is not to be trusted, if so."""


@signal(version=4, reads=("video",), seat="poses", frames=LIMITED, cost=0.5, dense=4.0)
def poses(clip: Clip, instrument: PosesInstrument) -> Arrays:
    """Where the camera is at every frame, the lens estimated from the clip.

    `poses`: (N, 4, 4) OpenCV camera-to-world, the first identity, in units of the typical scene depth;
    `intrinsics`: (3, 3) in pixels of `size`, the clip's own width and height;
    `placed`: (N,) frames whose pose was found; the others (blank, flashes, ghosts) lie on the way between their
    neighbours, or where the nearest one is;
    `lens_source`: "given", "estimated", or "assumed" where the clip does not tell the focal length;
    `confidence`: (N,) share of tracked corners that agree with each pose, less when they are few, 0 without a pose;
    `residual`: (N,) median distance of corners from their prediction, px of a frame of `size`, 0 without a pose;
    `distance`, `sightings`: (N-1,) mean distance by which corners miss their predicted way to the next frame, px, and
    their number; from an instrument that compares other frames, (P,) with `pairs` (P, 2), the frames of each;
    `moves`: whether there is parallax; without it the camera turns in place and translations are zero;
    `metric_scale`: metres per unit of length, 0 from an instrument that estimates no metres.
    Unscored where fewer than two thirds of the usable frames can be placed, and where nothing vouches for the path. The
    code is `of-the-clip` for a clip of one tone, and `of-the-instrument` where the instrument failed on usable frames.
    """
    return _path_of(clip, instrument, None)


@signal(version=4, reads=("video", "camera"), seat="poses", frames=LIMITED, cost=0.4, dense=4.0)
def poses_given_lens(clip: Clip, camera: CameraPath, instrument: PosesInstrument) -> Arrays:
    """As `poses`, with the lens of the case's camera file; estimated where that file has no intrinsics."""
    return _path_of(clip, instrument, camera)


@signal(version=4, reads=(), needs=(poses(),), cost=0.001)
def rigid_cameras(path: Arrays) -> Arrays:
    """Camera poses of the whole clip and how well a rigid scene explains it.

    `poses`: (N, 4, 4) OpenCV camera-to-world. `residual`: (N,) median distance between seen and predicted points of a
    frame, `distance`: (N-1,) mean distance by which points miss their predicted way to the next frame, both in pixels
    of an eighth of a frame as large as 512x512, the grid on which dense trackers work; `sightings`: (N-1,) how many
    points. With `pairs` (P, 2) these two are of those frames. `metric_scale`: metres per unit of length, as in `poses`.
    """
    width, height = path["size"].tolist()
    unit = 8.0 * math.sqrt(width * height / GRID_AREA)
    lengths = {name: path[name] / unit for name in ("residual", "distance")}
    kept = {name: path[name] for name in ("poses", "sightings", "pairs", "metric_scale") if name in path}
    return {**kept, **lengths}


def _path_of(clip: Clip, instrument: PosesInstrument, camera: CameraPath | None) -> Arrays:
    # Some were trained at a size of their own and bring frames to it themselves.
    frames = clip.frames(replace(clip.spec, max_side=None) if getattr(instrument, "whole_frames", False) else None)
    if len(frames) < 2:
        raise InvalidVideo(f"a camera path needs two frames, the clip has {len(frames)}")
    found = trajectory_of(instrument, frames, lens_of(camera, frames.size) if camera is not None else None)
    return path_arrays(found, frames.size, clip.size)


def trajectory_of(instrument: PosesInstrument, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Any:
    """The instrument's path of RGB frames (H, W, 3). Where it gives none, the code says who is to blame.

    Of a clip in which at most one frame shows anything it is the clip; of one whose frames can be used it is the
    instrument.
    """
    try:
        return instrument.trajectory(frames, lens)
    except Unscored as outcome:
        raise Unscored(outcome.message, outcome.hint, _to_blame(outcome.code, frames)) from outcome


def _to_blame(code: str, frames: Sequence[NDArray[np.uint8]]) -> str:
    if code not in ("", TOO_FEW_FRAMES):
        return code
    faults = faults_of(frames)
    if sum(fault != "blank" for fault in faults) < 2:
        return OF_THE_CLIP
    return OF_THE_INSTRUMENT if usable(faults).mean() >= LEAST_SHARE else TOO_FEW_FRAMES


def path_arrays(found: Any, seen: tuple[int, int], size: tuple[int, int]) -> Arrays:
    """A trajectory as the arrays of the `poses` signal: `seen` is the size of the frames the instrument was given,
    `size` that of the clip. Unscored where nothing vouches for the path."""
    if found.doubt:
        raise Unscored(found.doubt, code=POSE_NOT_TRUSTED)
    enlarge = size[0] / seen[0]
    lens = found.lens.scaled(enlarge, size)
    pairs, scale = getattr(found, "pairs", None), getattr(found, "metric_scale", None)
    return {
        "poses": found.poses,
        "placed": found.placed,
        "intrinsics": lens.matrix(),
        "size": np.asarray(size),
        "lens_source": np.array(found.lens_source),
        "confidence": found.confidence,
        "residual": found.residual * enlarge,
        "distance": found.distance * enlarge,
        "sightings": found.sightings,
        "moves": np.array(found.moves),
        "metric_scale": np.array(0.0 if scale is None else scale, np.float64),
        **({} if pairs is None else {"pairs": pairs}),
    }


def metric_scale_of(path: Arrays) -> float | None:
    """Metres per unit of length of a stored camera path; None where the instrument estimated no metres.

    >>> metric_scale_of({"metric_scale": np.array(8.0)}), metric_scale_of({"metric_scale": np.array(0.0)})
    (8.0, None)
    """
    # Entries of stores that are older than the estimate do not have it.
    scale = float(path["metric_scale"]) if "metric_scale" in path else 0.0
    return scale if scale > 0 else None


def as_camera_path(arrays: Arrays) -> CameraPath:
    """The `poses` signal as a camera path."""
    width, height = arrays["size"].tolist()
    return CameraPath(arrays["poses"], arrays["intrinsics"], (width, height))
