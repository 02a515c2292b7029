"""Stand-ins for the networks, included by a test: each answers something that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class StubDetector(Instrument):
    """Finds the first object asked for and nothing else."""

    seat: ClassVar[str] = "detector"
    name: ClassVar[str] = "stub_detector"

    def phrases(self, frames: np.ndarray, captions: Sequence[str]) -> list[list[str]]:
        return [[f"{caption.rstrip('.').split(', ')[0]}(0.50)"] for caption in captions]


@dataclass(frozen=True)
class StubTextImage(Instrument):
    """Likes every picture alike."""

    seat: ClassVar[str] = "text_image"
    name: ClassVar[str] = "stub_text_image"

    def similarities(self, frames: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        assert frames.shape == (len(texts), 512, 512, 3)
        return np.full(len(frames), 27.0)


@dataclass(frozen=True)
class StubQuality(Instrument):
    seat: ClassVar[str] = "image_quality"
    name: ClassVar[str] = "stub_quality"

    def scores(self, frames: np.ndarray) -> np.ndarray:
        return np.full(len(frames), 0.6)


@dataclass(frozen=True)
class StubAesthetic(Instrument):
    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "stub_aesthetic"

    def scores(self, frames: np.ndarray) -> np.ndarray:
        return np.full(len(frames), 5.5)


@dataclass(frozen=True)
class StubDistance(Instrument):
    seat: ClassVar[str] = "perceptual_distance"
    name: ClassVar[str] = "stub_distance"

    def distances(self, frames: np.ndarray, references: np.ndarray) -> np.ndarray:
        return np.full(len(frames), 0.01)


for stub in (StubDetector, StubTextImage, StubQuality, StubAesthetic, StubDistance):
    INSTRUMENTS.add(stub.name, stub, f"stub_networks:{stub.__name__}")
