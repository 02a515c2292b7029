"""The benchmark's warp error on frames and fields that lie on a GPU as tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from worldgauge.functional.on_device import bilinear


def forward_sampled_errors(images: Tensor, following: Tensor, flow: Tensor) -> Tensor:
    """`smoothness.forward_sampled_error` of each pair: frames (N, H, W, 3) as bytes, fields (N, H, W, 2), to (N,).

    Source: released code at commit f4edb0c; arXiv 2606.27537, Eq. 3, does not say which way to warp.
    """
    height, width = images.shape[1:3]
    x = torch.arange(width, device=flow.device, dtype=torch.float32) + flow[..., 0]
    y = torch.arange(height, device=flow.device, dtype=torch.float32)[:, None] + flow[..., 1]
    warped = bilinear(images.float() / 255, x.clamp(0, width - 1), y.clamp(0, height - 1))
    return (warped - following.float() / 255).abs().double().mean((1, 2, 3))
