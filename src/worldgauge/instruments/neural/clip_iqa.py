"""CLIP-IQA+: how good a frame looks, between a good and a bad photo in CLIP's space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import Frames, height_and_width
from worldgauge.instruments.neural.read_state import read_state

ENCODER, PROMPTS = "clip_rn50", "clip_iqa_plus"
SMALLEST = 32
"""Pixels of a side below which the network's last map is empty."""


@dataclass(frozen=True)
class ClipIqaPlus(NeuralInstrument):
    """Quality, 0 to 1, of a frame at its own size: CLIP RN50 without positions against two learned prompts."""

    seat: ClassVar[str] = "image_quality"
    name: ClassVar[str] = "clip_iqa_plus"
    version: ClassVar[int] = 2
    memory: ClassVar[float] = 1.5
    rate: ClassVar[float | None] = 666.0

    @property
    def weights(self) -> tuple[str, ...]:
        return (ENCODER, PROMPTS)

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.clip import clip_from
        from worldgauge.instruments.neural.networks.clip_iqa import ClipIqa, learned_texts

        files = self.weight_files()
        clip = clip_from(read_state(files[ENCODER]), "quick_gelu", f"CLIP ({files[ENCODER].name})")
        prompts = read_state(files[PROMPTS])
        if len(prompts) != 1:
            raise WorldGaugeError(f"{files[PROMPTS].name} does not hold one tensor of prompts", "fetch it again")
        texts = learned_texts(clip, next(iter(prompts.values())))
        return ClipIqa(clip, texts, device, self.dtype, self.batch, self.tf32)

    def scores(self, frames: Frames) -> NDArray[np.float32]:
        """RGB frames (N, H, W, 3) to (N,)."""
        height, width = height_and_width(frames)
        if min(height, width) < SMALLEST:
            raise Unscored(f"frames of {width}x{height} px; CLIP-IQA+ looks at {SMALLEST} px and more")
        found: NDArray[np.float32] = self.network.scores(frames)
        return found
