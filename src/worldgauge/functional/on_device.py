"""Arithmetic on optical flow where a network has left it: the rules of `flow`, for stacks of fields as torch tensors.

A stack of fields is (N, H, W, 2). Results are tensors with one entry per field, on the same device, so that nothing has
to wait for them. torch is imported here; who has no tensors does not come here.
"""

from __future__ import annotations

import torch
from torch import Tensor

from worldgauge.functional.flow import OCCLUSION_ABSOLUTE, OCCLUSION_RELATIVE

_STEPS = 32
"""Parts of a pixel that OpenCV tells apart in pictures of two channels; of others it has a finer way."""


def warp(images: Tensor, flow: Tensor) -> tuple[Tensor, Tensor]:
    """Fetch images (N, H, W, C) at each pixel displaced by its field; second, where that position is in view.

    Bilinear; positions out of view take the nearest border value. Two channels are read at thirty-seconds of a pixel,
    as OpenCV reads them.
    """
    height, width = flow.shape[1:3]
    x = flow[..., 0] + torch.arange(width, device=flow.device, dtype=flow.dtype)
    y = flow[..., 1] + torch.arange(height, device=flow.device, dtype=flow.dtype)[:, None]
    inside = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
    x, y = x.clamp(0, width - 1), y.clamp(0, height - 1)
    if images.shape[-1] == 2:
        x, y = (x * _STEPS).round() / _STEPS, (y * _STEPS).round() / _STEPS
    return bilinear(images.float(), x, y), inside


def bilinear(images: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Images (N, H, W, C) read at positions (N, H, W) inside them."""
    height, width = images.shape[1:3]
    left, top = x.floor(), y.floor()
    across, down = (x - left)[..., None], (y - top)[..., None]
    columns = [(left.long() + step).clamp(max=width - 1) for step in (0, 1)]
    rows = [(top.long() + step).clamp(max=height - 1) for step in (0, 1)]
    of_stack = torch.arange(len(images), device=images.device)[:, None, None]
    above, below = (
        torch.lerp(images[of_stack, row, columns[0]], images[of_stack, row, columns[1]], across) for row in rows
    )
    return torch.lerp(above, below, down)


def magnitude(flow: Tensor) -> Tensor:
    """Length of each vector, (N, H, W), px."""
    return torch.hypot(flow[..., 0], flow[..., 1])


def round_trip(forward: Tensor, backward: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Going there and back from every pixel: how far off it lands (px), whether it stays in view, and whether it is
    occluded. The same as `flow.round_trip`."""
    returned, inside = warp(backward, forward)
    squared = (forward + returned).square().sum(-1)
    allowed = OCCLUSION_RELATIVE * (forward.square().sum(-1) + returned.square().sum(-1)) + OCCLUSION_ABSOLUTE
    return squared.sqrt(), inside, ~inside | (squared > allowed)


def mean_where(values: Tensor, where: Tensor) -> Tensor:
    """Mean of each (H, W) of a stack over the marked pixels, in double precision; NaN where none is marked."""
    counted = where.sum((1, 2), dtype=torch.float64)
    total = torch.where(where, values.double(), 0.0).sum((1, 2))
    return total / counted


def all_finite(*fields: Tensor) -> Tensor:
    """Whether each field of a stack holds numbers only."""
    found = torch.ones(len(fields[0]), dtype=torch.bool, device=fields[0].device)
    for field in fields:
        found = found & field.isfinite().flatten(1).all(1)
    return found
