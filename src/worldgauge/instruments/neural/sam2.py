"""SAM 2.1 as an instrument: objects shown in the first frame, followed through the clip (Ravi et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.functional.masks import box_of
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.pretrained import config_beside
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.signals.tracks import Sighting

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.sam2 import Follower, Prompt

Frame = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Box = tuple[float, float, float, float]
Points = Sequence[tuple[float, float, bool]]
WEIGHTS = "sam2_hiera_b_plus"
POINTED = 1.001 / 16
"""Of the frame's shorter side: a box no longer than that on both sides is where somebody pointed."""


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

    def shown_in_a_frame(self, frame: Frame, boxes: Sequence[Box]) -> NDArray[np.bool_]:
        """What each box of a single RGB frame shows, (O, H, W)."""
        return np.asarray((self.network.still_logits(frame, boxes) > 0).cpu().numpy())


@dataclass(frozen=True)
class Sam2Track(Sam2HieraBPlus):
    """The target of a case by SAM 2.1 Hiera-B+, shown by its mask, its box or a point in the first frame."""

    seat: ClassVar[str] = "track"
    name: ClassVar[str] = "sam2_hiera_b_plus_track"
    whole_frames: ClassVar[bool] = True

    prompt: Literal["as_given", "box", "point"] = "as_given"
    """How the target is shown. `as_given`: by its mask; without one by its box, or where the box is as small as one
    that stands for a point, by its middle. `box` and `point` (the middle) leave a mask aside."""

    def track(self, frames: Iterable[Frame], box: Box | None, mask: Mask | None) -> Iterator[Sighting]:
        """One sighting per frame; its confidence is how surely the network sees the target at all."""
        shown = frames if isinstance(frames, Sequence) else list(frames)
        prompts = [self._prompt(box, mask, shown[0].shape[:2])]
        for pixels, there in self.network.sightings(shown, prompts):
            yield Sighting(np.asarray((pixels[0] > 0).cpu().numpy()), float(there.sigmoid()[0]))

    def _prompt(self, box: Box | None, mask: Mask | None, size: tuple[int, ...]) -> Prompt:
        from worldgauge.instruments.neural.networks.sam2 import Prompt

        if mask is not None and self.prompt == "as_given":
            return Prompt(mask=mask)
        if box is None and mask is not None:
            found = box_of(mask)
            box = None if found is None else (float(found[0]), float(found[1]), float(found[2]), float(found[3]))
        if box is None:
            raise Unscored("nothing shows the target in the first frame", code=OF_THE_CASE)
        x0, y0, x1, y1 = box
        small = max(x1 - x0, y1 - y0) <= POINTED * min(size)
        if self.prompt == "point" or (self.prompt == "as_given" and small):
            return Prompt(points=[((x0 + x1) / 2, (y0 + y1) / 2, True)])
        return Prompt(box=box)
