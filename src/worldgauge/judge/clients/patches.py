"""Pictures as models of the Qwen3-VL class read them: resized where they are opened, cut into patches on the device.

Their own preparer does the same in twenty times the time of a core; its settings are what counts here too.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


def opened(data: bytes, preparer: Any) -> Pixels:
    """A picture at the size that the model reads it, (H, W, 3)."""
    from PIL import Image
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

    picture = Image.open(io.BytesIO(data)).convert("RGB")
    size = preparer.size
    height, width = smart_resize(
        picture.height,
        picture.width,
        factor=preparer.patch_size * preparer.merge_size,
        min_pixels=size["shortest_edge"],
        max_pixels=size["longest_edge"],
    )
    if picture.size != (width, height):
        picture = picture.resize((width, height), preparer.resample)
    return np.array(picture)


def cut(pictures: Sequence[Pixels], preparer: Any, device: str) -> dict[str, Any]:
    """The model's inputs of several pictures: rows of patches, and how many there are each way."""
    import torch

    rows, grids = [], []
    for shape, alike in groupby(pictures, key=lambda picture: picture.shape):
        stack = torch.from_numpy(np.stack(list(alike))).to(device)
        rows.append(_patches(stack, preparer))
        grids += [[1, shape[0] // preparer.patch_size, shape[1] // preparer.patch_size]] * len(stack)
    return {"pixel_values": torch.cat(rows), "image_grid_thw": torch.tensor(grids, device=device)}


def _patches(stack: Any, preparer: Any) -> Any:
    """(N, H, W, 3) bytes to (patches, values): what is merged lies side by side, a still is its own next frame."""
    side, merged, frames = preparer.patch_size, preparer.merge_size, preparer.temporal_patch_size
    count, height, width, channels = stack.shape
    values = stack.permute(0, 3, 1, 2).float() * preparer.rescale_factor
    mean, spread = (values.new_tensor(one).view(-1, 1, 1) for one in (preparer.image_mean, preparer.image_std))
    values = (values - mean) / spread
    down, across = height // side // merged, width // side // merged
    blocks = values.reshape(count, channels, down, merged, side, across, merged, side)
    blocks = blocks.permute(0, 2, 5, 3, 6, 1, 4, 7).unsqueeze(6)
    blocks = blocks.expand(*blocks.shape[:6], frames, side, side)
    return blocks.reshape(-1, channels * frames * side * side)
