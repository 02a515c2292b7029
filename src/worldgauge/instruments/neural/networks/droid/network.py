"""The network of DROID-SLAM: two encoders and the recurrent update of the edges between frames.

Parameter names are those of the published file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.correlation import LEVELS, convex_upsample
from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.layouts import shape_of
from worldgauge.instruments.neural.networks.stacked import IMAGENET_DEVIATION, IMAGENET_MEAN

NAME = "DROID-SLAM"
RADIUS = 3
WINDOWS = LEVELS * (2 * RADIUS + 1) ** 2
DIVISOR = 16.0
"""Of products of features; the flow networks divide by the square root of the channels."""
FURTHEST = 64.0
"""Px of the feature map; longer motions are told to the network as this long."""
_SLICED = tuple(f"update.{head}.2.{part}" for head in ("weight", "delta") for part in ("weight", "bias"))


class Edge(NamedTuple):
    """What an update says of each edge, at an eighth of the frames' size."""

    hidden: Tensor
    """(E, 128, h, w)."""
    delta: Tensor
    """(E, 2, h, w): by how much the flow is to be corrected, px."""
    weight: Tensor
    """(E, 2, h, w): confidence in each of the two directions, 0 to 1."""


class DroidNetwork(nn.Module):
    """Features of frames, and what they say of the flow between them."""

    def __init__(self, hidden: int = 128, width: int = 32) -> None:
        """`hidden` channels of features and states, `width` of the encoders' first layer."""
        super().__init__()
        self.fnet = _Encoder(hidden, width, nn.InstanceNorm2d)
        self.cnet = _Encoder(2 * hidden, width, None)
        self.update = _Update(hidden)

    def features(self, images: Tensor) -> Tensor:
        """What is compared with other frames: (N, 128, h, w) of images (N, 3, H, W)."""
        found: Tensor = self.fnet(images)
        return found

    def context(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """The first hidden state of edges that leave a frame, and what leads their updates; (N, 128, h, w) each."""
        hidden, lead = self.cnet(images).chunk(2, 1)
        return hidden.tanh(), lead.relu()


def normalised(frames: Tensor) -> Tensor:
    """Bytes (N, H, W, 3), red first, as the network wants them: (N, 3, H, W)."""
    images = frames.permute(0, 3, 1, 2).float() / 255
    shift, scale = (images.new_tensor(part).view(3, 1, 1) for part in (IMAGENET_MEAN, IMAGENET_DEVIATION))
    return ((images - shift) / scale).contiguous()


def droid_from(state: Mapping[str, Tensor]) -> DroidNetwork:
    """The network of a published checkpoint, whose shapes tell its size; of two heads only two outputs are used."""
    plain = {name.removeprefix("module."): value for name, value in state.items()}
    plain |= {name: plain[name][:2] for name in _SLICED if name in plain}
    hidden, width = (shape_of(plain, entry, NAME)[0] for entry in ("update.gru.w.weight", "fnet.conv1.weight"))
    return filled(lambda: DroidNetwork(hidden, width), plain, NAME)


class _Block(nn.Module):
    """Two convolutions beside the way past them; rectified before and after the sum."""

    def __init__(self, inputs: int, outputs: int, stride: int, norm: type[nn.Module] | None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.norm = norm(outputs) if norm else nn.Identity()
        steps = (nn.Conv2d(inputs, outputs, 1, stride), self.norm)
        self.downsample = nn.Identity() if stride == 1 else nn.Sequential(*steps)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.conv1(x)).relu()
        return (self.downsample(x) + self.norm(self.conv2(y)).relu()).relu()


class _Encoder(nn.Module):
    """An image to an eighth of its size."""

    def __init__(self, outputs: int, width: int, norm: type[nn.Module] | None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3)
        self.norm = norm(width) if norm else nn.Identity()
        self.layer1 = nn.Sequential(_Block(width, width, 1, norm), _Block(width, width, 1, norm))
        self.layer2 = nn.Sequential(_Block(width, 2 * width, 2, norm), _Block(2 * width, 2 * width, 1, norm))
        self.layer3 = nn.Sequential(_Block(2 * width, 4 * width, 2, norm), _Block(4 * width, 4 * width, 1, norm))
        self.conv2 = nn.Conv2d(4 * width, outputs, 1)

    def forward(self, images: Tensor) -> Tensor:
        x = self.norm(self.conv1(images)).relu()
        found: Tensor = self.conv2(self.layer3(self.layer2(self.layer1(x))))
        return found


class _Gru(nn.Module):
    """Gated recurrent unit; its gates also see a mean over the whole map."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        for gate in "zrq":
            setattr(self, f"conv{gate}", nn.Conv2d(3 * hidden + hidden // 2, hidden, 3, padding=1))
            setattr(self, f"conv{gate}_glo", nn.Conv2d(hidden, hidden, 1))
        self.w = nn.Conv2d(hidden, hidden, 1)

    def lead(self, lead: Tensor) -> Tensor:
        """The share of the gates that a frame's context decides: the same in all updates of all its edges."""
        bias = torch.cat([getattr(self, f"conv{gate}").bias for gate in "zrq"])
        return functional.conv2d(lead, self._weights()[:, self.hidden : 2 * self.hidden], bias, padding=1)

    def forward(self, hidden: Tensor, gates: Tensor, seen: Tensor) -> Tensor:
        """`gates` as `lead` gave them, `seen` (E, 192, h, w) of correlation and motion."""
        size, weights = self.hidden, self._weights()
        renewing, proposing = torch.cat((weights[:, :size], weights[:, 2 * size :]), 1).split((2 * size, size))
        mean = (self.w(hidden).sigmoid() * hidden).mean((2, 3), keepdim=True)
        whole = torch.cat([getattr(self, f"conv{gate}_glo")(mean) for gate in "zrq"], 1)
        gates_zr, gates_q = (gates + whole).split((2 * size, size), 1)
        both = functional.conv2d(torch.cat((hidden, seen), 1), renewing, padding=1)
        renewal, memory = (both + gates_zr).sigmoid().chunk(2, 1)
        proposed = functional.conv2d(torch.cat((memory * hidden, seen), 1), proposing, padding=1)
        return (1 - renewal) * hidden + renewal * (proposed + gates_q).tanh()

    def _weights(self) -> Tensor:
        """Of all three gates: channels of the state, the context, the correlation and the motion."""
        return torch.cat([getattr(self, f"conv{gate}").weight for gate in "zrq"])


class _Aggregate(nn.Module):
    """What all edges that leave a frame say together of that frame."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(hidden, hidden, 3, padding=1)
        self.conv2 = nn.Conv2d(hidden, hidden, 3, padding=1)
        self.eta = nn.Sequential(nn.Conv2d(hidden, 1, 3, padding=1))
        self.upmask = nn.Sequential(nn.Conv2d(hidden, 576, 1))

    def forward(self, hidden: Tensor, members: Tensor) -> Tensor:
        """`members` (M, E): each edge's share in the mean of its frame. A product, so that sums keep their order."""
        each = self.conv1(hidden).relu()
        mean = (members.to(each.dtype) @ each.flatten(1)).unflatten(1, each.shape[1:])
        found: Tensor = self.conv2(mean).relu()
        return found


class _Update(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.corr_encoder = nn.Sequential(*_pair(WINDOWS, hidden, hidden, 1), nn.ReLU())
        self.flow_encoder = nn.Sequential(*_pair(4, hidden, hidden // 2, 7), nn.ReLU())
        self.weight = nn.Sequential(*_pair(hidden, hidden, 2, 3))
        self.delta = nn.Sequential(*_pair(hidden, hidden, 2, 3))
        self.gru = _Gru(hidden)
        self.agg = _Aggregate(hidden)

    def forward(self, hidden: Tensor, gates: Tensor, correlation: Tensor, motion: Tensor) -> Edge:
        """One update of edges by windows of correlation (E, 196, h, w), and by flow and what it misses (E, 4, h, w)."""
        seen = torch.cat((self.corr_encoder(correlation), self.flow_encoder(motion.clamp(-FURTHEST, FURTHEST))), 1)
        hidden = self.gru(hidden, gates, seen)
        return Edge(hidden, self.delta(hidden).float(), self.weight(hidden).float().sigmoid())

    def damping(self, hidden: Tensor, members: Tensor) -> Tensor:
        """How unsure the depths of each source frame are: (M, h, w)."""
        raw: Tensor = self.agg.eta(self.agg(hidden, members))[:, 0].float()
        return 0.01 * functional.softplus(raw)

    def finer(self, depths: Tensor, hidden: Tensor, members: Tensor) -> Tensor:
        """Inverse depths (M, h, w) of the source frames at the frames' size. No pose depends on it."""
        shares = self.agg.upmask(self.agg(hidden, members)).float()
        return convex_upsample(depths[:, None] / 8, shares)[:, 0]


def _pair(inputs: int, between: int, outputs: int, kernel: int) -> tuple[nn.Module, ...]:
    """Two convolutions, rectified between them; the second sees 3x3."""
    first = nn.Conv2d(inputs, between, kernel, padding=kernel // 2)
    return first, nn.ReLU(), nn.Conv2d(between, outputs, 3, padding=1)
