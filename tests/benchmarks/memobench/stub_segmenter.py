"""A segmenter included by a test: what it finds can be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class StubSegmenter(Instrument):
    """Three masks in every frame: all of it, surest; its left six tenths; a tenth, less sure the longer the phrase."""

    seat: ClassVar[str] = "segmenter"
    name: ClassVar[str] = "stub_segmenter"

    def segment(
        self, frames: np.ndarray, phrases: Sequence[str], threshold: float
    ) -> list[tuple[np.ndarray, list[float]]]:
        assert threshold == 0.0
        height, width = frames.shape[1:3]
        masks = np.zeros((3, height, width), bool)
        masks[0] = True
        masks[1, :, : round(0.6 * width)] = True
        masks[2, : round(0.1 * height)] = True
        return [(masks, [0.99, 0.8, 1 / len(phrase.split())]) for phrase in phrases]


INSTRUMENTS.add(StubSegmenter.name, StubSegmenter, f"stub_segmenter:{StubSegmenter.__name__}")
