"""ImageReward (Xu et al., 2023): BLIP reads a picture and a prompt together, a head gives one number.

Parameter names are those of the authors' file.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.layouts import POSITION_IDS, Rule, count_of, renamed, shape_of
from worldgauge.instruments.neural.networks.linear_head import LinearHead
from worldgauge.instruments.neural.networks.stacked import CLIP_DEVIATION, CLIP_MEAN, Stacked
from worldgauge.instruments.neural.networks.transformer import heads_of
from worldgauge.instruments.neural.networks.vision_transformer import VisionTransformer
from worldgauge.instruments.neural.preparing import squares

NAME = "ImageReward"
EPSILON = 1e-12
REWARD_MEAN, REWARD_DEVIATION = 0.16717362830052426, 1.0333394966054072
"""Of the raw output over the authors' data."""
UNUSED = (
    POSITION_IDS,
    Rule(r"blip\.(vision|text)_proj\.\w+", change="drop"),
)
"""What the file holds and the reward does not use: a counter, and the projections of BLIP's contrastive training."""


class _SelfPart(nn.Module):
    def __init__(self, width: int, source: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(source, width)
        self.value = nn.Linear(source, width)


class _OutPart(nn.Module):
    def __init__(self, hidden: int, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(hidden, width)
        self.LayerNorm = nn.LayerNorm(width, eps=EPSILON)

    def forward(self, x: Tensor, before: Tensor) -> Tensor:
        out: Tensor = self.LayerNorm(self.dense(x) + before)
        return out


class _Attention(nn.Module):
    """Attention of a text to itself, or to the tokens of a picture; the sum with its input is normalised."""

    def __init__(self, width: int, source: int) -> None:
        super().__init__()
        self.heads = heads_of(width)
        self.self = _SelfPart(width, source)
        self.output = _OutPart(width, width)

    def forward(self, x: Tensor, source: Tensor, mask: Tensor | None) -> Tensor:
        parts = (self.self.query(x), self.self.key(source), self.self.value(source))
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        out: Tensor = self.output(mixed.transpose(1, 2).flatten(2), x)
        return out


class _Intermediate(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, hidden)


class _Layer(nn.Module):
    def __init__(self, width: int, hidden: int, source: int) -> None:
        super().__init__()
        self.attention = _Attention(width, width)
        self.crossattention = _Attention(width, source)
        self.intermediate = _Intermediate(width, hidden)
        self.output = _OutPart(hidden, width)

    def forward(self, x: Tensor, mask: Tensor, picture: Tensor) -> Tensor:
        x = self.attention(x, x, mask)
        x = self.crossattention(x, picture, None)
        out: Tensor = self.output(functional.gelu(self.intermediate.dense(x)), x)
        return out


class _Embeddings(nn.Module):
    def __init__(self, vocabulary: int, places: int, width: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, width)
        self.position_embeddings = nn.Embedding(places, width)
        self.LayerNorm = nn.LayerNorm(width, eps=EPSILON)

    def forward(self, tokens: Tensor) -> Tensor:
        places = self.position_embeddings.weight[: tokens.shape[1]]
        out: Tensor = self.LayerNorm(self.word_embeddings(tokens) + places)
        return out


class _Encoder(nn.Module):
    def __init__(self, width: int, hidden: int, source: int, depth: int) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(width, hidden, source) for _ in range(depth))


class _Text(nn.Module):
    """BERT that looks at a picture in every layer."""

    def __init__(self, state: Mapping[str, Tensor], prefix: str) -> None:
        super().__init__()
        vocabulary, width = shape_of(state, f"{prefix}embeddings.word_embeddings.weight", NAME)
        places = shape_of(state, f"{prefix}embeddings.position_embeddings.weight", NAME)[0]
        hidden = shape_of(state, f"{prefix}encoder.layer.0.intermediate.dense.weight", NAME)[0]
        source = shape_of(state, f"{prefix}encoder.layer.0.crossattention.self.key.weight", NAME)[1]
        self.embeddings = _Embeddings(vocabulary, places, width)
        self.encoder = _Encoder(width, hidden, source, count_of(state, f"{prefix}encoder.layer"))

    def forward(self, tokens: Tensor, mask: Tensor, picture: Tensor) -> Tensor:
        x = self.embeddings(tokens)
        for layer in self.encoder.layer:
            x = layer(x, mask[:, None, None].bool(), picture)
        return x


class _Blip(nn.Module):
    def __init__(self, state: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.visual_encoder = VisionTransformer.like(state, NAME, "blip.visual_encoder.")
        self.text_encoder = _Text(state, "blip.text_encoder.")


class ImageReward(nn.Module):
    """Pictures (N, 3, side, side) and prompts (N, 35) to rewards (N,)."""

    def __init__(self, state: Mapping[str, Tensor]) -> None:
        """Unfilled, of the size that a checkpoint has."""
        super().__init__()
        self.blip = _Blip(state)
        self.mlp = LinearHead.like(state, NAME, "mlp.")
        vision = self.blip.visual_encoder
        self.side = round((vision.pos_embed.shape[1] - 1) ** 0.5) * vision.patch

    def hidden(self, images: Tensor, tokens: Tensor, mask: Tensor) -> Tensor:
        """What the head reads: the first token of the text, (N, D)."""
        out: Tensor = self.blip.text_encoder(tokens, mask, self.blip.visual_encoder(images))[:, 0]
        return out

    def forward(self, images: Tensor, tokens: Tensor, mask: Tensor) -> Tensor:
        return (self.mlp(self.hidden(images, tokens, mask)) - REWARD_MEAN) / REWARD_DEVIATION


class RewardEncoder(Stacked):
    """ImageReward on a device."""

    module: ImageReward

    def rewards(
        self, frames: NDArray[np.uint8], tokens: NDArray[np.int64], mask: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Frames (N, H, W, 3), each with its prompt (N, 35) and which of its tokens are no padding, to (N,)."""
        return self.run(self._rewards, squares(frames, self.module.side, self.module.side), tokens, mask)

    def _rewards(self, stack: Tensor, words: Tensor, own: Tensor) -> Tensor:
        found: Tensor = self.module(self.normalised(stack, CLIP_MEAN, CLIP_DEVIATION), words, own)
        return found


def image_reward_from(state: Mapping[str, Tensor]) -> ImageReward:
    """ImageReward out of the authors' file; surplus entries are left out, as their own code does."""
    own = renamed(state, UNUSED)
    return filled(lambda: ImageReward(own), own, NAME, drop_surplus=True)
