"""RAFT-large (Teed and Deng, 2020): recurrent all-pairs optical flow. Parameter names are torchvision's.

A frame is encoded once, whatever pairs it is part of, and only the last field is brought to full resolution.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.correlation import CHANNELS, Correlation, convex_upsample, pixel_grid

HIDDEN = 128
UPDATES = 12

_AUTHORS_NAMES = (
    (r"^fnet\.", "feature_encoder."),
    (r"^cnet\.", "context_encoder."),
    (r"_encoder\.conv1\.", "_encoder.convnormrelu.0."),
    (r"_encoder\.norm1\.", "_encoder.convnormrelu.1."),
    (r"_encoder\.conv2\.", "_encoder.conv."),
    (r"\.(\d)\.conv([12])\.", r".\1.convnormrelu\2.0."),
    (r"\.(\d)\.norm([12])\.", r".\1.convnormrelu\2.1."),
    (r"\.norm3\.", ".downsample.1."),
    (r"^update_block\.encoder\.convc([12])\.", r"update_block.motion_encoder.convcorr\1.0."),
    (r"^update_block\.encoder\.convf([12])\.", r"update_block.motion_encoder.convflow\1.0."),
    (r"^update_block\.encoder\.conv\.", "update_block.motion_encoder.conv.0."),
    (r"^update_block\.gru\.conv([zrq])([12])\.", r"update_block.recurrent_block.convgru\2.conv\1."),
    (r"^update_block\.mask\.0\.", "mask_predictor.convrelu.0."),
    (r"^update_block\.mask\.2\.", "mask_predictor.conv."),
)


def rename(name: str) -> str:
    """A parameter's name in torchvision's file; names of the authors' own files are translated.

    >>> rename("cnet.layer2.0.norm3.weight"), rename("update_block.gru.convz1.bias")
    ('context_encoder.layer2.0.downsample.1.weight', 'update_block.recurrent_block.convgru1.convz.bias')
    """
    for pattern, replacement in _AUTHORS_NAMES:
        name = re.sub(pattern, replacement, name)
    return name


class Encoded(NamedTuple):
    """What the network keeps of a stack of frames, at an eighth of their size."""

    features: Tensor
    """(N, 256, h, w): compared with those of another frame."""
    context: Tensor
    """(N, 256, h, w): leads the updates of the flow that starts in this frame."""


class Raft(nn.Module):
    """Optical flow of stacks of frame pairs."""

    channels_last = False
    """The feature encoder's normalisation over a picture wants its channels apart."""

    def __init__(self) -> None:
        super().__init__()
        self.feature_encoder = _Encoder(nn.InstanceNorm2d)
        self.context_encoder = _Encoder(nn.BatchNorm2d)
        self.update_block = _Update()
        self.mask_predictor = _Mask()

    def encode(self, images: Tensor) -> Encoded:
        """Frames (N, 3, H, W) whose sides are multiples of 8."""
        return Encoded(self.feature_encoder(images), self.context_encoder(images))

    def flow_between(self, first: Encoded, second: Encoded, updates: int = UPDATES) -> Tensor:
        """Displacement (N, 2, H, W) in px, right and down, of each pixel of the first frames towards the second."""
        correlation = Correlation(first.features, second.features)
        hidden, context = first.context.split(HIDDEN, 1)
        hidden = hidden.tanh()
        units = self.update_block.recurrent_block.given(context.relu())
        start = pixel_grid(hidden)
        flow = torch.zeros_like(hidden[:, :2], dtype=torch.float32)
        for _ in range(updates):
            motion = self.update_block.motion_encoder(flow, correlation.lookup(start + flow))
            for unit in units:
                hidden = unit(hidden, motion)
            flow = flow + self.update_block.flow_head(hidden)
        return convex_upsample(flow, self.mask_predictor(hidden).float())


def build() -> Raft:
    """The network, its parameters not trained."""
    return Raft()


def _conv(
    inputs: int, outputs: int, kernel: int, stride: int = 1, norm: type[nn.Module] | None = None, relu: bool = True
) -> nn.Sequential:
    steps: list[nn.Module] = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2)]
    if norm is not None:
        steps.append(norm(outputs))
    if relu:
        steps.append(nn.ReLU(inplace=True))
    return nn.Sequential(*steps)


class _Block(nn.Module):
    """Two convolutions beside the way past them; rectified before and after the sum."""

    def __init__(self, inputs: int, outputs: int, stride: int, norm: type[nn.Module]) -> None:
        super().__init__()
        self.convnormrelu1 = _conv(inputs, outputs, 3, stride, norm)
        self.convnormrelu2 = _conv(outputs, outputs, 3, 1, norm)
        self.downsample = nn.Identity() if stride == 1 else _conv(inputs, outputs, 1, stride, norm, relu=False)

    def forward(self, x: Tensor) -> Tensor:
        return (self.downsample(x) + self.convnormrelu2(self.convnormrelu1(x))).relu_()


class _Encoder(nn.Module):
    """A frame to 256 channels at an eighth of its size."""

    def __init__(self, norm: type[nn.Module]) -> None:
        super().__init__()
        self.convnormrelu = _conv(3, 64, 7, 2, norm)
        self.layer1 = nn.Sequential(_Block(64, 64, 1, norm), _Block(64, 64, 1, norm))
        self.layer2 = nn.Sequential(_Block(64, 96, 2, norm), _Block(96, 96, 1, norm))
        self.layer3 = nn.Sequential(_Block(96, 128, 2, norm), _Block(128, 128, 1, norm))
        self.conv = nn.Conv2d(128, 256, 1)

    def forward(self, images: Tensor) -> Tensor:
        return self.conv(self.layer3(self.layer2(self.layer1(self.convnormrelu(images)))))


class _Motion(nn.Module):
    """Correlation and flow to 126 channels, and the flow itself beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.convcorr1 = _conv(CHANNELS, 256, 1)
        self.convcorr2 = _conv(256, 192, 3)
        self.convflow1 = _conv(2, 128, 7)
        self.convflow2 = _conv(128, 64, 3)
        self.conv = _conv(256, 126, 3)

    def forward(self, flow: Tensor, correlation: Tensor) -> Tensor:
        seen, moved = self.convcorr2(self.convcorr1(correlation)), self.convflow2(self.convflow1(flow))
        return torch.cat((self.conv(torch.cat((seen, moved), 1)), flow), 1)


class _Gru(nn.Module):
    """Gated recurrent unit whose gates are convolutions along one axis."""

    def __init__(self, kernel: tuple[int, int]) -> None:
        super().__init__()
        padding = (kernel[0] // 2, kernel[1] // 2)
        self.convz = nn.Conv2d(3 * HIDDEN, HIDDEN, kernel, padding=padding)
        self.convr = nn.Conv2d(3 * HIDDEN, HIDDEN, kernel, padding=padding)
        self.convq = nn.Conv2d(3 * HIDDEN, HIDDEN, kernel, padding=padding)

    def given(self, context: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
        """One update of the hidden state for this context.

        The context's share of the gates is the same in every update, so it is computed once; two gates that look at
        the same channels are one convolution.
        """
        gates, padding = (self.convz, self.convr, self.convq), self.convz.padding
        hidden, constant, moving = zip(*(gate.weight.split(HIDDEN, 1) for gate in gates), strict=True)
        bias = torch.cat([gate.bias for gate in gates])
        fixed = functional.conv2d(context, torch.cat(constant), bias, padding=padding)
        fixed_zr, fixed_q = fixed.split((2 * HIDDEN, HIDDEN), 1)
        weight_zr = torch.cat((torch.cat(hidden[:2]), torch.cat(moving[:2])), 1)
        weight_q = torch.cat((hidden[2], moving[2]), 1)

        def update(state: Tensor, motion: Tensor) -> Tensor:
            both = functional.conv2d(torch.cat((state, motion), 1), weight_zr, padding=padding)
            renewal, memory = (both + fixed_zr).sigmoid().split(HIDDEN, 1)
            proposed = functional.conv2d(torch.cat((memory * state, motion), 1), weight_q, padding=padding)
            return (1 - renewal) * state + renewal * (proposed + fixed_q).tanh()

        return update


class _Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convgru1 = _Gru((1, 5))
        self.convgru2 = _Gru((5, 1))

    def given(self, context: Tensor) -> tuple[Callable[[Tensor, Tensor], Tensor], ...]:
        return self.convgru1.given(context), self.convgru2.given(context)


class _FlowHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(HIDDEN, 256, 3, padding=1)
        self.conv2 = nn.Conv2d(256, 2, 3, padding=1)

    def forward(self, hidden: Tensor) -> Tensor:
        return self.conv2(self.conv1(hidden).relu_())


class _Update(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.motion_encoder = _Motion()
        self.recurrent_block = _Recurrent()
        self.flow_head = _FlowHead()


class _Mask(nn.Module):
    """Weights of the convex upsampling; the quarter is part of the trained network."""

    def __init__(self) -> None:
        super().__init__()
        self.convrelu = _conv(HIDDEN, 256, 3)
        self.conv = nn.Conv2d(256, 576, 1)

    def forward(self, hidden: Tensor) -> Tensor:
        return 0.25 * self.conv(self.convrelu(hidden))
