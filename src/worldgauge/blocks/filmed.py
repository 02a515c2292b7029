"""Rendered frames as a pocket camera would have kept them."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks.faults.base import Frames


def as_filmed(frames: Frames) -> Frames:
    """The clip with the grain of a small sensor (3 levels) and the losses of ordinary coding (JPEG at quality 80)."""
    import cv2

    random = np.random.default_rng(0)
    filmed = []
    for frame in frames:
        grain = frame + 3 * random.standard_normal(frame.shape, np.float32)
        noisy = np.clip(np.round(grain), 0, 255).astype(np.uint8)
        coded = cv2.imencode(".jpg", noisy[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
        filmed.append(np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR))[..., ::-1])
    return np.stack(filmed)
