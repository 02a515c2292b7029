"""Stand-ins for the networks, included by a test: each answers something that can be worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class StubDetector(Instrument):
    """Finds the first object asked for and nothing else."""

    seat: ClassVar[str] = "detector"
    name: ClassVar[str] = "stub_detector"

    def phrases(self, image: np.ndarray, caption: str) -> list[str]:
        return [f"{caption.rstrip('.').split(', ')[0]}(0.50)"]


@dataclass(frozen=True)
class StubTextImage(Instrument):
    """Likes every picture alike."""

    seat: ClassVar[str] = "text_image"
    name: ClassVar[str] = "stub_text_image"

    def similarity(self, image: np.ndarray, text: str) -> float:
        assert image.shape == (512, 512, 3)
        return 27.0


@dataclass(frozen=True)
class StubQuality(Instrument):
    seat: ClassVar[str] = "image_quality"
    name: ClassVar[str] = "stub_quality"

    def score(self, image: np.ndarray) -> float:
        return 0.6


@dataclass(frozen=True)
class StubAesthetic(Instrument):
    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "stub_aesthetic"

    def score(self, image: np.ndarray) -> float:
        return 5.5


@dataclass(frozen=True)
class StubDistance(Instrument):
    seat: ClassVar[str] = "perceptual_distance"
    name: ClassVar[str] = "stub_distance"

    def distance(self, image: np.ndarray, reference: np.ndarray, *, unsigned: bool = False) -> float:
        return 0.01


for stub in (StubDetector, StubTextImage, StubQuality, StubAesthetic, StubDistance):
    INSTRUMENTS.add(stub.name, stub, f"stub_networks:{stub.__name__}")
