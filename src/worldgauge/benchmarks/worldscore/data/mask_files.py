"""First-frame masks of moving objects, as WorldScore ships them: one picture per object."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.reading_pictures import read_picture

Mask = NDArray[np.bool_]

SUFFIXES = (".png", ".jpg")


def mask_files(folder: Path) -> list[Path]:
    """The files the released code takes as masks: lower-case png and jpg, sorted as text."""
    return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)


def read_mask(file: Path) -> Mask:
    """One mask (H, W): everything above zero, in any channel."""
    pixels = np.asarray(read_picture(file, "mask"))
    return np.asarray(pixels > 0 if pixels.ndim == 2 else (pixels > 0).any(axis=2))
