"""The world is right, its pictures are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults.base import Fault, Frames, Given, Move, SeenInPictures, Shown, Stay, onset, still
from worldgauge.core.gauge import Quality


class Flicker(SeenInPictures):
    name = "flicker"
    says = "brightness and texture jump from frame to frame"
    moves = (
        Move(Quality.PHOTOMETRY), Move(Quality.SMOOTHNESS), Move(Quality.FIDELITY), Move(Quality.EARLY),
        Move(Quality.EXPOSURE),
    )  # fmt: skip
    stays = (Stay(Quality.CAMERA, 0.5), Stay(Quality.SINGLENESS, 0.5))

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        random = given.random(self.name)
        strength = severity * onset(len(frames))
        gains, fields = random.uniform(-0.2, 0.2, len(frames)), random.normal(0, 12, (len(frames), 9, 16))
        changes = zip(frames, strength * gains, strength[:, None, None] * fields, strict=True)
        return _bytes([_patchy(frame, gain, field) for frame, gain, field in changes])


class LightingDrift(SeenInPictures):
    name = "lighting_drift"
    says = "exposure and colour temperature move away and stay there"
    moves = (Move(Quality.LIGHTING), Move(Quality.FIDELITY))
    stays = still(Quality.PRESENCE, Quality.CAMERA) + still(
        Quality.COURSE, Quality.STEADINESS, Quality.DIRECTION, Quality.TIMING, up_to=0.5
    )

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        weight = severity * onset(len(frames), 0.6)
        tint = np.array([-0.30, -0.48, -0.65])
        return _bytes([f * (1 + w * tint).astype(np.float32) for f, w in zip(frames, weight, strict=True)])


class StyleDrift(SeenInPictures):
    name = "style_drift"
    says = "the pictures turn into a posterised ink drawing"
    moves = (Move(Quality.STYLE), Move(Quality.FIDELITY))
    stays = (Stay(Quality.CAMERA, 0.5),)

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        weight = severity * np.linspace(0, 1, len(frames))
        return _bytes([f + np.float32(w) * (_ink(f) - f) for f, w in zip(frames, weight, strict=True)])


class Blur(SeenInPictures):
    name = "blur"
    says = "the pictures lose their sharpness"
    moves = (Move(Quality.PICTURE), Move(Quality.FIDELITY), Move(Quality.EARLY))
    stays = still(
        Quality.CAMERA,
        Quality.COURSE,
        Quality.STEADINESS,
        Quality.DIRECTION,
        Quality.TIMING,
        Quality.LIGHTING,
        Quality.EXPOSURE,
        up_to=0.5,
    )

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        import cv2

        # At full severity the radius is a fiftieth of the height: 3.6 px of 180.
        radius = severity * onset(len(frames)) * frames.shape[1] / 50
        pairs = zip(frames, radius, strict=True)
        return np.stack([cv2.GaussianBlur(f, (0, 0), float(r)) if r > 0.05 else f for f, r in pairs])


class Noise(SeenInPictures):
    name = "noise"
    says = "grain covers the pictures"
    moves = (Move(Quality.PICTURE), Move(Quality.FIDELITY), Move(Quality.EARLY))
    stays = (Stay(Quality.CAMERA, 0.5), Stay(Quality.SINGLENESS, 0.5))

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        random = given.random(self.name)
        strength = severity * 40 * onset(len(frames))
        pairs = zip(frames, strength, strict=True)
        return _bytes([f + s * random.standard_normal(f.shape, np.float32) for f, s in pairs])


class Compression(SeenInPictures):
    name = "compression"
    says = "the pictures fall apart into blocks"
    moves = (Move(Quality.PICTURE), Move(Quality.FIDELITY), Move(Quality.EARLY))
    stays = still(
        Quality.CAMERA,
        Quality.COURSE,
        Quality.STEADINESS,
        Quality.DIRECTION,
        Quality.TIMING,
        Quality.LIGHTING,
        Quality.EXPOSURE,
        Quality.STATE,
        Quality.SINGLENESS,
        up_to=0.5,
    )

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        import cv2

        quality = np.round(100 - 94 * severity * onset(len(frames))).astype(int)
        full_colour = (cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)
        changed = [frames[0]]
        for frame, q in zip(frames[1:], quality[1:], strict=True):
            coded = cv2.imencode(".jpg", frame[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(q), *full_colour])[1]
            changed.append(np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR))[..., ::-1])
        return np.stack(changed)


class Stutter(Fault):
    name = "stutter"
    says = "frames are held and the ones between are dropped"
    quantity = "share of frames that repeat the one before"
    moves = (Move(Quality.SMOOTHNESS), Move(Quality.FIDELITY), Move(Quality.COURSE))
    stays = (Stay(Quality.STYLE), Stay(Quality.PICTURE), Stay(Quality.TONES))

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        order = 1 + given.random(self.name).permutation(len(frames) - 1)
        source = np.arange(len(frames))
        for frame in sorted(order[: round(0.8 * severity * len(order))]):
            source[frame] = source[frame - 1]
        return frames[source]

    def measure(self, given: Given, shown: Shown) -> float:
        same = [np.array_equal(a, b) for a, b in zip(shown.frames, shown.frames[1:], strict=False)]
        true = [np.array_equal(a, b) for a, b in zip(shown.truth, shown.truth[1:], strict=False)]
        return float(np.mean(same) - np.mean(true))


def _bytes(frames: list[NDArray[np.floating]]) -> Frames:
    return np.stack([np.clip(np.round(f), 0, 255).astype(np.uint8) for f in frames])


def _patchy(frame: NDArray[np.uint8], gain: float, field: NDArray[np.float64]) -> NDArray[np.float32]:
    """Brighter by a factor 1 + gain, plus a coarse field of levels."""
    import cv2

    smooth = cv2.resize(field, frame.shape[1::-1], interpolation=cv2.INTER_CUBIC).astype(np.float32)
    return np.asarray(frame * np.float32(1 + gain) + smooth[..., None], np.float32)


def _ink(frame: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Four tones per channel with dark outlines."""
    import cv2

    tones = np.round(cv2.GaussianBlur(frame, (0, 0), 1.0).astype(np.float32) / 85) * 85
    grey = cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY).astype(np.float32)
    edge = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    return np.asarray(tones * (1 - 0.9 * np.clip(edge / 160, 0, 1))[..., None], np.float32)
