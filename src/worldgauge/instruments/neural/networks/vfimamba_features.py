"""The picture side of VFIMamba: three stages of convolutions, then two whose frames look at each other by a scan.

Parameter names are those of the authors' checkpoint.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.selective_scan import selective_scan

STATES = 16
"""Numbers the scan remembers per channel."""
DIRECTIONS = 4
COMPRESS, SQUEEZE = 3, 30
"""How much narrower the convolutions of a block and its weighing of channels are."""


def convolved(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """A 3x3 convolution and its PReLU."""
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1), nn.PReLU(outputs))


class Features(nn.Module):
    """Features of pairs of pictures at full size, a half, a quarter, an eighth and a sixteenth of it."""

    def __init__(self, width: int, blocks: int) -> None:
        super().__init__()
        widths = [width * 2**stage for stage in range(5)]
        self.block0 = _Convolutions(3, widths[0])
        self.patch_embed1, self.block1 = convolved(widths[0], widths[1], 2), _Convolutions(widths[1], widths[1])
        self.patch_embed2, self.block2 = convolved(widths[1], widths[2], 2), _Convolutions(widths[2], widths[2])
        self.patch_embed3, self.block3 = _Halved(widths[2], widths[3]), _Stage(widths[3], blocks)
        self.patch_embed4, self.block4 = _Halved(widths[3], widths[4]), _Stage(widths[4], blocks)

    def forward(self, pictures: Tensor) -> list[Tensor]:
        """(2N, 3, H, W), all first pictures before all second ones; sides are multiples of 16."""
        found = [self.block0(pictures)]
        for halve, block in (
            (self.patch_embed1, self.block1),
            (self.patch_embed2, self.block2),
            (self.patch_embed3, self.block3),
            (self.patch_embed4, self.block4),
        ):
            found.append(block(halve(found[-1])))
        return found


class _Convolutions(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(*convolved(inputs, outputs), *convolved(outputs, outputs))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv(x)
        return out


class _Halved(nn.Module):
    """Normalised over channels, then brought to half the size."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.proj = nn.Conv2d(inputs, outputs, 3, 2, 1)
        self.norm = nn.LayerNorm(inputs)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.proj(self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2))
        return out


class _Stage(nn.Module):
    def __init__(self, width: int, blocks: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([_Block(width) for _ in range(blocks)])

    def forward(self, x: Tensor) -> Tensor:
        x = x.permute(0, 2, 3, 1)
        for block in self.blocks:
            x = block(x)
        return x.permute(0, 3, 1, 2)


class _Block(nn.Module):
    """The scan and the convolutions, each beside a way past it whose channels have a scale; (2N, H, W, C)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.self_attention = CrossScan(width)
        self.conv_blk = _Channels(width)
        self.skip_scale, self.skip_scale2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        x = x * self.skip_scale + self.self_attention(self.ln_1(x))
        return x * self.skip_scale2 + self.conv_blk(self.ln_2(x).permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


class _Channels(nn.Module):
    """Two convolutions whose channels are weighed by their mean over the picture."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.cab = nn.Sequential(
            nn.Conv2d(width, width // COMPRESS, 3, 1, 1),
            nn.GELU(),
            nn.Conv2d(width // COMPRESS, width, 3, 1, 1),
            _Weighed(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.cab(x)
        return out


class _Weighed(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(width, width // SQUEEZE, 1),
            nn.ReLU(),
            nn.Conv2d(width // SQUEEZE, width, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x * self.attention(x)


class CrossScan(nn.Module):
    """Both pictures of a pair, pixel by pixel in turn, as one sequence; scanned along rows and columns, both ways."""

    def __init__(self, width: int) -> None:
        super().__init__()
        inner, self.rank = 2 * width, math.ceil(width / 16)
        self.in_proj = nn.Linear(width, 2 * inner, bias=False)
        self.conv2d = nn.Conv2d(inner, inner, 3, 1, 1, groups=inner)
        self.x_proj_weight = nn.Parameter(torch.empty(DIRECTIONS, self.rank + 2 * STATES, inner))
        self.dt_projs_weight = nn.Parameter(torch.empty(DIRECTIONS, inner, self.rank))
        self.dt_projs_bias = nn.Parameter(torch.empty(DIRECTIONS, inner))
        self.A_logs = nn.Parameter(torch.empty(DIRECTIONS * inner, STATES))
        self.Ds = nn.Parameter(torch.empty(DIRECTIONS * inner))
        self.out_norm = nn.LayerNorm(inner)
        self.out_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(2N, H, W, C) to the same."""
        height, width = x.shape[1:3]
        x, gate = self.in_proj(x).chunk(2, -1)
        x = functional.silu(self.conv2d(x.permute(0, 3, 1, 2)))
        rows, columns, rows_back, columns_back = self.scans(x).unbind(1)
        y = rows + rows_back.flip(-1) + _turned(columns + columns_back.flip(-1), height, width)
        # (N, C, H W 2) to (2N, H, W, C).
        y = y.unflatten(-1, (height, width, 2)).permute(4, 0, 2, 3, 1).flatten(0, 1)
        out: Tensor = self.out_proj(self.out_norm(y) * functional.silu(gate))
        return out

    def scans(self, x: Tensor) -> Tensor:
        """(2N, C, H, W) to (N, 4, C, 2 H W): rows, columns, and both from their ends, in the order they were read."""
        way = torch.stack((_in_turn(x), _in_turn(x.transpose(2, 3))), 1)
        ways = torch.cat((way, way.flip(-1)), 1)
        told = torch.einsum("nkdl,kcd->nkcl", ways, self.x_proj_weight)
        steps, entering, leaving = told.split((self.rank, STATES, STATES), 2)
        steps = torch.einsum("nkrl,kdr->nkdl", steps, self.dt_projs_weight)
        shape = self.dt_projs_bias.shape
        return selective_scan(
            ways.float(),
            functional.softplus(steps.float() + self.dt_projs_bias.float()[..., None]),
            -torch.exp(self.A_logs.float()).view(*shape, STATES),
            entering.float(),
            leaving.float(),
            self.Ds.float().view(shape),
        ).to(x.dtype)


def _in_turn(x: Tensor) -> Tensor:
    """(2N, C, H, W) to (N, C, H W 2): a pixel of the first picture, the same of the second, the next of the first."""
    return torch.stack(x.flatten(2).chunk(2), -1).flatten(2)


def _turned(y: Tensor, height: int, width: int) -> Tensor:
    """What was read by columns back in rows, as the authors do it.

    Each half of the sequence is turned as if it were one picture of the pair; but the two pictures lie in it pixel by
    pixel in turn. The network was trained so, and its numbers need it.
    """
    return y.unflatten(-1, (2, width, height)).transpose(-1, -2).flatten(-3)
