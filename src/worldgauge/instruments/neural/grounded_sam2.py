"""Grounding DINO and SAM 2.1 as one instrument: a phrase found in a frame as boxes, which become masks.

Two seats: a phrase through a clip, found in its first frame and followed from there, and a phrase in single frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.neural.grounding_dino import NETWORK, WORDS, Detection, GroundingDinoT
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.sam2 import WEIGHTS, Frame, Mask, Sam2HieraBPlus

Found = tuple[NDArray[np.bool_], NDArray[np.float32]]


@dataclass(frozen=True)
class _GroundedSam2(NeuralInstrument):
    """The two networks and how they are set."""

    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    memory: ClassVar[float] = 7.0

    batch: int = 1
    """Frames at a time."""
    box_threshold: float = 0.35
    """A box is kept whose surest token is surer than this."""
    text_threshold: float = 0.25
    """A token belongs to its phrase that is surer than this."""
    several_masks: bool = True
    cut_memory: bool = True
    """Both as of the mask follower."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (NETWORK, WORDS, WEIGHTS)

    def build(self, device: str) -> tuple[GroundingDinoT, Sam2HieraBPlus]:
        same: dict[str, Any] = {"dtype": self.dtype, "tf32": self.tf32, "compiled": self.compiled}
        detector = GroundingDinoT(box_threshold=self.box_threshold, text_threshold=self.text_threshold, **same)
        follower = Sam2HieraBPlus(several_masks=self.several_masks, cut_memory=self.cut_memory, **same)
        for part in (detector, follower):
            part.load(device)
        return detector, follower

    def boxes(self, frame: Frame, phrase: str) -> list[Detection]:
        """What of the phrase is found in a frame, the surest first."""
        detector: GroundingDinoT = self.network[0]
        (found,) = detector.detections(frame[None], [phrase])
        return sorted(found, key=lambda detection: -detection.confidence)


@dataclass(frozen=True)
class GroundedSam2(_GroundedSam2):
    """The surest object of a phrase in the first frame, followed through the clip."""

    seat: ClassVar[str] = "phrase_follower"
    name: ClassVar[str] = "grounding_dino_sam2"

    def followed_phrase(self, frames: Sequence[Frame], phrase: str) -> Iterator[Mapping[int, tuple[Mask, float]]]:
        """Frame by frame its mask, and how surely it is there at all; nothing in frames that do not show it, nor where
        the first frame does not."""
        from worldgauge.instruments.neural.networks.sam2 import Prompt

        found = self.boxes(frames[0], phrase)
        if not found:
            yield from ({} for _ in frames)
            return
        follower: Sam2HieraBPlus = self.network[1]
        for pixels, there in follower.network.sightings(frames, [Prompt(box=found[0].box)]):
            mask = np.asarray((pixels[0] > 0).cpu().numpy())
            yield {0: (mask, float(there.sigmoid()[0]))} if mask.any() else {}


@dataclass(frozen=True)
class GroundedSam2Masks(_GroundedSam2):
    """Every object of a phrase in single frames, by the authors' way with single pictures."""

    seat: ClassVar[str] = "segmenter"
    name: ClassVar[str] = "grounding_dino_sam2_masks"
    version: ClassVar[int] = 2

    def segment(self, frames: Sequence[Frame], phrases: Sequence[str], threshold: float) -> list[Found]:
        """Per frame the masks (K, H, W) of the boxes found for its phrase, and the confidence, above the threshold, of
        each."""
        return [self._masks(frame, phrase, threshold) for frame, phrase in zip(frames, phrases, strict=True)]

    def _masks(self, frame: Frame, phrase: str, threshold: float) -> Found:
        found = [one for one in self.boxes(frame, phrase) if one.confidence > threshold]
        if not found:
            return np.zeros((0, *frame.shape[:2]), bool), np.zeros(0, np.float32)
        follower: Sam2HieraBPlus = self.network[1]
        masks = follower.shown_in_a_frame(frame, [one.box for one in found])
        return masks, np.array([one.confidence for one in found], np.float32)
