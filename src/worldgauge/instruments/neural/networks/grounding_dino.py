"""Grounding DINO (Liu et al., 2023) by transformers: one picture and its caption at a time, as the authors ask it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import GroundingDinoConfig, GroundingDinoForObjectDetection

from worldgauge.instruments.neural.networks.from_transformers import from_transformers
from worldgauge.instruments.neural.networks.stacked import IMAGENET_DEVIATION, IMAGENET_MEAN

NAME = "Grounding DINO"


class Answer(NamedTuple):
    """What the network says of a picture and a caption of T tokens."""

    probabilities: NDArray[np.float32]
    """(queries, T): how surely a query means a token."""
    boxes: NDArray[np.float32]
    """(queries, 4): centre x and y, width and height, as shares of the picture."""


class Grounding:
    """Grounding DINO on a device."""

    def __init__(self, module: GroundingDinoForObjectDetection, device: str = "cpu", dtype: str = "float32") -> None:
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.module = module.to(device=self.device, dtype=self.dtype).eval()
        self.longest_text: int = module.config.max_text_len

    def answer(self, picture: NDArray[np.uint8], tokens: NDArray[np.int64]) -> Answer:
        """Of one picture (h, w, 3) at the network's size and the token numbers (T,) of its caption."""
        with torch.inference_mode():
            values = (
                torch.from_numpy(np.ascontiguousarray(picture)).to(self.device).permute(2, 0, 1)[None].float() / 255
            )
            shift, scale = (values.new_tensor(part).view(3, 1, 1) for part in (IMAGENET_MEAN, IMAGENET_DEVIATION))
            words = torch.from_numpy(tokens)[None].to(self.device)
            found = self.module(
                pixel_values=((values - shift) / scale).to(self.dtype),
                pixel_mask=torch.ones((1, *picture.shape[:2]), dtype=torch.long, device=self.device),
                input_ids=words,
                token_type_ids=torch.zeros_like(words),
                attention_mask=torch.ones_like(words),
            )
        probabilities = found.logits[0, :, : len(tokens)].float().sigmoid().cpu().numpy()
        return Answer(probabilities, found.pred_boxes[0].float().cpu().numpy())


def grounding_dino_from(
    state: Mapping[str, Tensor], config: Mapping[str, Any] | None
) -> GroundingDinoForObjectDetection:
    """The network out of transformers' file; without a configuration it is the one with Swin-T."""
    made = GroundingDinoConfig.from_dict(dict(config)) if config else GroundingDinoConfig()
    # Plain torch: a kernel from elsewhere would be fetched behind the user's back, and sum in another order.
    made.disable_custom_kernels = True
    return from_transformers(GroundingDinoForObjectDetection, made, state, NAME)
