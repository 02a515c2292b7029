"""Arrays and tensors of any layout as frames: uint8 RGB (T, H, W, 3). What could be read in two ways is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

COMMON_LAYOUTS = ("CTHW", "TCHW", "THCW", "THWC")
"""Layouts considered when none is stated: channels stand anywhere, time before rows before columns."""
CHANNELS = (1, 3)
"""Grey or RGB."""

Range = tuple[float, float]


def is_array(value: object) -> bool:
    """Whether it is a NumPy array or a tensor; no library is imported to find out."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def to_frames(array: Any, layout: str | None = None, value_range: Range | None = None) -> NDArray[np.uint8]:
    """One clip as uint8 RGB (T, H, W, 3). `value_range` says what black and white are in an array of floats.

    >>> to_frames(np.ones((2, 3, 4, 5), np.float32), "TCHW", (0, 1)).shape
    (2, 4, 5, 3)
    """
    numbers = to_numpy(array)
    chosen = check_layout(layout, "TCHW") if layout is not None else only_layout(numbers.shape)
    if numbers.ndim != 4:
        raise WorldGaugeError(f"layout {chosen} has 4 axes, the array has shape {numbers.shape}")
    channels = numbers.shape[chosen.index("C")]
    if channels not in CHANNELS:
        raise WorldGaugeError(
            f"layout {chosen} on shape {numbers.shape} means {channels} channels", "3 (RGB) or 1 (grey) can be measured"
        )
    if 0 in numbers.shape:
        raise WorldGaugeError(f"an array of shape {numbers.shape} holds no frame")
    levels = to_levels(numbers, value_range)
    turned = levels.transpose([chosen.index(axis) for axis in "THWC"])
    if channels == 1:
        turned = np.repeat(turned, 3, axis=3)
    # A copy: what the caller does to his array afterwards must not change the clip.
    frames: NDArray[np.uint8] = np.array(turned, order="C")
    frames.flags.writeable = False
    return frames


def to_numpy(array: Any) -> NDArray[Any]:
    """A NumPy view or copy of an array or tensor, on whatever device; half types become float32."""
    if hasattr(array, "detach"):
        tensor = array.detach()
        # NumPy has no bfloat16.
        tensor = tensor.float() if tensor.is_floating_point() else tensor
        return np.asarray(tensor.cpu())
    return np.asarray(array)


def to_levels(numbers: NDArray[Any], value_range: Range | None) -> NDArray[np.uint8]:
    """uint8 as it is; floats from `value_range` to 0 ... 255, rounded to the nearest."""
    if numbers.dtype == np.uint8:
        return numbers
    if numbers.dtype.kind != "f":
        raise WorldGaugeError(f"frames of type {numbers.dtype} cannot be read", "give uint8, or floats and value_range")
    if value_range is None:
        raise WorldGaugeError("float frames need value_range", "say value_range=(0, 1), (-1, 1) or what they have")
    low, high = value_range
    if not low < high:
        raise WorldGaugeError(f"value_range {value_range} is empty", "give (black, white)")
    if numbers.size:
        least, most = float(numbers.min()), float(numbers.max())
        # A NaN makes both comparisons false.
        if not (least >= low and most <= high):
            raise WorldGaugeError(
                f"values go from {least:g} to {most:g}, outside value_range ({low:g}, {high:g})",
                "clip them, or state the range they have",
            )
    wide = numbers.astype(np.float32) if numbers.dtype == np.float16 else numbers
    levels: NDArray[np.uint8] = np.floor((wide - low) * (255.0 / (high - low)) + 0.5).astype(np.uint8)
    return levels


def check_layout(layout: str, axes: str) -> str:
    """The layout, if it names each of these axes once."""
    if sorted(layout) != sorted(axes):
        names = ", ".join(axes)
        raise WorldGaugeError(f"layout '{layout}' must name each of {names} once", f"write for example {axes}")
    return layout


def only_layout(shape: tuple[int, ...]) -> str:
    """The one common layout a shape fits.

    >>> only_layout((16, 3, 64, 96))
    'TCHW'
    """
    if len(shape) == 5:
        raise WorldGaugeError(f"an array of shape {shape} is a batch", "give one video, or use Gauge for batches")
    if len(shape) != 4:
        raise WorldGaugeError(f"an array of shape {shape} is no video", "give time, rows, columns and channels")
    fitting = [layout for layout in COMMON_LAYOUTS if shape[layout.index("C")] in CHANNELS]
    if len(fitting) != 1:
        which = f"fits {' and '.join(fitting)}" if fitting else f"fits none of {', '.join(COMMON_LAYOUTS)}"
        raise WorldGaugeError(f"an array of shape {shape} {which}", "say which with layout=")
    return fitting[0]


def split_batch(batch: Any, layout: str) -> list[Any]:
    """The clips of a batch along its axis B; a list of clips is taken as it is.

    >>> [clip.shape for clip in split_batch(np.zeros((2, 9, 3, 4, 5)), "BTCHW")]
    [(9, 3, 4, 5), (9, 3, 4, 5)]
    """
    if isinstance(batch, (list, tuple)):
        return list(batch)
    if not is_array(batch):
        raise WorldGaugeError(f"a batch is an array, a tensor or a list of them, not {type(batch).__name__}")
    if "B" not in layout:
        return [batch]
    if len(batch.shape) != 5:
        raise WorldGaugeError(f"layout {layout} has 5 axes, the batch has shape {tuple(batch.shape)}")
    position = layout.index("B")
    before = (slice(None),) * position
    return [batch[(*before, i)] for i in range(batch.shape[position])]
