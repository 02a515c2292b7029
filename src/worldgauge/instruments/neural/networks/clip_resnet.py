"""CLIP's residual network: a stem of three layers, average pools instead of strides, an attention as last pool."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.layouts import count_of, shape_of
from worldgauge.instruments.neural.networks.transformer import heads_of

EXPANSION = 4
"""Channels of a block's output per channel inside."""
STAGES = 4
STRIDE = 32
"""Pixels per place of the last feature map."""


class _Bottleneck(nn.Module):
    """1x1, 3x3, 1x1; where the size halves, an average pool does it, in the shortcut too."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.pool = nn.AvgPool2d(stride)
        self.conv3 = nn.Conv2d(width, width * EXPANSION, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(width * EXPANSION)
        self.downsample: nn.Module = nn.Identity()
        if stride > 1 or channels != width * EXPANSION:
            shortcut = OrderedDict[str, nn.Module]()
            shortcut["pool"] = nn.AvgPool2d(stride)
            shortcut["0"] = nn.Conv2d(channels, width * EXPANSION, 1, bias=False)
            shortcut["1"] = nn.BatchNorm2d(width * EXPANSION)
            self.downsample = nn.Sequential(shortcut)

    def forward(self, x: Tensor) -> Tensor:
        inside = functional.relu(self.bn1(self.conv1(x)))
        inside = self.pool(functional.relu(self.bn2(self.conv2(inside))))
        return functional.relu(self.bn3(self.conv3(inside)) + self.downsample(x))


class _AttentionPool(nn.Module):
    """One attention step in which the mean of all places asks."""

    def __init__(self, places: int, width: int, out: int) -> None:
        super().__init__()
        self.heads = heads_of(width)
        self.positional_embedding = nn.Parameter(torch.zeros(places, width))
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(width, width) for _ in range(3))
        self.c_proj = nn.Linear(width, out)

    def forward(self, x: Tensor, *, positions: bool) -> Tensor:
        """(N, C, h, w) to (N, out). Without `positions` any size will do."""
        tokens = x.flatten(2).transpose(1, 2)
        tokens = torch.cat([tokens.mean(1, keepdim=True), tokens], 1)
        if positions:
            tokens = tokens + self.positional_embedding
        parts = (self.q_proj(tokens[:, :1]), self.k_proj(tokens), self.v_proj(tokens))
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        pooled = functional.scaled_dot_product_attention(query, key, value)
        out: Tensor = self.c_proj(pooled.transpose(1, 2).flatten(2))[:, 0]
        return out


class ClipResNet(nn.Module):
    """Pictures (N, 3, H, W) to features (N, D)."""

    def __init__(self, width: int, blocks: Sequence[int], places: int, out: int) -> None:
        super().__init__()
        self.side = round((places - 1) ** 0.5) * STRIDE
        self.conv1 = nn.Conv2d(3, width // 2, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width // 2)
        self.conv2 = nn.Conv2d(width // 2, width // 2, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width // 2)
        self.conv3 = nn.Conv2d(width // 2, width, 3, padding=1, bias=False)
        self.bn3 = nn.BatchNorm2d(width)
        channels, stages = width, []
        for index, count in enumerate(blocks):
            inner = width * 2**index
            first = _Bottleneck(channels, inner, 1 if index == 0 else 2)
            channels = inner * EXPANSION
            stages.append(nn.Sequential(first, *(_Bottleneck(channels, inner, 1) for _ in range(count - 1))))
        self.layer1, self.layer2, self.layer3, self.layer4 = stages
        self.attnpool = _AttentionPool(places, channels, out)

    @classmethod
    def like(cls, state: Mapping[str, Tensor], network: str, prefix: str) -> ClipResNet:
        """An unfilled one of the size that a checkpoint's entries below `prefix` have."""
        width = shape_of(state, f"{prefix}conv3.weight", network)[0]
        places = shape_of(state, f"{prefix}attnpool.positional_embedding", network)[0]
        out = shape_of(state, f"{prefix}attnpool.c_proj.weight", network)[0]
        return cls(width, [count_of(state, f"{prefix}layer{index + 1}") for index in range(STAGES)], places, out)

    def forward(self, x: Tensor, *, positions: bool = True) -> Tensor:
        for conv, norm in ((self.conv1, self.bn1), (self.conv2, self.bn2), (self.conv3, self.bn3)):
            x = functional.relu(norm(conv(x)))
        x = functional.avg_pool2d(x, 2)
        for stage in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = stage(x)
        out: Tensor = self.attnpool(x, positions=positions)
        return out
