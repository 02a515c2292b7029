"""Grounding DINO as an instrument: objects named in a caption, found in a frame (Liu et al., 2023)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import bounded_size, resized
from worldgauge.instruments.neural.pretrained import config_beside
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.neural.words import CaptionWords

Frames = NDArray[np.uint8]
NETWORK, WORDS = "grounding_dino_t", "bert_words"
SHORTER, LONGER = 800, 1333
"""Px a frame's shorter side becomes, and what its longer one may at most be."""


@dataclass(frozen=True)
class Detection:
    """One object found in a frame."""

    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 in px of the frame; it may reach beyond it."""
    confidence: float
    phrase: str
    """The words of the caption it is, as the tokenizer puts them together; may be empty."""

    @property
    def told(self) -> str:
        """The phrase with its confidence cut after four signs, as the authors' helper writes it.

        >>> Detection((0.0, 0.0, 1.0, 1.0), 0.5149, "lamp").told
        'lamp(0.51)'
        """
        return f"{self.phrase}({str(self.confidence)[:4]})"


@dataclass(frozen=True)
class GroundingDinoT(NeuralInstrument):
    """Objects of a caption found in a frame, by Grounding DINO with Swin-T."""

    seat: ClassVar[str] = "detector"
    name: ClassVar[str] = "grounding_dino_t"
    version: ClassVar[int] = 2
    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    memory: ClassVar[float] = 3.0

    batch: int = 1
    """Frames it is handed at a time; each goes through by itself, with its own caption, as the authors do it."""
    box_threshold: float = 0.35
    """A box is kept whose surest token is surer than this."""
    text_threshold: float = 0.25
    """A token belongs to its phrase that is surer than this."""
    marks: Literal["drop", "keep"] = "drop"
    """Whether the marks before and after a caption can be part of a phrase. The authors' code did so once; now it drops
    them, and so does transformers."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (NETWORK, WORDS)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return bounded_size(width, height, SHORTER, LONGER)

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.grounding_dino import Grounding, grounding_dino_from

        files = self.weight_files()
        network = grounding_dino_from(read_state(files[NETWORK]), config_beside(files[NETWORK]))
        return Grounding(network, device, self.dtype), CaptionWords(files[WORDS])

    def phrases(self, frames: Frames, captions: Sequence[str]) -> list[list[str]]:
        """Per frame the phrases of its caption found in it, each with its confidence cut after four signs."""
        return [[found.told for found in of_frame] for of_frame in self.detections(frames, captions)]

    def detections(self, frames: Frames, captions: Sequence[str]) -> list[list[Detection]]:
        """What of its caption is found in each of RGB frames (N, H, W, 3), in the order of the network's queries."""
        return [self._detected(frame, caption) for frame, caption in zip(frames, captions, strict=True)]

    def _detected(self, frame: NDArray[np.uint8], caption: str) -> list[Detection]:
        network, words = self.network
        height, width = frame.shape[:2]
        tokens = words.tokens(caption, network.longest_text)
        picture = resized(frame[None], self.working_size(width, height), "bilinear")[0]
        probabilities, boxes = network.answer(picture, tokens)
        return self.detected(probabilities, boxes, (width, height), lambda meant: words.text(tokens[meant]))

    def detected(
        self,
        probabilities: NDArray[np.float32],
        boxes: NDArray[np.float32],
        size: tuple[int, int],
        text: Callable[[NDArray[np.bool_]], str],
    ) -> list[Detection]:
        """What the network's answer names: `probabilities` (queries, T) of the caption's tokens, `boxes` (queries, 4)
        as centre, width and height in shares of a frame of `size`. `text` makes a phrase of the chosen tokens (T,)."""
        width, height = size
        found = []
        for query in np.flatnonzero(probabilities.max(1) > self.box_threshold):
            meant = probabilities[query] > self.text_threshold
            if self.marks == "drop":
                meant[[0, -1]] = False
            across, down, wide, high = (float(part) for part in boxes[query])
            box = (
                (across - wide / 2) * width, (down - high / 2) * height,
                (across + wide / 2) * width, (down + high / 2) * height,
            )  # fmt: skip
            found.append(Detection(box, float(probabilities[query].max()), text(meant)))
        return found
