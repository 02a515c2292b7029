"""SAM 3 (Carion et al., 2025) by transformers: every mask in a picture that a phrase may mean, with its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from transformers import Sam3Config, Sam3Model

from worldgauge.instruments.neural.networks.from_transformers import from_transformers
from worldgauge.instruments.neural.networks.stacked import Stacked
from worldgauge.instruments.neural.preparing import Frames, height_and_width

NAME = "SAM 3"
TOGETHER = 16
"""Masks enlarged at a time: two hundred at the size of a large frame would take gigabytes."""


class Segmenter(Stacked):
    """SAM 3's picture side on a device."""

    module: Sam3Model

    def __init__(self, module: Sam3Model, device: str = "cpu", dtype: str = "float32", batch: int = 1) -> None:
        super().__init__(module, device, dtype, batch)
        self.side: int = module.config.vision_config.image_size
        self.longest_text: int = module.config.text_config.max_position_embeddings

    def segment(
        self, frames: Frames, tokens: NDArray[np.int64], lengths: NDArray[np.int64], threshold: float
    ) -> list[tuple[NDArray[np.bool_], NDArray[np.float32]]]:
        """Masks and scores of frames (N, H, W, 3), each with the tokens (N, T) of its phrase and how many these are."""
        height, width = height_and_width(frames)
        found = []
        for scores, masks in self.answers(frames, tokens, lengths):
            kept = scores > threshold
            found.append((self.enlarged(masks[kept], height, width), scores[kept].cpu().numpy()))
        return found

    def answers(
        self, frames: Frames, tokens: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> Sequence[tuple[Tensor, Tensor]]:
        """Per frame the scores (Q,) of all queries and their masks (Q, h, w), before a sigmoid, on the device."""

        def call(stack: Tensor, words: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
            own = torch.arange(words.shape[1], device=words.device) < count[:, None]
            told = self.module(
                pixel_values=squashed(stack, self.side).to(self.dtype), input_ids=words, attention_mask=own.long()
            )
            scores = told.pred_logits.float().sigmoid() * told.presence_logits.float().sigmoid()
            return scores, told.pred_masks.float()

        scores, masks = self.run_on_device(call, np.asarray(frames), tokens, lengths)
        return list(zip(scores, masks, strict=True))

    def enlarged(self, masks: Tensor, height: int, width: int) -> NDArray[np.bool_]:
        """Masks (K, h, w) at the frame's size: numbers are resized before the sigmoid, a half of which is the limit."""
        parts = [np.zeros((0, height, width), bool)]
        for some in masks.split(TOGETHER) if len(masks) else ():
            large = functional.interpolate(some[None], size=(height, width), mode="bilinear", align_corners=False)[0]
            parts.append((large > 0).cpu().numpy())
        return np.concatenate(parts)


def squashed(frames: Tensor, side: int) -> Tensor:
    """Bytes (N, H, W, 3) squashed to a square, bilinear with antialiasing, as whole bytes; then -1 to 1."""
    pictures = frames.permute(0, 3, 1, 2).float()
    size = (side, side)
    pictures = functional.interpolate(pictures, size=size, mode="bilinear", align_corners=False, antialias=True)
    return (pictures.round().clamp(0, 255) / 255 - 0.5) / 0.5


def sam3_from(state: Mapping[str, Tensor], config: Mapping[str, Any] | None) -> Sam3Model:
    """The picture side out of transformers' file, which holds the side for videos too."""
    told = dict(config or {})
    made = Sam3Config.from_dict(dict(told.get("detector_config") or told))
    own = {name.removeprefix("detector_model."): value for name, value in state.items()}
    return from_transformers(Sam3Model, made, own, NAME, unused=("tracker_model.", "tracker_neck."))
