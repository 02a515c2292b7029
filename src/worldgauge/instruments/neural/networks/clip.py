"""CLIP (Radford et al., 2021): one space for pictures and texts. Parameter names are those of OpenAI's archives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor, nn

from worldgauge.instruments.neural.networks.clip_resnet import ClipResNet
from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.layouts import (
    POSITION_IDS,
    Layout,
    Rule,
    count_of,
    renamed,
    shape_of,
)
from worldgauge.instruments.neural.networks.transformer import ACTIVATIONS, Activation, Block

ActivationName = Literal["quick_gelu", "gelu"]
EPSILON = 1e-5


class _Blocks(nn.Module):
    def __init__(self, width: int, hidden: int, depth: int, activation: Activation) -> None:
        super().__init__()
        blocks = (Block(width, hidden, activation=activation, epsilon=EPSILON) for _ in range(depth))
        self.resblocks = nn.ModuleList(blocks)

    @classmethod
    def like(cls, state: Mapping[str, Tensor], network: str, prefix: str, activation: Activation) -> _Blocks:
        hidden, width = shape_of(state, f"{prefix}resblocks.0.mlp.fc1.weight", network)
        return cls(width, hidden, count_of(state, f"{prefix}resblocks"), activation)

    def forward(self, x: Tensor, *, causal: bool) -> Tensor:
        for block in self.resblocks:
            x = block(x, causal=causal)
        return x


class ClipVision(nn.Module):
    """Pictures (N, 3, side, side) to features (N, D) by a vision transformer."""

    def __init__(self, patch: int, places: int, out: int, width: int, transformer: _Blocks) -> None:
        super().__init__()
        self.side = round((places - 1) ** 0.5) * patch
        self.conv1 = nn.Conv2d(3, width, patch, stride=patch, bias=False)
        self.class_embedding = nn.Parameter(torch.zeros(width))
        self.positional_embedding = nn.Parameter(torch.zeros(places, width))
        self.ln_pre = nn.LayerNorm(width, eps=EPSILON)
        self.transformer = transformer
        self.ln_post = nn.LayerNorm(width, eps=EPSILON)
        self.proj = nn.Parameter(torch.zeros(width, out))

    @classmethod
    def like(cls, state: Mapping[str, Tensor], network: str, prefix: str, activation: Activation) -> ClipVision:
        width, _, patch, _ = shape_of(state, f"{prefix}conv1.weight", network)
        places = shape_of(state, f"{prefix}positional_embedding", network)[0]
        out = shape_of(state, f"{prefix}proj", network)[1]
        return cls(patch, places, out, width, _Blocks.like(state, network, f"{prefix}transformer.", activation))

    def forward(self, images: Tensor) -> Tensor:
        patches = self.conv1(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_embedding.expand(len(patches), 1, -1), patches], 1)
        x = self.transformer(self.ln_pre(x + self.positional_embedding), causal=False)
        out: Tensor = self.ln_post(x[:, 0]) @ self.proj
        return out


class Clip(nn.Module):
    """Both sides of CLIP. Features are not normalised."""

    def __init__(self, state: Mapping[str, Tensor], activation: ActivationName, network: str) -> None:
        """Unfilled, of the size that a checkpoint (under the names used here) has."""
        super().__init__()
        function = ACTIVATIONS[activation]
        self.visual = (
            ClipResNet.like(state, network, "visual.")
            if "visual.attnpool.c_proj.weight" in state
            else ClipVision.like(state, network, "visual.", function)
        )
        self.transformer = _Blocks.like(state, network, "transformer.", function)
        vocabulary, width = shape_of(state, "token_embedding.weight", network)
        self.context = shape_of(state, "positional_embedding", network)[0]
        self.token_embedding = nn.Embedding(vocabulary, width)
        self.positional_embedding = nn.Parameter(torch.zeros(self.context, width))
        self.ln_final = nn.LayerNorm(width, eps=EPSILON)
        self.text_projection = nn.Parameter(torch.zeros(width, shape_of(state, "text_projection", network)[1]))
        self.logit_scale = nn.Parameter(torch.zeros(()))

    @property
    def end(self) -> int:
        """The token that ends a text: the last of the vocabulary. The one before it starts a text."""
        return len(self.token_embedding.weight) - 1

    def image_features(self, images: Tensor) -> Tensor:
        """Normalised pictures (N, 3, side, side) to (N, D)."""
        out: Tensor = self.visual(images)
        return out

    def text_features(self, tokens: Tensor) -> Tensor:
        """Token numbers (N, length) to (N, D): what stands where the text ends.

        A text that lost its end token is read at position 0, where its words have no say: all such texts are one.
        """
        ends = (tokens == self.end).int().argmax(1)
        return self.embedded_features(self.token_embedding(tokens), ends)

    def embedded_features(self, embedded: Tensor, ends: Tensor) -> Tensor:
        """Token vectors (N, length, width), read at the positions `ends` (N,), to (N, D)."""
        x = embedded + self.positional_embedding[: embedded.shape[1]]
        x = self.ln_final(self.transformer(x, causal=True))
        out: Tensor = x[torch.arange(len(x), device=x.device), ends] @ self.text_projection
        return out


def clip_from(state: Mapping[str, Tensor], activation: ActivationName, network: str = "CLIP") -> Clip:
    """CLIP with the parameters of a file by OpenAI or OpenCLIP, or of transformers' directory."""
    own = renamed(state, TRANSFORMERS if "text_model.final_layer_norm.weight" in state else OPENAI)
    return filled(lambda: Clip(own, activation, network), own, network)


_BLOCK = r"(.*resblocks\.\d+)"
OPENAI: Layout = (
    Rule(r"input_resolution|context_length|vocab_size", change="drop"),
    Rule(rf"{_BLOCK}\.attn\.in_proj_(weight|bias)", r"\1.attn.qkv.\2"),
    Rule(rf"{_BLOCK}\.attn\.out_proj\.(\w+)", r"\1.attn.proj.\2"),
    Rule(rf"{_BLOCK}\.ln_([12])\.(\w+)", r"\1.norm\2.\3"),
    Rule(rf"{_BLOCK}\.mlp\.c_fc\.(\w+)", r"\1.mlp.fc1.\2"),
    Rule(rf"{_BLOCK}\.mlp\.c_proj\.(\w+)", r"\1.mlp.fc2.\2"),
)
"""Files by OpenAI, which also hold three numbers, and by OpenCLIP."""


def _transformers_blocks(theirs: str, ours: str) -> Layout:
    layer, block = rf"{theirs}\.encoder\.layers\.(\d+)", rf"{ours}transformer.resblocks.\1"
    return (
        Rule(rf"{layer}\.self_attn\.(?P<part>[qkv])_proj\.(\w+)", rf"{block}.attn.qkv.\3", "join"),
        Rule(rf"{layer}\.self_attn\.out_proj\.(\w+)", rf"{block}.attn.proj.\2"),
        Rule(rf"{layer}\.layer_norm([12])\.(\w+)", rf"{block}.norm\2.\3"),
        Rule(rf"{layer}\.mlp\.(fc[12])\.(\w+)", rf"{block}.mlp.\2.\3"),
    )


TRANSFORMERS: Layout = (
    POSITION_IDS,
    *_transformers_blocks("vision_model", "visual."),
    *_transformers_blocks("text_model", ""),
    Rule(r"vision_model\.embeddings\.class_embedding", "visual.class_embedding"),
    Rule(r"vision_model\.embeddings\.position_embedding\.weight", "visual.positional_embedding"),
    Rule(r"vision_model\.embeddings\.patch_embedding\.weight", "visual.conv1.weight"),
    Rule(r"vision_model\.pre_layrnorm\.(\w+)", r"visual.ln_pre.\1"),
    Rule(r"vision_model\.post_layernorm\.(\w+)", r"visual.ln_post.\1"),
    Rule(r"visual_projection\.weight", "visual.proj", "transpose"),
    Rule(r"text_model\.embeddings\.token_embedding\.weight", "token_embedding.weight"),
    Rule(r"text_model\.embeddings\.position_embedding\.weight", "positional_embedding"),
    Rule(r"text_model\.final_layer_norm\.(\w+)", r"ln_final.\1"),
    Rule(r"text_projection\.weight", "text_projection", "transpose"),
)
"""`model.safetensors` of a directory in transformers' format."""
