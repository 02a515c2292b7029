"""The pre-norm transformer block that the image and text encoders here are made of; names as in DINOv2's files."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

HEAD_WIDTH = 64
"""Channels per attention head in every published network here."""

Activation = Callable[[Tensor], Tensor]


def quick_gelu(x: Tensor) -> Tensor:
    """The approximation of GELU that OpenAI's CLIP was trained with."""
    return x * torch.sigmoid(1.702 * x)


ACTIVATIONS: dict[str, Activation] = {"quick_gelu": quick_gelu, "gelu": functional.gelu}


def heads_of(width: int) -> int:
    """Attention heads of a transformer of this width.

    >>> heads_of(768), heads_of(48)
    (12, 1)
    """
    return max(1, width // HEAD_WIDTH)


class Attention(nn.Module):
    """Self-attention with one matrix for queries, keys and values."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads = heads_of(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, *, causal: bool) -> Tensor:
        query, key, value = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        out: Tensor = self.proj(mixed.transpose(1, 2).flatten(2))
        return out


class Mlp(nn.Module):
    def __init__(self, width: int, hidden: int, activation: Activation) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, width)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.fc2(self.activation(self.fc1(x)))
        return out


class Scale(nn.Module):
    """A factor per channel."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class Block(nn.Module):
    """Attention, then two layers per token, each on normalised input and added to it."""

    def __init__(
        self, width: int, hidden: int, *, activation: Activation, epsilon: float, scaled: bool = False
    ) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=epsilon)
        self.attn = Attention(width)
        self.ls1 = Scale(width) if scaled else nn.Identity()
        self.norm2 = nn.LayerNorm(width, eps=epsilon)
        self.mlp = Mlp(width, hidden, activation)
        self.ls2 = Scale(width) if scaled else nn.Identity()

    def forward(self, x: Tensor, *, causal: bool = False) -> Tensor:
        x = x + self.ls1(self.attn(self.norm1(x), causal=causal))
        out: Tensor = x + self.ls2(self.mlp(self.norm2(x)))
        return out
