"""Motion smoothness: every other frame is predicted from its neighbours and compared with what was there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import InvalidVideo, WorldGaugeError

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

WINDOW = 11
SIGMA = 1.5


def dropped_frames(count: int) -> list[tuple[int, int, int]]:
    """(before, dropped, after) of every frame that can be predicted; an even clip's last frame is left out.

    >>> dropped_frames(6)
    [(0, 1, 2), (2, 3, 4)]
    """
    triples = [(i, i + 1, i + 2) for i in range(0, count - 2, 2)]
    if not triples:
        raise InvalidVideo(f"motion smoothness needs at least 3 frames, got {count}")
    return triples


def predicted_numbers(count: int) -> list[int]:
    """Which frames of a clip are predicted.

    >>> predicted_numbers(6)
    [1, 3]
    """
    return [dropped for _, dropped, _ in dropped_frames(count)]


def wrapped_squared_error(predicted: Image, actual: Image) -> float:
    """Mean squared difference as the released code gets it: in 8-bit arithmetic, so squares count modulo 256.

    >>> wrapped = wrapped_squared_error(np.array([10, 200, 250], np.uint8), np.array([12, 180, 10], np.uint8))
    >>> round(wrapped, 2)
    49.33
    """
    _same(predicted, actual)
    difference = predicted.astype(np.int64) - actual.astype(np.int64)
    return float(np.mean(difference**2 % 256))


def squared_error(predicted: Image, actual: Image) -> float:
    """Mean squared difference, in squared 8-bit levels.

    Source: arXiv 2504.00983; the released code wraps the squares, see `wrapped_squared_error`.

    >>> squared_error(np.array([10, 200, 250], np.uint8), np.array([12, 180, 10], np.uint8))
    19334.666666666668
    """
    _same(predicted, actual)
    difference = predicted.astype(np.int64) - actual.astype(np.int64)
    return float(np.mean(difference**2))


def colour_ssim(predicted: Image, actual: Image, full_range: bool = False) -> float:
    """SSIM over all channels and pixels of two 8-bit images (H, W, C) in [0, 1]: Gaussian window, mirrored borders.

    The constants are scaled by the larger of the two images' own value ranges (`full_range`: by 1). Two constant images
    have no range and are refused.

    Source: released code at commit 344983c.
    """
    import cv2

    _same(predicted, actual)
    if min(predicted.shape[:2]) <= WINDOW // 2:
        raise InvalidVideo(f"SSIM needs frames of more than {WINDOW // 2} px a side, got {predicted.shape[:2]}")
    x, y = predicted.astype(np.float64) / 255.0, actual.astype(np.float64) / 255.0
    span = 1.0 if full_range else max(float(np.ptp(x)), float(np.ptp(y)))
    if span == 0.0:
        raise InvalidVideo("SSIM with the observed range is undefined for two constant images")

    def blur(values: Floats) -> Floats:
        return np.asarray(cv2.GaussianBlur(values, (WINDOW, WINDOW), SIGMA))

    c1, c2 = (0.01 * span) ** 2, (0.03 * span) ** 2
    mean_x, mean_y = blur(x), blur(y)
    spread = blur(x * x) - mean_x**2 + blur(y * y) - mean_y**2
    covariance = blur(x * y) - mean_x * mean_y
    score = (2 * mean_x * mean_y + c1) * (2 * covariance + c2) / ((mean_x**2 + mean_y**2 + c1) * (spread + c2))
    return float(score.mean())


def _same(predicted: Image, actual: Image) -> None:
    if predicted.shape != actual.shape:
        raise WorldGaugeError(f"images of different shape cannot be compared: {predicted.shape} and {actual.shape}")
