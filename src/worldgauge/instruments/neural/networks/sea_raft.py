"""SEA-RAFT, size M (Wang, Lipson and Deng, 2024): RAFT with a predicted start and fewer updates.

Parameter names are those of the authors' checkpoint. Frames' features are computed once each; the context is of a
pair, so it is computed once per pair and direction.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from worldgauge.instruments.neural.networks.correlation import CHANNELS, Correlation, convex_upsample, pixel_grid

HIDDEN = 128
UPDATES = 4


def rename(name: str) -> str:
    """The shortcut's normalisation stands twice in the file."""
    return name.replace(".bn3.", ".downsample.1.")


class Encoded(NamedTuple):
    """What the network keeps of a stack of frames."""

    features: Tensor
    """(N, 256, h, w) at an eighth of their size: compared with those of another frame."""
    images: Tensor
    """(N, 3, H, W): the context is read off both frames of a pair together."""


class SeaRaft(nn.Module):
    """Optical flow of stacks of frame pairs."""

    channels_last = True

    def __init__(self) -> None:
        super().__init__()
        self.cnet = _Encoder(6)
        self.fnet = _Encoder(3)
        self.init_conv = nn.Conv2d(2 * HIDDEN, 2 * HIDDEN, 3, padding=1)
        self.update_block = _Update()
        self.flow_head = _head(6, 3)
        self.upsample_weight = _head(576, 1)

    def encode(self, images: Tensor) -> Encoded:
        """Frames (N, 3, H, W) whose sides are multiples of 8."""
        return Encoded(self.fnet(images), images)

    def flow_between(self, first: Encoded, second: Encoded, updates: int = UPDATES) -> Tensor:
        """Displacement (N, 2, H, W) in px, right and down, of each pixel of the first frames towards the second."""
        return self.predict(first, second, updates)[0]

    def context(self, first: Tensor, second: Tensor) -> Tensor:
        """Hidden state and context, (N, 256, h, w) together, of pairs of frames."""
        return self.init_conv(self.cnet(torch.cat((first, second), 1)))

    def predict(self, first: Encoded, second: Encoded, updates: int = UPDATES) -> tuple[Tensor, Tensor]:
        """The flow, and (N, 4, h, w) at an eighth of its size: weights and log-scales of its two error terms."""
        correlation = Correlation(first.features, second.features)
        hidden, context = self.context(first.images, second.images).split(HIDDEN, 1)
        start = pixel_grid(hidden)
        flow, spread = self.flow_head(hidden).float().split((2, 4), 1)
        for _ in range(updates):
            hidden = self.update_block(hidden, context, correlation.lookup(start + flow), flow)
            step, spread = self.flow_head(hidden).float().split((2, 4), 1)
            flow = flow + step
        return convex_upsample(flow, 0.25 * self.upsample_weight(hidden).float()), spread


def build() -> SeaRaft:
    """The network, its parameters not trained."""
    return SeaRaft()


def _head(outputs: int, kernel: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(HIDDEN, 2 * HIDDEN, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(2 * HIDDEN, outputs, kernel, padding=kernel // 2),
    )


class _Block(nn.Module):
    """Two convolutions beside the way past them; rectified before and after the sum."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = (
            nn.Identity()
            if stride == 1
            else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
        )

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn1(self.conv1(x)).relu_()
        y = self.bn2(self.conv2(y)).relu_()
        return (self.downsample(x) + y).relu_()


class _Encoder(nn.Module):
    """The first three stages of a ResNet-34 without its pooling: 256 channels at an eighth of the size."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, 64, 7, 2, 3)
        self.bn1 = nn.BatchNorm2d(64)
        self.layer1 = _stage(64, 64, 1, 3)
        self.layer2 = _stage(64, 128, 2, 4)
        self.layer3 = _stage(128, 256, 2, 6)
        self.final_conv = nn.Conv2d(256, 2 * HIDDEN, 1)

    def forward(self, images: Tensor) -> Tensor:
        x = self.bn1(self.conv1(images)).relu_()
        return self.final_conv(self.layer3(self.layer2(self.layer1(x))))


def _stage(inputs: int, outputs: int, stride: int, blocks: int) -> nn.Sequential:
    return nn.Sequential(_Block(inputs, outputs, stride), *(_Block(outputs, outputs, 1) for _ in range(blocks - 1)))


class _Motion(nn.Module):
    """Correlation and flow to 126 channels, and the flow itself beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.convc1 = nn.Conv2d(CHANNELS, 256, 1)
        self.convc2 = nn.Conv2d(256, 192, 3, padding=1)
        self.convf1 = nn.Conv2d(2, 128, 7, padding=3)
        self.convf2 = nn.Conv2d(128, 64, 3, padding=1)
        self.conv = nn.Conv2d(256, 126, 3, padding=1)

    def forward(self, flow: Tensor, correlation: Tensor) -> Tensor:
        seen = self.convc2(self.convc1(correlation).relu_()).relu_()
        moved = self.convf2(self.convf1(flow).relu_()).relu_()
        return torch.cat((self.conv(torch.cat((seen, moved), 1)).relu_(), flow), 1)


class _Refine(nn.Module):
    """A ConvNeXt block that ends in the hidden state's width."""

    def __init__(self) -> None:
        super().__init__()
        width = 3 * HIDDEN
        self.dwconv = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.pwconv1 = nn.Linear(width, 4 * HIDDEN)
        self.pwconv2 = nn.Linear(4 * HIDDEN, width)
        self.gamma = nn.Parameter(torch.ones(width))
        self.final = nn.Conv2d(width, HIDDEN, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        y = self.gamma * self.pwconv2(nn.functional.gelu(self.pwconv1(y)))
        return self.final(x + y.permute(0, 3, 1, 2))


class _Update(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = _Motion()
        self.refine = nn.ModuleList([_Refine(), _Refine()])

    def forward(self, hidden: Tensor, context: Tensor, correlation: Tensor, flow: Tensor) -> Tensor:
        beside = torch.cat((context, self.encoder(flow, correlation)), 1)
        for block in self.refine:
            hidden = block(torch.cat((hidden, beside), 1))
        return hidden
