"""CLIP-IQA (Wang, Chan and Loy, 2023): a picture between two texts. CLIP-IQA+ has learned the words around them."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.networks.clip import Clip
from worldgauge.instruments.neural.networks.clip_resnet import ClipResNet
from worldgauge.instruments.neural.networks.on_device import Tf32
from worldgauge.instruments.neural.networks.stacked import CLIP_DEVIATION, CLIP_MEAN, Stacked

CONTEXT = 16
"""Learned vectors around the class words; half of them stand before, half behind."""
CLASS_TOKENS = ((886, 1125, 852), (2103, 1125, 852))
"""`Good photo..` and `Bad photo..` in CLIP's vocabulary; the two dots are one token."""


class ClipIqa(Stacked):
    """Quality, 0 to 1, of frames of any size of at least 32 px, by CLIP's residual network without positions."""

    module: ClipResNet

    def __init__(
        self,
        clip: Clip,
        texts: Tensor,
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 8,
        tf32: Tf32 = "default",
    ) -> None:
        """`texts` (pairs, 2, D): features of the good and the bad text of each pair."""
        if not isinstance(clip.visual, ClipResNet):
            raise WorldGaugeError("CLIP-IQA needs a CLIP with a residual network", "give it the weights of RN50")
        super().__init__(clip.visual, device, dtype, batch, tf32)
        self.scale = float(clip.logit_scale.exp())
        self._texts = torch.nn.functional.normalize(texts.float(), dim=-1).to(self.device)

    def scores(self, frames: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Frames (N, H, W, 3) at their own size to (N,): the mean over the pairs of how much better the good fits."""
        return self.run(self._scores, frames)

    def features(self, frames: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(N, D), not normalised."""
        return self.run(self._features, frames)

    def _features(self, frames: Tensor) -> Tensor:
        return self.module(self.normalised(frames, CLIP_MEAN, CLIP_DEVIATION), positions=False).float()

    def _scores(self, frames: Tensor) -> Tensor:
        features = torch.nn.functional.normalize(self._features(frames), dim=-1)
        logits = self.scale * torch.einsum("nd,pcd->npc", features, self._texts)
        return logits.softmax(-1)[..., 0].mean(1)


def learned_texts(clip: Clip, context: Tensor) -> Tensor:
    """Features (1, 2, D) of good and bad with the learned context (16, W), or (2, 16, W) where each has its own."""
    width = clip.token_embedding.embedding_dim
    shapes = ((CONTEXT, width), (len(CLASS_TOKENS), CONTEXT, width))
    if tuple(context.shape) not in shapes:
        raise WorldGaugeError(
            f"the learned prompts of CLIP-IQA+ do not fit: shape {tuple(context.shape)} instead of {shapes[0]}",
            "the file is of another network or another version of it; fetch it again",
        )
    own = context.expand(len(CLASS_TOKENS), -1, -1).to(clip.token_embedding.weight)
    table, half = clip.token_embedding.weight, CONTEXT // 2
    start, end = table[clip.end - 1][None], table[clip.end][None]
    rows = [
        torch.cat([start, own[i, :half], table[list(words)], own[i, half:], end])
        for i, words in enumerate(CLASS_TOKENS)
    ]
    embedded = torch.stack(rows)
    ends = torch.full((len(rows),), embedded.shape[1] - 1, device=embedded.device)
    with torch.inference_mode():
        return clip.embedded_features(embedded, ends)[None]
