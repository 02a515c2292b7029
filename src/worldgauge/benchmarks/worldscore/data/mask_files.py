"""First-frame masks of moving objects, as WorldScore ships them: one picture per object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.reading_pictures import read_picture

Mask = NDArray[np.bool_]

SUFFIXES = (".png", ".jpg")


def masks_of(folder: Path, listed: Sequence[str]) -> list[str]:
    """The masks of a world below `folder`: of those its record lists, the first names the folder, and every lower-case
    png and jpg there counts, sorted as text.

    Source: released code at commit 344983c. Where that folder is not on disk, the record's list stands.
    """
    if not listed:
        return []
    place = PurePosixPath(listed[0]).parent
    if not (folder / place).is_dir():
        return list(listed)
    names = sorted(path.name for path in (folder / place).iterdir() if path.name.endswith(SUFFIXES))
    return [(place / name).as_posix() for name in names]


def read_mask(file: Path) -> Mask:
    """One mask (H, W): everything above zero, in any channel."""
    pixels = np.asarray(read_picture(file, "mask"))
    return np.asarray(pixels > 0 if pixels.ndim == 2 else (pixels > 0).any(axis=2))
