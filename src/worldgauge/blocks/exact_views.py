"""What is true of a rendered frame, kept under the frame's own pixels: where the camera is and what it sees.

A metric fed with it shows its own faults, not those of a network. A frame that a subject shows twice, or out of order,
is still found for what it shows. Only frames that were kept without loss are found again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.undisturbed import undisturbed

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """The truth of one shown frame."""

    pose: Floats
    """(4, 4) OpenCV camera-to-world, metres."""
    intrinsics: Floats
    """(3, 3) for pixels of the frame."""
    typical_depth: float
    """Median depth of the clip's first frame, metres: the unit in which camera paths are told."""
    clock: float
    """Seconds that have passed in the world."""
    target: str
    """The target's name."""
    visible: NDArray[np.bool_]
    """(H, W) the visible part of the target."""
    surface: NDArray[np.float32]
    """(D,) what the target is painted with: the same thing has the same numbers from any side and in any light."""


def remember_view(
    folder: Path, frame: Image, look: Callable[[], tuple[View, NDArray[np.float32]]], with_depth: bool
) -> None:
    """Keep what is true of a shown frame (H, W, 3), and `with_depth` its depth in metres (float16, inf for the sky).

    `look` gives both, and is called only where they are not known yet.
    """
    from worldgauge.blocks.truth_files import save_arrays

    file, metres = _file(folder, frame, "view.npz"), _file(folder, frame, "depth.npy")
    if file.exists() and (metres.exists() or not with_depth):
        return
    view, depth = look()
    arrays = vars(view) | {"visible": np.packbits(view.visible, axis=-1), "size": np.array(view.visible.shape)}
    if with_depth:
        _write(metres, lambda path: np.save(path, depth.astype(np.float16)))
    _write(file, lambda path: save_arrays(path, **{name: np.asarray(value) for name, value in arrays.items()}))


@undisturbed
def recall_view(folder: Path, frame: Image) -> View:
    """What was kept of a frame; `Unscored` for one that nobody rendered."""
    try:
        with np.load(_file(folder, frame, "view.npz"), allow_pickle=False) as kept:
            visible = np.unpackbits(kept["visible"], axis=-1, count=int(kept["size"][1])).astype(bool)
            depth, clock, target = (kept[name].item() for name in ("typical_depth", "clock", "target"))
            return View(kept["pose"], kept["intrinsics"], depth, clock, target, visible, kept["surface"])
    except FileNotFoundError as error:
        raise Unscored("the frame is not one that was rendered") from error


@undisturbed
def recall_metres(folder: Path, frame: Image) -> NDArray[np.float32]:
    """Depth (H, W) of a frame, metres; `Unscored` for one that nobody rendered."""
    try:
        return np.asarray(np.load(_file(folder, frame, "depth.npy"), allow_pickle=False), np.float32)
    except FileNotFoundError as error:
        raise Unscored("the frame is not one whose depth was kept") from error


def _write(file: Path, write: Callable[[Path], None]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".partial.{file.name}")
    write(partial)
    partial.replace(file)


def _file(folder: Path, frame: Image, ending: str) -> Path:
    name = blake2b(np.ascontiguousarray(frame).tobytes(), digest_size=16).hexdigest()
    return folder / name[:2] / f"{name}.{ending}"
