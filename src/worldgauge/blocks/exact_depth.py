"""True depth as an instrument: what a perfect depth network would say of a rendered frame.

A metric fed with it shows its own faults, not the network's. Maps are found by the frame's own pixels, so the metric
reads a subject's video like any other video.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.core.undisturbed import undisturbed

SHRINK = 2
"""Every second pixel is kept: likeness of whole maps does not need more."""


def remember_depth(folder: Path, frame: NDArray[np.uint8], render: Callable[[], NDArray[np.float32]]) -> None:
    """Keep the inverse depth of a shown frame (H, W, 3); `render` gives metres (H, W) and is called only if needed."""
    file = _file(folder, frame)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(f".{file.name}.partial.npy")
        np.save(partial, (1.0 / render()[::SHRINK, ::SHRINK]).astype(np.float16))
        partial.replace(file)


@dataclass(frozen=True)
class RenderedDepth(Instrument):
    """Inverse depth, as depth networks give it, of frames that a gauge block's renderer drew."""

    seat: ClassVar[str] = "image_depth"
    name: ClassVar[str] = "rendered_depth"

    folder: str = ""
    """Where `remember_depth` kept the maps."""

    def identity(self) -> dict[str, Any]:
        # A map belongs to the pixels of its frame; where it lies changes no number.
        return {"name": self.name, "version": self.version, "parameters": {}}

    def unavailable(self) -> str | None:
        return None if Path(self.folder).is_dir() and self.folder else "needs a folder of rendered depth maps"

    def depths(self, frames: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Of RGB frames (N, H, W, 3): (N, h, w) 1/m; 0 for the sky."""
        return np.stack([self.depth(frame) for frame in frames])

    @undisturbed
    def depth(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Of one frame."""
        try:
            return np.asarray(np.load(_file(Path(self.folder), image), allow_pickle=False), np.float32)
        except FileNotFoundError as error:
            raise Unscored("the frame is not one that was rendered") from error


def _file(folder: Path, frame: NDArray[np.uint8]) -> Path:
    name = blake2b(np.ascontiguousarray(frame).tobytes(), digest_size=16).hexdigest()
    return folder / name[:2] / f"{name}.npy"
