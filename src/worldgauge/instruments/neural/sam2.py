"""SAM 2.1 as an instrument: objects shown in the first frame, followed through the clip (Ravi et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.pretrained import config_beside
from worldgauge.instruments.neural.read_state import read_state

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.sam2 import Follower

Frame = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Box = tuple[float, float, float, float]
Points = Sequence[tuple[float, float, bool]]
WEIGHTS = "sam2_hiera_b_plus"


@dataclass(frozen=True)
class Sam2HieraBPlus(NeuralInstrument):
    """Masks of the objects shown in the first frame, by SAM 2.1 Hiera-B+."""

    seat: ClassVar[str] = "mask_follower"
    name: ClassVar[str] = "sam2_hiera_b_plus"
    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    memory: ClassVar[float] = 4.0

    batch: int = 1
    """Frames at a time: each needs what is remembered of those before it."""
    several_masks: bool = True
    """Whether a mask that is not stable gives way to the best of three, as the authors' post-processing has it."""
    cut_memory: bool = True
    """Whether masks of given frames are cut to 0 and 1 before they are remembered, as it has it, too."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,)

    def build(self, device: str) -> Follower:
        from worldgauge.instruments.neural.networks.sam2 import Follower, sam2_from

        path = self.weight_files()[WEIGHTS]
        network = sam2_from(read_state(path), config_beside(path), self.several_masks, self.cut_memory)
        return Follower(network, device, self.dtype)

    def followed(self, frames: Sequence[Frame], masks: Sequence[Mask]) -> Iterator[Mask]:
        """Where any of the objects is, frame by frame, (H, W)."""
        for found in self.followed_each(frames, masks=masks):
            yield np.asarray(found.any(axis=0))

    def followed_each(
        self,
        frames: Sequence[Frame],
        masks: Sequence[Mask] = (),
        boxes: Sequence[Box] = (),
        points: Sequence[Points] = (),
    ) -> Iterator[NDArray[np.bool_]]:
        """Where each object is, (O, H, W) per RGB frame: those shown by masks, then by boxes, then by points."""
        from worldgauge.instruments.neural.networks.sam2 import Prompt

        prompts = [Prompt(mask=mask) for mask in masks]
        prompts += [Prompt(box=box) for box in boxes] + [Prompt(points=of_one) for of_one in points]
        for logits in self.network.logits(frames, prompts):
            yield np.asarray((logits > 0).cpu().numpy())
