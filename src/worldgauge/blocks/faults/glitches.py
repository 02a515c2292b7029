"""Glitches of the footage: flashes, mirrored spans, double images, banding."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks.faults.base import Frames, Given, Move, SeenInPictures, Stay, onset
from worldgauge.blocks.faults.timing import span_before_end
from worldgauge.core.gauge import Quality

_COARSEST = 32.0
"""Distance of neighbouring tones at full severity, 8-bit levels."""


class _Glitch(SeenInPictures):
    noticed = 0.1


class Flash(_Glitch):
    name = "flash"
    says = "single frames, one in sixteen, turn black or white"
    moves = (Move(Quality.EXPOSURE), Move(Quality.PHOTOMETRY), Move(Quality.FIDELITY))
    stays = (Stay(Quality.DIRECTION, 0.5), Stay(Quality.TIMING, 0.5), Stay(Quality.CAMERA, 0.5))

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        count = max(1, round(len(frames) / 16))
        # Apart from one another, and neither the given frame nor the last one.
        places = np.linspace(0, len(frames) - 2, count + 1)[:-1] + given.random(self.name).uniform(0.3, 0.9, count) * (
            (len(frames) - 2) / count
        )
        changed = frames.copy()
        for k, place in enumerate(1 + places.astype(int)):
            light = 0.0 if k % 2 == 0 else 255.0
            changed[place] = np.round(frames[place] + severity * (light - frames[place].astype(np.float64)))
        return changed


class Mirror(_Glitch):
    name = "mirror"
    says = "a span of up to four tenths of the clip is mirrored left to right"
    moves = (Move(Quality.COURSE), Move(Quality.FIDELITY))
    stays = (Stay(Quality.PICTURE), Stay(Quality.TONES), Stay(Quality.LIGHTING))

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        start, end = span_before_end(len(frames), 0.4 * severity)
        return np.concatenate([frames[:start], frames[start:end, :, ::-1], frames[end:]])


class Ghosting(_Glitch):
    name = "ghosting"
    says = "in half of the frames an earlier moment shows through"
    moves = (Move(Quality.SINGLENESS), Move(Quality.FIDELITY))
    stays = (Stay(Quality.LIGHTING),)

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        start, end = span_before_end(len(frames), 0.5)
        # A twelfth of the clip: far enough for two contours instead of a blur.
        earlier = max(1, round(len(frames) / 12))
        mixed = [
            np.round(frame + 0.5 * severity * (frames[max(0, k - earlier)].astype(np.float64) - frame))
            if start <= k < end
            else frame
            for k, frame in enumerate(frames)
        ]
        return np.stack(mixed).astype(np.uint8)


class Banding(_Glitch):
    name = "banding"
    says = "tones fall into steps, at last of 32 levels"
    moves = (Move(Quality.TONES), Move(Quality.FIDELITY))
    stays = (
        Stay(Quality.CAMERA, 0.5),
        Stay(Quality.STEADINESS, 0.5),
        Stay(Quality.DIRECTION, 0.5),
        Stay(Quality.TIMING, 0.5),
    )

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        steps = 1 + severity * onset(len(frames)) * (_COARSEST - 1)
        banded = [np.floor(frame / step) * step + (step - 1) / 2 for frame, step in zip(frames, steps, strict=True)]
        return np.clip(np.round(np.stack(banded)), 0, 255).astype(np.uint8)
