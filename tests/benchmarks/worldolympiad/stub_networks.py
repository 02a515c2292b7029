"""Instruments included by a test: a box in every frame, and a likeness that tells the frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class StubBoxes(Instrument):
    """One thing in the upper left corner."""

    seat: ClassVar[str] = "phrase_follower"
    name: ClassVar[str] = "stub_boxes"

    def followed_phrase(
        self, frames: Sequence[np.ndarray], phrase: str
    ) -> Iterator[Mapping[int, tuple[np.ndarray, float]]]:
        for frame in frames:
            mask = np.zeros(frame.shape[:2], bool)
            mask[3:12, 3:15] = True
            yield {1: (mask, 0.9)} if phrase == "red ball" else {}


@dataclass(frozen=True)
class StubLikeness(Instrument):
    """A hundredth of the grey, so that a mean over frames is easy to compute."""

    seat: ClassVar[str] = "text_image"
    name: ClassVar[str] = "stub_likeness"
    most_tokens: ClassVar[int] = 3

    def similarities(self, frames: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        return frames.reshape(len(frames), -1).mean(axis=1) / 10

    def tokens_of(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


for made in (StubBoxes, StubLikeness):
    INSTRUMENTS.add(made.name, made, f"stub_networks:{made.__name__}")
