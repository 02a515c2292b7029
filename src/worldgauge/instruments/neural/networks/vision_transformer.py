"""The vision transformer of DINOv2 and BLIP, with the two ways to resize its table of positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.layouts import Layout, Rule, count_of, shape_of
from worldgauge.instruments.neural.networks.transformer import Block

Positions = Literal["hub", "transformers"]
HUB_OFFSET = 0.1
"""Added to the number of patches by the authors' code before it divides by the table's: the scale is not exact."""
EPSILON = 1e-6


def resized_positions(table: Tensor, rows: int, columns: int, rule: Positions) -> Tensor:
    """Positions (1, 1 + rows * columns, D) for a grid of patches, from a square table (1, 1 + side * side, D).

    `hub`: scaled by (rows + 0.1) / side, as the authors' code does; `transformers`: by the exact size.
    """
    side = round((table.shape[1] - 1) ** 0.5)
    if (rows, columns) == (side, side):
        return table
    grid = table[:, 1:].float().unflatten(1, (side, side)).permute(0, 3, 1, 2)
    if rule == "hub":
        factors = ((rows + HUB_OFFSET) / side, (columns + HUB_OFFSET) / side)
        grid = functional.interpolate(grid, scale_factor=factors, mode="bicubic")
    else:
        grid = functional.interpolate(grid, size=(rows, columns), mode="bicubic")
    return torch.cat([table[:, :1], grid.permute(0, 2, 3, 1).flatten(1, 2).to(table.dtype)], 1)


class _Patches(nn.Module):
    def __init__(self, patch: int, width: int) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, width, patch, stride=patch)


class VisionTransformer(nn.Module):
    """Pictures (N, 3, H, W), sides multiples of the patch, to tokens (N, 1 + patches, D), the class token first."""

    def __init__(
        self, width: int, hidden: int, depth: int, patch: int, places: int, *, scaled: bool, hides: bool
    ) -> None:
        """`scaled`: a factor per channel after each part; `hides`: the token that hides patches in training."""
        super().__init__()
        self.patch = patch
        self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embed = nn.Parameter(torch.zeros(1, places, width))
        if hides:
            self.mask_token = nn.Parameter(torch.zeros(1, width))
        self.patch_embed = _Patches(patch, width)
        blocks = (
            Block(width, hidden, activation=functional.gelu, epsilon=EPSILON, scaled=scaled) for _ in range(depth)
        )
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width, eps=EPSILON)

    @classmethod
    def like(cls, state: Mapping[str, Tensor], network: str, prefix: str = "") -> VisionTransformer:
        """An unfilled one of the size that a checkpoint's entries below `prefix` have."""
        width, _, patch, _ = shape_of(state, f"{prefix}patch_embed.proj.weight", network)
        places = shape_of(state, f"{prefix}pos_embed", network)[1]
        hidden = shape_of(state, f"{prefix}blocks.0.mlp.fc1.weight", network)[0]
        depth = count_of(state, f"{prefix}blocks")
        scaled, hides = f"{prefix}blocks.0.ls1.gamma" in state, f"{prefix}mask_token" in state
        return cls(width, hidden, depth, patch, places, scaled=scaled, hides=hides)

    def taps(self, images: Tensor, layers: Sequence[int], positions: Positions) -> list[Tensor]:
        """The normalised tokens after the blocks of these numbers, counted from 0."""
        grid = self.patch_embed.proj(images)
        rows, columns = grid.shape[-2:]
        x = torch.cat([self.cls_token.expand(len(grid), -1, -1), grid.flatten(2).transpose(1, 2)], 1)
        x = x + resized_positions(self.pos_embed, rows, columns, positions)
        found = []
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index in layers:
                found.append(self.norm(x))
        return found

    def forward(self, images: Tensor, positions: Positions = "hub") -> Tensor:
        """The normalised tokens after the last block."""
        return self.taps(images, [len(self.blocks) - 1], positions)[0]


def transformers_names(prefix: str = "", target: str = "") -> Layout:
    """transformers' names of DINOv2, below `prefix`, as renames to the authors', below `target`."""
    layer = rf"{prefix}encoder\.layer\.(\d+)"
    block = rf"{target}blocks.\1"
    return (
        Rule(rf"{prefix}embeddings\.(cls_token|mask_token)", rf"{target}\1"),
        Rule(rf"{prefix}embeddings\.position_embeddings", f"{target}pos_embed"),
        Rule(rf"{prefix}embeddings\.patch_embeddings\.projection\.(\w+)", rf"{target}patch_embed.proj.\1"),
        Rule(rf"{layer}\.attention\.attention\.(?P<part>query|key|value)\.(\w+)", rf"{block}.attn.qkv.\3", "join"),
        Rule(rf"{layer}\.attention\.output\.dense\.(\w+)", rf"{block}.attn.proj.\2"),
        Rule(rf"{layer}\.layer_scale([12])\.lambda1", rf"{block}.ls\2.gamma"),
        Rule(rf"{layer}\.(norm[12]|mlp\.fc[12])\.(\w+)", rf"{block}.\2.\3"),
        Rule(rf"{prefix}layernorm\.(\w+)", rf"{target}norm.\1"),
    )
