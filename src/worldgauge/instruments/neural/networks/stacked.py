"""A network on a device that is always given stacks of one size: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from worldgauge.instruments.neural.stacks import in_stacks

CLIP_MEAN, CLIP_DEVIATION = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
IMAGENET_MEAN, IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Stacked:
    """Base of the stack protocol: rows go through the module `batch` at a time, the last stack padded."""

    def __init__(self, module: nn.Module, device: str = "cpu", dtype: str = "float32", batch: int = 8) -> None:
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.batch = batch
        self.module = module.to(device=self.device, dtype=self.dtype).eval()

    def run(self, call: Callable[..., Tensor], *columns: NDArray[Any]) -> NDArray[np.float32]:
        """The results of `call`, which is given tensors on the device, for columns of one length."""
        found = self.run_on_device(call, *columns)
        return np.zeros(0, np.float32) if found is None else np.asarray(found.float().cpu().numpy(), np.float32)

    def run_on_device(self, call: Callable[..., Any], *columns: NDArray[Any]) -> Any:
        """The same as tensors on the device, or tuples of them; `None` where there are no rows."""

        def on_device(*parts: NDArray[Any]) -> Any:
            # An array's order in memory would choose the convolutions' way of summing, and so the last digits.
            return call(*(torch.as_tensor(part).to(self.device).contiguous() for part in parts))

        with torch.inference_mode():
            return in_stacks(on_device, self.batch, *columns)

    def normalised(self, frames: Tensor, mean: Sequence[float], deviation: Sequence[float]) -> Tensor:
        """Frames (N, H, W, 3), bytes or numbers in [0, 1], as the module wants them: (N, 3, H, W)."""
        values = in_unit_range(frames)
        shift, scale = (values.new_tensor(part).view(3, 1, 1) for part in (mean, deviation))
        return ((values - shift) / scale).to(self.dtype)


def in_unit_range(frames: Tensor) -> Tensor:
    """Frames (N, H, W, 3) as (N, 3, H, W) in [0, 1], float32."""
    values = frames.permute(0, 3, 1, 2)
    return values.float() / 255 if frames.dtype == torch.uint8 else values.float()
