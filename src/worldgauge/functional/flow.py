"""Arithmetic on optical flow.

A flow field is (H, W, 2): pixel (x, y) of the first image is found at (x + u, y + v) in the second, in pixels. Pixel
centres lie at +0.5, so a position counts as inside the view up to half a pixel beyond the outermost index.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

OCCLUSION_RELATIVE = 0.05
"""Squared forward-backward error allowed, as a share of the squared lengths of the two vectors. The test is that of
Sundaram et al. (2010); this share was tuned on gauge blocks, theirs is 0.01."""
OCCLUSION_ABSOLUTE = 0.5
"""Squared forward-backward error always allowed, px^2: the noise floor of a flow estimate."""


def warp(image: NDArray[np.generic], flow: Floats, *, cubic: bool = False) -> tuple[Floats, Mask]:
    """Fetch `image` (H, W) or (H, W, C) at each pixel displaced by `flow`; second, where that position is in view.

    Bilinear, or bicubic where fine detail must survive; positions out of view take the nearest border value.

    >>> ramp = np.tile(np.arange(4, dtype=np.float32), (2, 1))
    >>> warped, inside = warp(ramp, np.full((2, 4, 2), (0.25, 0.0), np.float32))
    >>> warped[0].tolist(), inside[0].tolist()
    ([0.25, 1.25, 2.25, 3.0], [True, True, True, True])
    """
    import cv2

    check_flow("flow", flow, image.shape[:2])
    height, width = image.shape[:2]
    x = flow[..., 0] + np.arange(width, dtype=np.float32)
    y = flow[..., 1] + np.arange(height, dtype=np.float32)[:, None]
    inside = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
    x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    source = np.ascontiguousarray(image, dtype=np.float32)
    method = cv2.INTER_CUBIC if cubic else cv2.INTER_LINEAR
    warped = cv2.remap(source, x, y, method, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, np.float32), inside


def magnitude(flow: Floats) -> Floats:
    """Length of each vector, (H, W), px.

    >>> magnitude(np.full((1, 1, 2), (3.0, 4.0), np.float32)).tolist()
    [[5.0]]
    """
    return np.hypot(flow[..., 0], flow[..., 1])


def end_point_error(flow: Floats, truth: Floats) -> Floats:
    """Distance between the ends of two vectors at each pixel, (H, W), px."""
    return magnitude(flow - truth)


def round_trip(forward: Floats, backward: Floats) -> tuple[Floats, Mask, Mask]:
    """Going there and back from every pixel of the first image: how far off it lands (px), whether it stays in view,
    and whether it is occluded, that is, leaves the view or lands too far off.

    `forward` leads from the first image to the second, `backward` from the second to the first.
    """
    returned, inside = warp(backward, forward)
    squared = _squared(forward + returned)
    allowed = OCCLUSION_RELATIVE * (_squared(forward) + _squared(returned)) + OCCLUSION_ABSOLUTE
    return np.sqrt(squared), inside, ~inside | (squared > allowed)


def forward_backward_error(forward: Floats, backward: Floats) -> tuple[Floats, Mask]:
    """How far from its start each pixel lands after going there and back, px; second, whether it stays in view."""
    error, inside, _ = round_trip(forward, backward)
    return error, inside


def occluded(forward: Floats, backward: Floats) -> Mask:
    """Pixels of the first image not seen in the second: they leave the view, or the way back misses them."""
    return round_trip(forward, backward)[2]


def photometric_error(image: NDArray[np.uint8], warped: Floats, where: Mask) -> float:
    """Mean absolute difference over `where` and all channels, as a share of full range; NaN when `where` is empty."""
    import cv2

    if not where.any():
        return float("nan")
    apart = cv2.absdiff(image.astype(np.float32), warped)
    channels = 1 if image.ndim == 2 else image.shape[2]
    return float(np.mean(cv2.mean(apart, mask=where.astype(np.uint8))[:channels]) / 255.0)


def check_flow(name: str, flow: NDArray[np.generic], size: tuple[int, ...]) -> None:
    """Refuse anything but (H, W, 2) of the given height and width."""
    if flow.shape != (*size, 2):
        raise WorldGaugeError(f"{name} must have shape {(*size, 2)} to fit its image, got {flow.shape}")


def _squared(flow: Floats) -> Floats:
    return np.asarray(np.einsum("hwc,hwc->hw", flow, flow), np.float32)
