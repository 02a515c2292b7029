"""First-frame masks of moving objects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.image_fit import crop_box

Mask = NDArray[np.bool_]

SUFFIXES = (".png", ".jpg")


def mask_files(folder: Path) -> list[Path]:
    """The files the released code takes as masks: lower-case png and jpg, sorted as text."""
    return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)


def read_masks(folder: Path) -> list[Mask]:
    """One mask (H, W) per file of a folder: everything above zero, in any channel."""
    return [read_mask(path) for path in mask_files(folder)]


def read_mask(file: Path) -> Mask:
    """One mask (H, W): everything above zero, in any channel."""
    from PIL import Image

    try:
        with Image.open(file) as image:
            pixels = np.asarray(image)
    except OSError as error:
        raise WorldGaugeError(f"mask {file} cannot be read ({error})", "restore the data set") from error
    return np.asarray(pixels > 0 if pixels.ndim == 2 else (pixels > 0).any(axis=2))


def fitted_union(masks: Sequence[Mask], size: tuple[int, int], *, crop: bool) -> Mask:
    """All masks in one, at the size (width, height) of a clip.

    `crop` cuts them as the conditioning image was cut; the released code squashes them instead, so they lie beside
    their objects wherever the aspect ratios differ.
    """
    import cv2

    merged = np.any(np.stack(masks), axis=0)
    if crop:
        left, top, right, bottom = crop_box((merged.shape[1], merged.shape[0]), size)
        merged = merged[top:bottom, left:right]
    resized = cv2.resize(merged.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return np.asarray(resized >= 0.5)
