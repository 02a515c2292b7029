"""Camera poses of a clip without weights: corner tracks, the turn-or-step decision, loop closures, adjustment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import align_first_frame
from worldgauge.functional.projection import strays
from worldgauge.instruments.pocket.between import place_between
from worldgauge.instruments.pocket.corner_tracks import Grey, Tracks, follow_corners
from worldgauge.instruments.pocket.matches import as_grey
from worldgauge.instruments.pocket.odometry import LEAST_LINKS, LEAST_SHARE
from worldgauge.instruments.pocket.prepare import GRAIN, grain, smoothed, without_flicker
from worldgauge.instruments.pocket.solve import Solution, refit, solve

Floats = NDArray[np.float64]
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
LEAST_SURVIVAL = 0.15
"""Share of a frame's corners that must be found in the next; after a cut a few seem to be, by chance."""
SURE_SIGHTINGS = 50
"""Agreeing sightings from which a frame's confidence no longer depends on their number."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Where the camera was. The unit of length is the typical depth of the scene."""

    poses: Floats
    """(N, 4, 4) camera-to-world, the first one identity."""
    lens: Lens
    """In pixels of the frames that were given."""
    lens_source: LensSource
    """Given by the caller, estimated from the clip, or assumed because the clip does not tell."""
    confidence: Floats
    """(N,) in (0, 1]: share of the frame's tracked corners that agree with its pose, less when they are few."""
    residual: Floats
    """(N,) median distance between seen and predicted corners, px of the frames that were given."""
    distance: Floats
    """(N-1,) how far corners stray from their predicted way to the next frame, px: the mean over those still on it."""
    sightings: Floats
    """(N-1,) how many corners that is."""
    moves: bool
    """False when a turning camera explains the clip: the translations are then exactly zero."""
    pairs: NDArray[np.int64] | None = None
    """(P, 2) frames that `distance` and `sightings`, then (P,), are between; None: each frame and the next."""


@dataclass(frozen=True)
class BundlePoses(Instrument):
    """Structure from motion on corner tracks, for cameras that move and for cameras that only turn."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "bundle"
    version: ClassVar[int] = 4
    memory: ClassVar[float] = 0.3

    corners: int = 400
    """Corners followed at a time."""

    def trajectory(self, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Trajectory:
        """Poses of RGB frames (H, W, 3); `Unscored` names the frames that cannot be placed."""
        greys, shrink = _shrunk_greys(frames)
        height, width = greys[0].shape
        tracks = self._follow(greys)
        _check_chain(tracks)
        every = -(-len(greys) // MOST_CAMERAS)
        chosen = tracks.every(every)
        small = lens.scaled(shrink, (width, height)) if lens else usual_lens((width, height))
        solution, source = self._solve(chosen, greys[::every], small, given=lens is not None)
        if every > 1:
            solution = place_between(solution, tracks, every)
        seen = _agreement(solution)
        poses = np.tile(np.eye(4), (len(greys), 1, 1))
        poses[:, :3, :3], poses[:, :3, 3] = solution.state.rotation, solution.state.centre
        size = frames[0].shape[1], frames[0].shape[0]
        found = solution.lens.scaled(1 / shrink, size)
        return Trajectory(
            align_first_frame(poses),
            lens or found,
            source,
            seen.confidence,
            seen.residual / shrink,
            seen.distance / shrink,
            seen.sightings,
            solution.moves,
        )

    def _follow(self, greys: Sequence[Grey]) -> Tracks:
        ready = without_flicker(greys)
        if grain(greys) <= GRAIN:
            return follow_corners(ready, self.corners)
        # Faint texture is found again in grain only by looking at more of it.
        return follow_corners(smoothed(ready), self.corners, GRAINY_WINDOW)

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


def _check_chain(tracks: Tracks) -> None:
    """Refuse frames that hardly share a corner with the frame before: black, blank, or after a cut."""
    links = np.array([len(tracks.shared(i, i + 1)[0]) for i in range(tracks.frames - 1)])
    corners = np.bincount(tracks.frame, minlength=tracks.frames)[:-1]
    lost = (links < LEAST_LINKS) | (links < LEAST_SURVIVAL * corners)
    if lost.any():
        words = frames_in_words(np.flatnonzero(lost) + 1)
        raise Unscored(f"{words} cannot be placed: too few corners in common with the frame before")


@dataclass(frozen=True, eq=False)
class _Agreement:
    """As in `Trajectory`, px of the shrunk frames."""

    confidence: Floats
    residual: Floats
    distance: Floats
    sightings: Floats


def _agreement(solution: Solution) -> _Agreement:
    """How well the corners of every frame agree with its pose; `Unscored` when a frame has too little support."""
    count = len(solution.state.rotation)
    confidence, residual = np.zeros((2, count))
    distance, obs = solution.distances(), solution.obs
    for frame in range(count):
        seen = distance[(obs.camera == frame) | (obs.anchor[obs.point] == frame)]
        agree = seen < 3 * solution.lens.tolerance
        if agree.sum() >= LEAST_LINKS and agree.mean() >= LEAST_SHARE:
            confidence[frame] = agree.mean() * min(1.0, agree.sum() / SURE_SIGHTINGS)
            residual[frame] = np.median(seen)
    if (confidence == 0).any():
        lost = np.flatnonzero(confidence == 0)
        raise Unscored(f"{frames_in_words(lost)} cannot be placed: the corners do not agree on one camera motion")
    return _Agreement(confidence, residual, *_mean_strays(solution, count))


def _mean_strays(solution: Solution, count: int) -> tuple[Floats, Floats]:
    """Mean and number of strays of every pair of frames, (N-1,) each; a corner that strays far was lost track of."""
    frames, lengths = strays(solution.obs, solution.state)
    followed = lengths < 3 * solution.lens.tolerance
    sums = np.bincount(frames[followed] - 1, lengths[followed], minlength=count - 1)
    numbers = np.bincount(frames[followed] - 1, minlength=count - 1).astype(np.float64)
    return sums / np.maximum(numbers, 1.0), numbers


def frames_in_words(frames: NDArray[np.int64]) -> str:
    """Frame numbers as ranges.

    >>> frames_in_words(np.array([3, 4, 5, 9]))
    'frames 3-5, 9'
    """
    runs = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    words = [f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    shown = ", ".join(words[:6]) + (f" and {len(words) - 6} more stretches" if len(words) > 6 else "")
    return ("frame " if len(frames) == 1 else "frames ") + shown
