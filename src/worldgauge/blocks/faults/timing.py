"""The clip as a whole runs wrong: backwards, too fast and too slow, in a loop, or with pieces missing.

Camera and world go wrong together, as they do where frames are put in the wrong order. Only frames after the first are
touched, so what the model was given is shown as it was given.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults.base import Frames, Given, Move, SeenInPictures, Shown, Stay, levels
from worldgauge.blocks.faults.clock import at_frames
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.cameras import CameraPath
from worldgauge.core.gauge import Quality

Floats = NDArray[np.float64]
_END = 0.95
"""Where in the clip a span ends: before the last frames, so that its end is seen too."""
_PICTURES_STAY = (Stay(Quality.PICTURE), Stay(Quality.TONES))


class _TimingFault(SeenInPictures):
    noticed = 0.1


class TimeReversal(_TimingFault):
    name = "time_reversal"
    says = "a span of up to six tenths of the clip runs backwards"
    moves = (Move(Quality.DIRECTION), Move(Quality.TIMING), Move(Quality.COURSE), Move(Quality.FIDELITY))
    stays = _PICTURES_STAY

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        start, end = span_before_end(len(frames), 0.6 * severity)
        return np.concatenate([frames[:start], frames[start:end][::-1], frames[end:]])


class SpeedChange(_TimingFault):
    name = "speed_change"
    says = "a span runs up to twice as fast, then slows down to a stand, so that its end is on time again"
    quantity = "mean time that the clip is ahead, seconds; 0 where nothing moves"
    noticed = 0.0
    moves = (Move(Quality.TIMING), Move(Quality.COURSE), Move(Quality.FIDELITY))
    stays = _PICTURES_STAY

    def act(self, given: Given, severity: float) -> Timeline:
        count = len(given.timeline)
        share = np.clip((np.arange(count) / (count - 1) - 0.1) / 0.8, 0, 1)
        ahead = severity * 0.4 * (count - 1) * (1 - np.abs(2 * share - 1))
        return all_at_frames(given.timeline, np.arange(count) + ahead)

    def measure(self, given: Given, shown: Shown) -> float:
        ahead = float((shown.timeline.time - given.timeline.time).mean())
        return ahead if levels(shown) > _TimingFault.noticed else 0.0


class Loop(_TimingFault):
    name = "loop"
    says = "the clip goes back to an earlier time and shows it again, up to half of the frames"
    moves = (Move(Quality.TIMING), Move(Quality.COURSE), Move(Quality.FIDELITY), Move(Quality.STATE))
    stays = _PICTURES_STAY

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        again = round(0.5 * severity * len(frames))
        source = np.arange(len(frames))
        source[len(frames) - again :] -= again
        return frames[source]


class FrameDrops(_TimingFault):
    name = "frame_drops"
    says = "up to a third of the frames is lost in three gaps; the rest closes up and the last frame is held"
    moves = (Move(Quality.TIMING), Move(Quality.COURSE), Move(Quality.FIDELITY))
    stays = _PICTURES_STAY

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        count = len(frames)
        lost = np.zeros(count, bool)
        for gap, at in enumerate((0.2, 0.45, 0.7)):
            first = round(at * count)
            lost[first : first + (round(severity * count / 3) + gap) // 3] = True
        kept = np.flatnonzero(~lost)
        held = np.full(count - len(kept), kept[-1])
        return np.take(frames, np.concatenate([kept, held]), axis=0)


def span_before_end(count: int, share: float) -> tuple[int, int]:
    """First frame of a span of that share of the clip, and the frame after its last; never the first frame."""
    end = round(_END * count)
    return max(1, end - round(share * count)), end


def all_at_frames(timeline: Timeline, frames: Floats) -> Timeline:
    """World and camera as they are at (N,) fractional frames."""
    from scipy.spatial.transform import Rotation, Slerp

    world, camera, count = at_frames(replace(timeline, scripted=()), frames), timeline.camera, len(timeline)
    at = np.clip(frames, 0, count - 1)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Slerp(np.arange(count), Rotation.from_matrix(camera.rotation))(at).as_matrix()
    for axis in range(3):
        poses[:, axis, 3] = np.interp(at, np.arange(count), camera.translation[:, axis])
    # Whole frames keep their bits, so that a frame in which nothing is different is the oracle's.
    whole = at == np.round(at)
    poses[whole] = camera.poses[at[whole].astype(int)]
    light = None if timeline.light is None else np.interp(at, np.arange(count), timeline.light)
    moved = CameraPath(poses, camera.intrinsics, camera.size, camera.source)
    return replace(world, camera=moved, light=light, scripted=timeline.scripted)
