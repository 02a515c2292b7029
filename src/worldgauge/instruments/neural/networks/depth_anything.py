"""Depth Anything V2 (Yang et al., 2024): DINOv2 and a dense head. Parameter names are those of the authors' files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.layouts import Layout, Rule, renamed, shape_of
from worldgauge.instruments.neural.networks.on_device import Tf32
from worldgauge.instruments.neural.networks.stacked import IMAGENET_DEVIATION, IMAGENET_MEAN, Stacked
from worldgauge.instruments.neural.networks.vision_transformer import (
    Positions,
    VisionTransformer,
    transformers_names,
)

NAME = "Depth Anything V2"
LEVELS = 4
TAPS = {12: (2, 5, 8, 11), 24: (4, 11, 17, 23)}
"""Blocks the head reads, by the depth of the backbone."""


def _resized(x: Tensor, size: Sequence[int]) -> Tensor:
    return functional.interpolate(x, size=tuple(size), mode="bilinear", align_corners=True)


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv2(functional.relu(self.conv1(functional.relu(x)))) + x
        return out


class _Fusion(nn.Module):
    """Adds a level to what came from the coarser ones and enlarges the sum."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.out_conv = nn.Conv2d(width, width, 1)
        self.resConfUnit1 = _Residual(width)
        self.resConfUnit2 = _Residual(width)

    def forward(self, coarse: Tensor, level: Tensor | None, size: Sequence[int]) -> Tensor:
        x = coarse if level is None else coarse + self.resConfUnit1(level)
        out: Tensor = self.out_conv(_resized(self.resConfUnit2(x), size))
        return out


class _Scratch(nn.Module):
    def __init__(self, levels: Sequence[int], width: int, last: int) -> None:
        super().__init__()
        for index, channels in enumerate(levels, start=1):
            self.add_module(f"layer{index}_rn", nn.Conv2d(channels, width, 3, padding=1, bias=False))
            self.add_module(f"refinenet{index}", _Fusion(width))
        self.output_conv1 = nn.Conv2d(width, width // 2, 3, padding=1)
        self.output_conv2 = nn.Sequential(
            nn.Conv2d(width // 2, last, 3, padding=1), nn.ReLU(), nn.Conv2d(last, 1, 1), nn.ReLU()
        )


class _Head(nn.Module):
    """Tokens of four blocks to one map."""

    def __init__(self, tokens: int, levels: Sequence[int], width: int, last: int) -> None:
        super().__init__()
        first, second, _, fourth = levels
        self.projects = nn.ModuleList(nn.Conv2d(tokens, channels, 1) for channels in levels)
        self.resize_layers = nn.ModuleList(
            [
                nn.ConvTranspose2d(first, first, 4, stride=4),
                nn.ConvTranspose2d(second, second, 2, stride=2),
                nn.Identity(),
                nn.Conv2d(fourth, fourth, 3, stride=2, padding=1),
            ]
        )
        self.scratch = _Scratch(levels, width, last)

    def forward(self, taps: Sequence[Tensor], rows: int, columns: int, patch: int) -> Tensor:
        scratch, levels = self.scratch, []
        for index, tokens in enumerate(taps):
            grid = tokens[:, 1:].transpose(1, 2).unflatten(2, (rows, columns))
            grid = self.resize_layers[index](self.projects[index](grid))
            levels.append(scratch.get_submodule(f"layer{index + 1}_rn")(grid))
        x, added = levels[-1], None
        for index in range(LEVELS, 0, -1):
            finest = index == 1
            size = [2 * side for side in x.shape[2:]] if finest else levels[index - 2].shape[2:]
            x = scratch.get_submodule(f"refinenet{index}")(x, added, size)
            added = None if finest else levels[index - 2]
        x = _resized(scratch.output_conv1(x), (rows * patch, columns * patch))
        out: Tensor = scratch.output_conv2(x)[:, 0]
        return out


class DepthAnything(nn.Module):
    """Pictures (N, 3, H, W), sides multiples of 14, to relative inverse depth (N, H, W): large is near."""

    def __init__(self, state: Mapping[str, Tensor]) -> None:
        """Unfilled, of the size that a checkpoint has."""
        super().__init__()
        self.pretrained = VisionTransformer.like(state, NAME, "pretrained.")
        shapes = [shape_of(state, f"depth_head.projects.{index}.weight", NAME) for index in range(LEVELS)]
        width = shape_of(state, "depth_head.scratch.output_conv1.weight", NAME)[1]
        last = shape_of(state, "depth_head.scratch.output_conv2.0.weight", NAME)[0]
        self.depth_head = _Head(shapes[0][1], [shape[0] for shape in shapes], width, last)
        depth = len(self.pretrained.blocks)
        self.taps = TAPS.get(depth, tuple(depth * (index + 1) // LEVELS - 1 for index in range(LEVELS)))

    def forward(self, images: Tensor, positions: Positions) -> Tensor:
        patch = self.pretrained.patch
        rows, columns = (side // patch for side in images.shape[-2:])
        out: Tensor = self.depth_head(self.pretrained.taps(images, self.taps, positions), rows, columns, patch)
        return out


class DepthEncoder(Stacked):
    """Frames at the network's size to depth, by one of the two position rules."""

    module: DepthAnything

    def __init__(
        self,
        module: DepthAnything,
        positions: Positions = "transformers",
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 4,
        tf32: Tf32 = "default",
    ) -> None:
        super().__init__(module, device, dtype, batch, tf32)
        self.positions = positions

    def depths(
        self, frames: NDArray[np.uint8] | NDArray[np.float32], size: tuple[int, int] | None = None
    ) -> NDArray[np.float32]:
        """Frames (N, h, w, 3), bytes or numbers in [0, 1], sides multiples of 14, to depth (N, h, w), or enlarged
        to (width, height)."""
        return self.run(partial(self._depths, size), frames)

    def _depths(self, size: tuple[int, int] | None, stack: Tensor) -> Tensor:
        found: Tensor = self.module(self.normalised(stack, IMAGENET_MEAN, IMAGENET_DEVIATION), self.positions)
        return found if size is None else _resized(found.float()[:, None], (size[1], size[0]))[:, 0]


def depth_anything_from(state: Mapping[str, Tensor]) -> DepthAnything:
    """The network with the parameters of the authors' file, or of transformers' directory."""
    own = renamed(state, TRANSFORMERS if "head.conv1.weight" in state else ())
    return filled(lambda: DepthAnything(own), own, NAME)


def _transformers_head() -> Layout:
    reassemble, ours = r"neck\.reassemble_stage\.layers\.(\d)", "depth_head"
    rules = [
        Rule(rf"{reassemble}\.projection\.(\w+)", rf"{ours}.projects.\1.\2"),
        Rule(rf"{reassemble}\.resize\.(\w+)", rf"{ours}.resize_layers.\1.\2"),
        Rule(r"head\.conv1\.(\w+)", rf"{ours}.scratch.output_conv1.\1"),
        Rule(r"head\.conv2\.(\w+)", rf"{ours}.scratch.output_conv2.0.\1"),
        Rule(r"head\.conv3\.(\w+)", rf"{ours}.scratch.output_conv2.2.\1"),
    ]
    for index in range(LEVELS):
        # Their fusion layers count from the coarsest level, the authors' from the finest.
        fusion, refine = rf"neck\.fusion_stage\.layers\.{index}", f"{ours}.scratch.refinenet{LEVELS - index}"
        rules += [
            Rule(rf"neck\.convs\.{index}\.weight", f"{ours}.scratch.layer{index + 1}_rn.weight"),
            Rule(rf"{fusion}\.projection\.(\w+)", rf"{refine}.out_conv.\1"),
            Rule(rf"{fusion}\.residual_layer([12])\.convolution([12])\.(\w+)", rf"{refine}.resConfUnit\1.conv\2.\3"),
        ]
    return tuple(rules)


TRANSFORMERS: Layout = (*transformers_names(r"backbone\.", "pretrained."), *_transformers_head())
"""`model.safetensors` of a directory in transformers' format."""
