"""A network on a device that is always given stacks of one size: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from worldgauge.instruments.neural.networks.on_device import Answer, Graphs, Tf32, stacked, turn, uploaded
from worldgauge.instruments.neural.stacks import in_stacks, index_stacks

CLIP_MEAN, CLIP_DEVIATION = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
IMAGENET_MEAN, IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Stacked:
    """Base of the stack protocol: `batch` rows at a time, the last stack padded; on a CPU one by one."""

    def __init__(
        self,
        module: nn.Module,
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 8,
        tf32: Tf32 = "default",
    ) -> None:
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        # On a CPU a stack gains little, and some processors add up otherwise where a row ends a tile.
        self.batch = 1 if self.device.type == "cpu" else batch
        self.tf32 = tf32
        self.owner = type(self).__name__
        self.module = module.to(device=self.device, dtype=self.dtype).eval()
        self._graphs = Graphs()

    def run(self, call: Callable[..., Tensor], *columns: Any) -> NDArray[np.float32]:
        """The results of `call`, which is given tensors on the device, for columns of one length: arrays, or lists of
        frames. `call` is a method, or a partial of one; what it does depends on nothing but that and its arguments."""
        if not len(columns[0]):
            return np.zeros(0, np.float32)
        rows = [uploaded(column, self.device) for column in columns]
        with turn(self):
            results = [
                self._graphs.call(_name(call), call, *(stacked(column, numbers) for column in rows))[:own]
                for numbers, own in index_stacks(len(columns[0]), self.batch)
            ]
            answer = Answer(torch.cat(results).float())
        return np.asarray(answer.array(), np.float32)

    def run_on_device(self, call: Callable[..., Any], *columns: NDArray[Any]) -> Any:
        """The results of `call` as tensors on the device, or tuples of them; `None` where there are no rows. Nothing is
        recorded, so that `call` may look at what it computes."""
        rows = [torch.as_tensor(np.ascontiguousarray(column)).to(self.device) for column in columns]
        with turn(self):
            return in_stacks(call, self.batch, *rows)

    def normalised(self, frames: Tensor, mean: Sequence[float], deviation: Sequence[float]) -> Tensor:
        """Frames (N, H, W, 3), bytes or numbers in [0, 1], as the module wants them: (N, 3, H, W)."""
        return normalised(frames, mean, deviation).to(self.dtype)


def normalised(frames: Tensor, mean: Sequence[float], deviation: Sequence[float]) -> Tensor:
    """Frames (N, H, W, 3), bytes or numbers in [0, 1], with this mean and deviation of a channel taken out."""
    values = in_unit_range(frames)
    shift, scale = (constant(values, part) for part in (mean, deviation))
    return (values - shift) / scale


def constant(like: Tensor, numbers: Sequence[float]) -> Tensor:
    """One number per channel on the device of `like`, (C, 1, 1); made there, so that nothing has to be sent."""
    return torch.stack([torch.full((1, 1), number, dtype=like.dtype, device=like.device) for number in numbers])


def in_unit_range(frames: Tensor) -> Tensor:
    """Frames (N, H, W, 3) as (N, 3, H, W) in [0, 1], float32."""
    values = frames.permute(0, 3, 1, 2)
    return values.float() / 255 if frames.dtype == torch.uint8 else values.float()


def _name(call: Any) -> Any:
    """What tells one call from another: its function, and the arguments that are fixed already."""
    function, fixed = getattr(call, "func", call), getattr(call, "args", ())
    return getattr(function, "__qualname__", type(function).__qualname__), fixed
