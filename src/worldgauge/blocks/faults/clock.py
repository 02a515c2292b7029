"""The world's clock is wrong: it stops, falls back while nobody looks, or jumps at the borders of chunks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults.base import Fault, Given, Move, Shown, Stay, still
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.gauge import Quality

Floats = NDArray[np.float64]


class StateReset(Fault):
    name = "state_reset"
    says = "what happened while nobody looked is forgotten: the process goes on from where it was last seen"
    quantity = "time the world lags behind after the return, seconds"
    unseen = True
    moves = (Move(Quality.FIDELITY), Move(Quality.STATE))
    stays = still(Quality.CAMERA, Quality.PRESENCE, Quality.EARLY)

    def act(self, given: Given, severity: float) -> Timeline:
        frame = np.arange(len(given.timeline))
        away = np.clip(frame - given.gone, 0, _away(given))
        return at_frames(given.timeline, frame - severity * away)

    def measure(self, given: Given, shown: Shown) -> float:
        return float((given.timeline.time - shown.timeline.time)[given.back :].mean())


class StillLife(Fault):
    name = "still_life"
    says = "the world does not evolve: its clock runs slow, and stands at full severity"
    quantity = "share of the elapsed time that did not pass"
    moves = (Move(Quality.FIDELITY), Move(Quality.STATE), Move(Quality.MOTION))
    stays = still(
        Quality.CAMERA,
        Quality.PRESENCE,
        Quality.PICTURE,
        Quality.STEADINESS,
        Quality.LIGHTING,
        Quality.EXPOSURE,
        Quality.TONES,
    )

    def act(self, given: Given, severity: float) -> Timeline:
        return at_frames(given.timeline, (1 - severity) * np.arange(len(given.timeline), dtype=np.float64))

    def measure(self, given: Given, shown: Shown) -> float:
        return 1 - float(shown.timeline.time[-1] / given.timeline.time[-1])


class ChunkReset(Fault):
    name = "chunk_reset"
    says = "the state jumps back towards the beginning whenever a new chunk starts"
    quantity = "mean jump of the world's clock at the borders, seconds"
    moves = (Move(Quality.FIDELITY), Move(Quality.STATE))
    stays = (Stay(Quality.CAMERA), Stay(Quality.PICTURE))

    def act(self, given: Given, severity: float) -> Timeline:
        frame = np.arange(len(given.timeline))
        chunk = np.searchsorted(given.borders, frame, side="right")
        return at_frames(given.timeline, frame - severity * np.array([0, *given.borders])[chunk])

    def measure(self, given: Given, shown: Shown) -> float:
        step = given.timeline.time[1] - given.timeline.time[0]
        jumps = [step - (shown.timeline.time[b] - shown.timeline.time[b - 1]) for b in given.borders]
        return float(np.mean(jumps))


def _away(given: Given) -> int:
    """Frames the target is away; a third of the clip where it never leaves."""
    return given.back - given.gone or len(given.timeline) // 3


def at_frames(timeline: Timeline, frames: Floats) -> Timeline:
    """The world as it is at (N,) fractional frames; the camera and what the script moves go on.

    `time` says what the world's clock shows.
    """
    before = np.clip(np.floor(frames).astype(int), 0, len(timeline) - 1)
    after = np.minimum(before + 1, len(timeline) - 1)
    share = frames - before

    def between(values: NDArray[np.floating]) -> Floats:
        weight = share.reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(values[before] * (1 - weight) + values[after] * weight, np.float64)

    position, own = between(timeline.position), list(timeline.scripted)
    position[:, own] = timeline.position[:, own]
    return replace(
        timeline, time=between(timeline.time), position=position, linear=between(timeline.linear),
        rgba=between(timeline.rgba).astype(np.float32), material=timeline.material[before],
    )  # fmt: skip
