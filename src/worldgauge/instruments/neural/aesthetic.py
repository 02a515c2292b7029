"""LAION's aesthetic predictor: how pleasing a frame is, read off CLIP ViT-L/14."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.neural.clip import clip_encoder
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import Frames
from worldgauge.instruments.neural.read_state import read_state

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.stacked import Stacked

ENCODER, HEAD = "clip_l14", "laion_aesthetic"


@dataclass(frozen=True)
class LaionAesthetic(NeuralInstrument):
    """Aesthetic score, about 1 to 10 and not clipped, by five linear layers on CLIP ViT-L/14's unit vector."""

    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "laion_aesthetic"
    memory: ClassVar[float] = 2.4
    rate: ClassVar[float | None] = 237.0

    resize: Literal["pil", "tensor"] = "pil"
    """How a frame comes to 224 px: by Pillow as bytes (open_clip's transform), or as numbers (pyiqa's)."""
    activation: Literal["quick_gelu", "gelu"] = "quick_gelu"
    """OpenAI's CLIP was trained with the quick approximation of GELU; some releases of open_clip run it with GELU."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (ENCODER, HEAD)

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.linear_head import aesthetic_from
        from worldgauge.instruments.neural.networks.stacked import Stacked

        files = self.weight_files()
        encoder = clip_encoder(files[ENCODER], self.activation, device, self.dtype, self.batch, self.tf32)
        return encoder, Stacked(aesthetic_from(read_state(files[HEAD])), device, "float32", self.batch)

    def scores(self, frames: Frames) -> NDArray[np.float32]:
        """RGB frames (N, H, W, 3) to (N,)."""
        encoder, _ = self.network
        return self.scores_of(encoder.images(frames, self.resize))

    def scores_of(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """CLIP ViT-L/14's features (N, 768), as another head may have asked for them already, to (N,)."""
        from worldgauge.instruments.neural.networks.clip_encoder import unit

        head: Stacked = self.network[1]
        return head.run(head.module, unit(features))
