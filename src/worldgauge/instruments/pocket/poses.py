"""Camera poses of a clip without weights: corner tracks, the turn-or-step decision, loop closures, adjustment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import align_first_frame
from worldgauge.functional.projection import strays
from worldgauge.functional.usable import LEAST_SHARE as LEAST_PLACED
from worldgauge.functional.usable import faults_of, in_words, usable
from worldgauge.instruments.pocket.between import place_between
from worldgauge.instruments.pocket.corner_tracks import LEAST_LINKS, WINDOW, Grey, Tracks
from worldgauge.instruments.pocket.doubt import summed, sway, torn
from worldgauge.instruments.pocket.loops import one_motion
from worldgauge.instruments.pocket.matches import SiftMatches, as_grey
from worldgauge.instruments.pocket.odometry import LEAST_SHARE
from worldgauge.instruments.pocket.prepare import GRAIN, grain, smoothed, without_flicker
from worldgauge.instruments.pocket.remembered import Remembered, digest_of
from worldgauge.instruments.pocket.solve import Solution, refit, solve
from worldgauge.instruments.pocket.stretches import Bridge, follow_corners

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LensSource = Literal["given", "estimated", "assumed"]

LONGEST_SIDE = 640
"""Px; larger frames are shrunk before anything is measured."""
SMALLEST_SIDE = 48
"""Px; smaller frames hold too few corners."""
MOST_CAMERAS = 160
"""Frames adjusted together; the others of a longer clip are placed between them."""
USUAL_VIEW = 60.0
"""Degrees across the longer side: the lens assumed where nothing tells."""
LENS_SIGMA = 0.06
"""Standard deviation of the logarithm of the focal length up to which it counts as estimated."""
GRAINY_WINDOW = 25
"""Px; side of the square by which corners of a grainy clip are followed."""
MOST_SWAY = 5.0
"""Degrees, summed over the clip, by which a path may sway without one part of the picture and still be trusted."""
MOST_TORN = 6.0
"""Degrees by which it may turn otherwise, across missing frames, than the two frames beside them say."""
SURE_SIGHTINGS = 50
"""Agreeing sightings from which a frame's confidence no longer depends on their number."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Where the camera was. The unit of length is the typical depth of the scene."""

    poses: Floats
    """(N, 4, 4) camera-to-world, the first one identity; between placed frames where a frame could not be placed."""
    lens: Lens
    """In pixels of the frames that were given."""
    lens_source: LensSource
    """Given by the caller, estimated from the clip, or assumed because the clip does not tell."""
    confidence: Floats
    """(N,) in [0, 1]: share of the frame's tracked corners that agree with its pose, less when they are few; 0 where
    it could not be placed."""
    residual: Floats
    """(N,) median distance between seen and predicted corners, px of the frames that were given."""
    distance: Floats
    """(N-1,) how far corners stray from their predicted way to the next frame, px: the mean over those still on it."""
    sightings: Floats
    """(N-1,) how many corners that is."""
    moves: bool
    """False when a turning camera explains the clip: the translations are then exactly zero."""
    placed: NDArray[np.bool_]
    """(N,) frames whose pose was found."""
    doubt: str = ""
    """Why the path is not to be trusted; empty where nothing speaks against it."""
    pairs: NDArray[np.int64] | None = None
    """(P, 2) frames that `distance` and `sightings`, then (P,), are between; None: each frame and the next."""
    metric_scale: float | None = None
    """Metres per unit of length, from an instrument that estimates metres; None from all others."""


@dataclass(frozen=True, eq=False)
class _Joined:
    tracks: Tracks
    frames: Ints
    """(F,) numbers of the frames that the tracks join."""
    usable: int
    """How many frames of the clip show the world."""
    bridged_by: Lens | None
    """The lens, where it had a say."""


_JOINED = Remembered[_Joined](2)
"""Corners of the last clips: a path is asked for with the lens given and with none."""


@dataclass(frozen=True)
class BundlePoses(Instrument):
    """Structure from motion on corner tracks, for cameras that move and for cameras that only turn."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "bundle"
    version: ClassVar[int] = 8
    memory: ClassVar[float] = 0.3

    corners: int = 400
    """Corners followed at a time."""

    def trajectory(self, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Trajectory:
        """Poses of RGB frames (H, W, 3); those that cannot be placed are left out, `Unscored` when too few are left."""
        greys, shrink = _shrunk_greys(frames)
        height, width = greys[0].shape
        small = lens.scaled(shrink, (width, height)) if lens else usual_lens((width, height))
        joined = self._joined(greys, small)
        tracks, kept = joined.tracks, joined.frames
        stride = -(-len(kept) // MOST_CAMERAS)
        chosen = tracks.every(stride)
        some = tracks.in_frames(chosen)
        solution, source = self._solve(some, [greys[k] for k in kept[chosen]], small, given=lens is not None)
        duration = (len(greys) - 1) // stride + 1
        swayed = summed(sway(some, solution, kept[chosen] // stride, duration), duration)
        doubted = _doubt(swayed, torn(some, solution))
        if some.frames < tracks.frames:
            solution = place_between(solution, tracks, chosen)
        seen = _agreement(solution)
        agreed = seen.confidence > 0
        placed = np.zeros(len(greys), bool)
        placed[kept[agreed]] = True
        _check_placed(placed, joined.usable, "the corners do not agree on one camera motion")
        state = solution.state
        size = frames[0].shape[1], frames[0].shape[0]
        together = agreed[:-1] & agreed[1:] & (np.diff(kept) == 1)
        return Trajectory(
            _filled(state.rotation[agreed], state.centre[agreed], placed),
            lens or solution.lens.scaled(1 / shrink, size),
            source,
            _spread(seen.confidence, kept, len(greys)),
            _spread(seen.residual, kept, len(greys)) / shrink,
            _spread(np.where(together, seen.distance, 0.0), kept[:-1], len(greys) - 1) / shrink,
            _spread(np.where(together, seen.sightings, 0.0), kept[:-1], len(greys) - 1),
            solution.moves,
            placed,
            doubted,
        )

    def _joined(self, greys: Sequence[Grey], lens: Lens) -> _Joined:
        # The lens has a say only where frames are bridged.
        key = self.corners, digest_of(greys)
        joined = _JOINED.of(key, lambda: self._join(greys, lens))
        return joined if joined.bridged_by in (None, lens) else self._join(greys, lens)

    def _join(self, greys: Sequence[Grey], lens: Lens) -> _Joined:
        shown = usable(faults_of(greys))
        _check_placed(shown, len(greys), "they are blank, noise or flashes")
        numbers = np.flatnonzero(shown)
        ready, window = self._ready([greys[k] for k in numbers.tolist()])
        over = _bridge(lens)
        asked = False

        def bridge(before: Grey, after: Grey) -> tuple[Floats, Floats] | None:
            nonlocal asked
            asked = True
            return over(before, after)

        found = follow_corners(ready, self.corners, window, numbers, bridge)
        kept = numbers[found.frames]
        placed = np.isin(np.arange(len(greys)), kept)
        _check_placed(placed, len(numbers), "too few corners in common with the others")
        return _Joined(found.tracks, kept, len(numbers), lens if asked else None)

    def _ready(self, greys: Sequence[Grey]) -> tuple[Sequence[Grey], int]:
        """Frames to follow corners in, and the window to follow them by."""
        ready = without_flicker(greys)
        if grain(greys) <= GRAIN:
            return ready, WINDOW
        # Faint texture is found again in grain only by looking at more of it.
        return smoothed(ready), GRAINY_WINDOW

    def _solve(self, tracks: Tracks, greys: Sequence[Grey], lens: Lens, *, given: bool) -> tuple[Solution, LensSource]:
        solution = solve(tracks, greys, lens, free_lens=not given)
        if given:
            return solution, "given"
        if solution.focal_sigma > LENS_SIGMA:
            return refit(solution, lens), "assumed"
        if abs(np.log(solution.lens.focal / lens.focal)) > 0.15:
            # The first map was built with a wrong lens; build it again with a better one.
            solution = solve(tracks, greys, solution.lens, free_lens=True)
        return solution, "estimated"


def usual_lens(size: tuple[int, int]) -> Lens:
    """The lens assumed where nothing is known."""
    return Lens(max(size) / 2 / np.tan(np.radians(USUAL_VIEW / 2)), (size[0] / 2, size[1] / 2), size)


def _shrunk_greys(frames: Sequence[NDArray[np.uint8]]) -> tuple[list[Grey], float]:
    """Grey frames no larger than `LONGEST_SIDE`, and by how much they were shrunk."""
    import cv2

    if len(frames) < 2:
        raise Unscored("a camera path needs two frames")
    height, width = frames[0].shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        raise Unscored(f"frames of {width}x{height} are too small for camera poses")
    shrink = min(1.0, LONGEST_SIDE / max(height, width))
    if shrink == 1.0:
        return [as_grey(frame) for frame in frames], 1.0
    size = round(width * shrink), round(height * shrink)
    return [as_grey(cv2.resize(frame, size, interpolation=cv2.INTER_AREA)) for frame in frames], size[0] / width


def _bridge(lens: Lens) -> Bridge:
    """Joins frames that are far apart by features that agree on one camera motion."""
    matcher = SiftMatches()

    def bridge(before: Grey, after: Grey) -> tuple[Floats, Floats] | None:
        here, there = matcher.match_of(matcher.features_of(before), matcher.features_of(after))
        agree = one_motion(here, there, lens, turn_only=False)
        return None if agree is None else (here[agree], there[agree])

    return bridge


def _doubt(swayed: float, torn_by: float) -> str:
    if swayed > MOST_SWAY:
        return f"the camera path is not to be trusted: it turns by {swayed:.0f} degrees without one part of the picture"
    if torn_by > MOST_TORN:
        return (
            "the camera path is not to be trusted: where frames are missing, or the view jumps, it is "
            f"{torn_by:.0f} degrees from what the two frames beside say"
        )
    return ""


def _check_placed(placed: NDArray[np.bool_], of_usable: int, why: str) -> None:
    """Refuse a path of which too little is left."""
    if placed.sum() < max(2.0, LEAST_PLACED * of_usable - 1e-9):
        raise Unscored(f"{in_words(np.flatnonzero(~placed))} cannot be placed: {why}", code=TOO_FEW_FRAMES)


def _filled(rotation: Floats, centre: Floats, placed: NDArray[np.bool_]) -> Floats:
    """(N, 4, 4) poses of all frames, the first one identity, from those of the placed ones."""
    from scipy.spatial.transform import Rotation, Slerp

    known = np.flatnonzero(placed)
    at = np.clip(np.arange(len(placed)), known[0], known[-1])
    poses = np.tile(np.eye(4), (len(placed), 1, 1))
    if not placed.all():
        poses[:, :3, :3] = Slerp(known, Rotation.from_matrix(rotation))(at).as_matrix()
        poses[:, :3, 3] = np.stack([np.interp(at, known, axis) for axis in centre.T], axis=1)
    poses[known, :3, :3], poses[known, :3, 3] = rotation, centre
    return align_first_frame(poses)


def _spread(values: Floats, numbers: Ints, count: int) -> Floats:
    """(count,) values of numbered frames, 0 for the others."""
    found = np.zeros(count)
    found[numbers] = values
    return found


@dataclass(frozen=True, eq=False)
class _Agreement:
    """As in `Trajectory`, px of the shrunk frames."""

    confidence: Floats
    residual: Floats
    distance: Floats
    sightings: Floats


def _agreement(solution: Solution) -> _Agreement:
    """How well the corners of every frame agree with its pose; confidence 0 for a frame with too little support."""
    count = len(solution.state.rotation)
    confidence, residual = np.zeros((2, count))
    distance, obs = solution.distances(), solution.obs
    for frame in range(count):
        seen = distance[(obs.camera == frame) | (obs.anchor[obs.point] == frame)]
        agree = seen < 3 * solution.lens.tolerance
        if agree.sum() >= LEAST_LINKS and agree.mean() >= LEAST_SHARE:
            confidence[frame] = agree.mean() * min(1.0, agree.sum() / SURE_SIGHTINGS)
            residual[frame] = np.median(seen)
    return _Agreement(confidence, residual, *_mean_strays(solution, count))


def _mean_strays(solution: Solution, count: int) -> tuple[Floats, Floats]:
    """Mean and number of strays of every pair of frames, (N-1,) each; a corner that strays far was lost track of."""
    frames, lengths = strays(solution.obs, solution.state)
    followed = lengths < 3 * solution.lens.tolerance
    sums = np.bincount(frames[followed] - 1, lengths[followed], minlength=count - 1)
    numbers = np.bincount(frames[followed] - 1, minlength=count - 1).astype(np.float64)
    return sums / np.maximum(numbers, 1.0), numbers
