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
from worldgauge.instruments.neural.networks.grounding_dino_layout import UNUSED, is_authors, renamed_parts
from worldgauge.instruments.neural.networks.stacked import IMAGENET_DEVIATION, IMAGENET_MEAN

NAME = "Grounding DINO"
MARKS = (101, 102, 1012, 1029)
"""Numbers of what parts a caption into phrases: its first and last mark, full stop, question mark."""


class Answer(NamedTuple):
    """What the network says of a picture and a caption of T tokens."""

    probabilities: NDArray[np.float32]
    """(queries, T): how surely a query means a token."""
    boxes: NDArray[np.float32]
    """(queries, 4): centre x and y, width and height, as shares of the picture."""


class Grounding:
    """Grounding DINO on a device.

    Where words stand in their phrases is told the network from here. Later releases of transformers 5 give the stop of
    a phrase place 0 and cut the waves that tell the places to whole numbers; the authors' network does neither.
    """

    def __init__(self, module: GroundingDinoForObjectDetection, device: str = "cpu", dtype: str = "float32") -> None:
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.module = module.to(device=self.device, dtype=self.dtype).eval()
        self.longest_text: int = module.config.max_text_len
        self._positions = torch.zeros(1, 0, dtype=torch.long)
        module.model.text_backbone.register_forward_pre_hook(self._tell_words)
        module.model.encoder.register_forward_pre_hook(self._tell_encoder, with_kwargs=True)

    def _tell_words(self, module: torch.nn.Module, given: tuple[Any, ...]) -> tuple[Any, ...]:
        tokens, mask, kinds, _ = given
        return tokens, mask, kinds, self._positions

    def _tell_encoder(
        self, module: torch.nn.Module, given: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return given, named | {"text_position_ids": self._positions.to(self.dtype)}

    def answer(self, picture: NDArray[np.uint8], tokens: NDArray[np.int64]) -> Answer:
        """Of one picture (h, w, 3) at the network's size and the token numbers (T,) of its caption."""
        with torch.inference_mode():
            values = (
                torch.from_numpy(np.ascontiguousarray(picture)).to(self.device).permute(2, 0, 1)[None].float() / 255
            )
            shift, scale = (values.new_tensor(part).view(3, 1, 1) for part in (IMAGENET_MEAN, IMAGENET_DEVIATION))
            words = torch.from_numpy(tokens)[None].to(self.device)
            self._positions = torch.from_numpy(positions_of(tokens))[None].to(self.device)
            found = self.module(
                pixel_values=((values - shift) / scale).to(self.dtype),
                pixel_mask=torch.ones((1, *picture.shape[:2]), dtype=torch.long, device=self.device),
                input_ids=words,
                token_type_ids=torch.zeros_like(words),
                attention_mask=torch.ones_like(words),
            )
        probabilities = found.logits[0, :, : len(tokens)].float().sigmoid().cpu().numpy()
        return Answer(probabilities, found.pred_boxes[0].float().cpu().numpy())


def positions_of(tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each token of a caption stands in its phrase, from 0 on; the mark that ends a phrase belongs to it.

    >>> positions_of(np.array([101, 6, 7, 1012, 5, 1012, 102])).tolist()
    [0, 0, 1, 2, 0, 1, 0]
    """
    found = np.zeros_like(tokens)
    before = 0
    for place in np.flatnonzero(np.isin(tokens, MARKS)).tolist():
        if 0 < place < len(tokens) - 1:
            found[before + 1 : place + 1] = np.arange(place - before)
        before = place
    return found


def grounding_dino_from(
    state: Mapping[str, Tensor], config: Mapping[str, Any] | None
) -> GroundingDinoForObjectDetection:
    """The network out of transformers' file or the authors'; without a configuration it is the one with Swin-T."""
    made = GroundingDinoConfig.from_dict(dict(config)) if config else GroundingDinoConfig()
    # Plain torch: a kernel from elsewhere would be fetched behind the user's back, and sum in another order.
    made.disable_custom_kernels = True
    if is_authors(state):
        return from_transformers(GroundingDinoForObjectDetection, made, renamed_parts(state), NAME, unused=UNUSED)
    return from_transformers(GroundingDinoForObjectDetection, made, state, NAME)
