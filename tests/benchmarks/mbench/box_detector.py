"""A detector for tests, to be included: it finds the red rectangle of a frame, beside a box of everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class Seen:
    box: tuple[float, float, float, float]
    confidence: float
    phrase: str


@dataclass(frozen=True)
class RedBox(Instrument):
    seat: ClassVar[str] = "detector"
    name: ClassVar[str] = "red_box"

    def detections(self, frames: np.ndarray, captions: Sequence[str]) -> list[list[Seen]]:
        found = []
        for frame, caption in zip(frames, captions, strict=True):
            rows, columns = np.nonzero(frame[..., 0] > 200)
            if "nowhere" in caption or not len(rows):
                found.append([])
                continue
            box = (columns.min() - 0.0, rows.min() - 0.0, columns.max() + 1.0, rows.max() + 1.0)
            everything = (-2.0, -1.0, frame.shape[1] + 3.0, frame.shape[0] + 1.0)
            found.append([Seen(everything, 0.9, caption), Seen(box, 0.6, caption), Seen((0, 0, 9, 9), 0.5, "")])
        return found


@dataclass(frozen=True)
class OnlyPhrases(Instrument):
    seat: ClassVar[str] = "detector"
    name: ClassVar[str] = "only_phrases"


if "red_box" not in INSTRUMENTS.names():
    INSTRUMENTS.add("red_box", RedBox, f"{__name__}:RedBox")
    INSTRUMENTS.add("only_phrases", OnlyPhrases, f"{__name__}:OnlyPhrases")
