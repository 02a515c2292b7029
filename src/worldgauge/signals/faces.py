"""Faces in each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import InStacks, in_stacks
from worldgauge.functional.masks import Box


@dataclass(frozen=True, eq=False)
class Face:
    """One face in one frame."""

    box: Box
    """Px of the frame."""
    confidence: float
    vector: NDArray[np.float32]
    """(d,) unit vector that tells people apart."""


class FacesInstrument(InStacks, Protocol):
    """What the seat `faces` offers."""

    def faces(self, frames: NDArray[np.uint8]) -> Sequence[Sequence[Face]]:
        """The faces of each of RGB frames (N, H, W, 3), surest first."""


@signal(version=1, reads=("video",), seat="faces", cost=0.1)
def frame_faces(clip: Clip, faces: FacesInstrument) -> Arrays:
    """All faces of all frames: `frame` (F,), `box` (F, 4) in pixels, `confidence` (F,), `vectors` (F, d)."""
    of_frames = in_stacks(faces, faces.faces, clip.frames())
    found = [(index, face) for index, of_frame in enumerate(of_frames) for face in of_frame]
    if not found:
        raise Unscored("no face in any frame")
    return {
        "frame": np.array([index for index, _ in found]),
        "box": np.array([face.box for _, face in found]),
        "confidence": np.array([face.confidence for _, face in found]),
        "vectors": np.stack([face.vector for _, face in found]),
    }
