"""Small painted clips for instrument tests: a textured world behind a window that moves, and a red disc in it."""

from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from worldgauge.core.clip import Clip
from worldgauge.core.video import Video

HEIGHT, WIDTH = 120, 200
RED = (210, 30, 30)


def texture(height: int, width: int, seed: int = 0) -> np.ndarray:
    """Muted, smooth noise (height, width, 3)."""
    noise = np.random.default_rng(seed).normal(size=(height, width, 1)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 2.5)[..., None]
    grey = 110 + smooth / smooth.std() * 35
    return np.clip(grey * np.array([1.0, 0.97, 0.9]), 0, 255).astype(np.uint8)


def pan_away_and_back(
    count: int = 40,
    returns: bool = True,
    colour: tuple[int, int, int] = RED,
    later: tuple[int, int, int] | None = None,
    speed: float = 0.5,
) -> tuple[np.ndarray, np.ndarray]:
    """Frames and true masks of a disc that leaves the view when the camera pans right and comes back, or does not.

    The disc moves by `speed` px per frame; in the second half of the clip it has the colour `later`.
    """
    wide = texture(HEIGHT, 3 * WIDTH)
    out = np.clip(np.minimum(np.arange(count), np.arange(count)[::-1]) / (0.35 * count), 0, 1)
    offsets = np.round(out * 1.4 * WIDTH).astype(int)
    away = np.flatnonzero(offsets > 0.8 * WIDTH)[0]
    frames, masks = [], []
    for index, offset in enumerate(offsets):
        there = returns or index < away
        world, mask = wide.copy(), np.zeros(wide.shape[:2], np.uint8)
        if there:
            centre = (90 + int(index * speed), 65)
            painted = colour if later is None or index < count // 2 else later
            cv2.circle(world, centre, 18, painted, -1, cv2.LINE_AA)
            cv2.circle(world, (centre[0] - 5, centre[1] - 5), 5, (240, 220, 90), -1, cv2.LINE_AA)
            cv2.circle(mask, centre, 18, 1, -1)
        frames.append(world[:, offset : offset + WIDTH])
        masks.append(mask[:, offset : offset + WIDTH] > 0)
    return np.stack(frames), np.stack(masks)


def clip_of(frames: np.ndarray | list[np.ndarray], folder: Path) -> Clip:
    """The frames as a clip on disk."""
    folder.mkdir(exist_ok=True, parents=True)
    for index, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / f"{index:04d}.png")
    return Clip(Video(folder, fps=16))
