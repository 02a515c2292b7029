"""How the official code brings a frame to a network's size, with Pillow or OpenCV, on the CPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Frames = Sequence[Bytes] | Bytes
"""RGB frames (H, W, 3) of one size: a stack of them, or one after the other, where none need be copied."""
PATCH = 14
DEPTH_SIDE = 518
"""Pixels Depth Anything was trained at."""


def short_side_size(width: int, height: int, side: int) -> tuple[int, int]:
    """Width and height with the shorter one `side`; the other is cut to a whole number.

    >>> short_side_size(832, 480, 224), short_side_size(300, 400, 224)
    ((388, 224), (224, 298))
    """
    short = min(width, height)
    return int(side * width / short), int(side * height / short)


def bounded_size(width: int, height: int, shorter: int, longer: int) -> tuple[int, int]:
    """Width and height with the shorter one `shorter`, or less where the other would exceed `longer`; that other one is
    cut to a whole number.

    >>> bounded_size(832, 480, 800, 1333), bounded_size(480, 640, 800, 1333), bounded_size(640, 160, 800, 1333)
    ((1332, 769), (800, 1066), (1332, 333))
    """
    short, long = min(width, height), max(width, height)
    if long / short * shorter > longer:
        shorter = round(longer * short / long)
    return short_side_size(width, height, shorter)


def crop_offset(length: int, side: int) -> int:
    """Where a centred crop begins; halves go to the even number, as in torchvision.

    >>> crop_offset(388, 224), crop_offset(227, 224), crop_offset(225, 224)
    (82, 2, 0)
    """
    return round((length - side) / 2)


def height_and_width(frames: Frames) -> tuple[int, int]:
    """Of each frame."""
    height, width = frames[0].shape[:2]
    return height, width


def squares(frames: Frames, short_side: int, crop: int) -> Bytes:
    """Frames resized by Pillow's bicubic filter to this shorter side, their centre `crop` px square."""
    if not len(frames):
        return np.zeros((0, crop, crop, 3), np.uint8)
    height, width = height_and_width(frames)
    size = short_side_size(width, height, short_side)
    top, left = crop_offset(size[1], crop), crop_offset(size[0], crop)
    return np.asarray(resized(frames, size))[:, top : top + crop, left : left + crop]


def resized(frames: Frames, size: tuple[int, int], filtered: Literal["bicubic", "bilinear"] = "bicubic") -> Frames:
    """Frames at (width, height), by Pillow's filter of that name."""
    from PIL import Image

    if size == height_and_width(frames)[::-1]:
        return frames
    by = Image.Resampling[filtered.upper()]
    pictures = (Image.fromarray(frame).resize(size, by) for frame in frames)
    return np.stack([np.asarray(picture) for picture in pictures])


def least_scaled_size(width: int, height: int) -> tuple[int, int]:
    """transformers' rule for Depth Anything: one side becomes 518, the one that changes less; both multiples of 14.

    >>> least_scaled_size(640, 360), least_scaled_size(320, 180), least_scaled_size(1080, 1920)
    ((518, 294), (518, 294), (518, 924))
    """
    across, down = DEPTH_SIDE / width, DEPTH_SIDE / height
    scale = across if abs(1 - across) < abs(1 - down) else down
    return round(scale * width / PATCH) * PATCH, round(scale * height / PATCH) * PATCH


def covering_size(width: int, height: int) -> tuple[int, int]:
    """The authors' rule for Depth Anything: the shorter side becomes 518; both multiples of 14.

    >>> covering_size(640, 360), covering_size(360, 640)
    ((924, 518), (518, 924))
    """
    scale = max(DEPTH_SIDE / width, DEPTH_SIDE / height)
    return _multiple(scale * width), _multiple(scale * height)


def _multiple(length: float) -> int:
    nearest = round(length / PATCH) * PATCH
    return nearest if nearest >= DEPTH_SIDE else math.ceil(length / PATCH) * PATCH


def covering(frames: Frames) -> NDArray[np.float32]:
    """Frames by the authors' rule: numbers in [0, 1], enlarged by OpenCV's cubic filter."""
    import cv2

    size = covering_size(*height_and_width(frames)[::-1])
    pictures = (cv2.resize(frame / 255.0, size, interpolation=cv2.INTER_CUBIC) for frame in frames)
    return np.stack([np.asarray(picture, np.float32) for picture in pictures])
