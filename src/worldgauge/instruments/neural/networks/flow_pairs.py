"""Flow of any pairs out of a stack of frames: every frame is encoded once, pairs go through in stacks of one size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from worldgauge.instruments.neural.networks.correlation import STRIDE
from worldgauge.instruments.neural.networks.on_device import Graphs, Tf32, stacked, turn, uploaded
from worldgauge.instruments.neural.stacks import index_stacks

ValueRange = Literal["signed", "unit"]
Padding = Literal["split", "right_bottom"]
OddSizes = Literal["fill", "cut"]
Pairs = Sequence[tuple[int, int]]
Frames: TypeAlias = Sequence[NDArray[np.uint8]] | NDArray[np.uint8] | Tensor


@dataclass(frozen=True)
class Fitting:
    """How frames become what a network sees, and its field one of the frames."""

    value_range: ValueRange = "signed"
    padding: Padding = "split"
    half: bool = False
    odd_sizes: OddSizes = "fill"

    def images(self, frames: Tensor) -> Tensor:
        """Bytes (N, H, W, 3) to (N, 3, h, w), the sides multiples of 8."""
        images = frames.permute(0, 3, 1, 2).float()
        if self.half:
            images = functional.interpolate(images, scale_factor=0.5, mode="bilinear", align_corners=False)
        images = images / 255
        if self.value_range == "signed":
            images = 2 * images - 1
        return functional.pad(images, self._margins(*images.shape[-2:]), mode="replicate")

    def field(self, flow: Tensor, height: int, width: int) -> Tensor:
        """The network's field (N, 2, h, w) for frames of a size: (N, H, W, 2).

        At half size frames of an odd size lose a row or a column; the last one of the field stands for it, or the
        field is as much smaller.
        """
        seen = (height // 2, width // 2) if self.half else (height, width)
        left, _, top, _ = self._margins(*seen)
        flow = flow[..., top : top + seen[0], left : left + seen[1]]
        if self.half:
            flow = 2 * functional.interpolate(flow, scale_factor=2, mode="bilinear", align_corners=False)
            if self.odd_sizes == "fill":
                flow = functional.pad(flow, (0, width % 2, 0, height % 2), mode="replicate")
        return flow.permute(0, 2, 3, 1)

    def _margins(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Left, right, top, bottom."""
        across, down = -width % STRIDE, -height % STRIDE
        if self.padding == "right_bottom":
            return 0, across, 0, down
        return across // 2, across - across // 2, down // 2, down - down // 2


class FlowPairs:
    """A flow network on a device: frames and pairs of their numbers in, fields out."""

    def __init__(
        self,
        network: Any,
        fitting: Fitting,
        updates: int,
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 8,
        tf32: Tf32 = "default",
        compiled: bool = False,
    ) -> None:
        """`network` has `encode` and `flow_between`, as RAFT has, and may say `channels_last`."""
        self.network = network.to(device).eval()
        # Convolutions on tensor cores want the channels of a pixel side by side; else each one turns its input around.
        side_by_side = device != "cpu" and getattr(network, "channels_last", False)
        self._layout = torch.channels_last if side_by_side else torch.contiguous_format
        if side_by_side:
            self.network.to(memory_format=self._layout)
        self.fitting = fitting
        self.updates = updates
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.batch = batch
        self.tf32 = tf32
        self.owner = type(self).__name__
        self._graphs = Graphs()
        self._encode, self._between = _translated(self._encode_plainly, compiled), _translated(self._flow, compiled)

    def flows(self, frames: Frames, pairs: Pairs) -> NDArray[np.float32]:
        """Displacements (P, H, W, 2) in px of each pixel of a pair's first frame towards its second."""
        fields = [field.cpu() for field in self.stacks(frames, pairs)]
        if not fields:
            return np.zeros((0, *frames[0].shape[:2], 2), np.float32)
        return np.ascontiguousarray(torch.cat(fields).numpy(), np.float32)

    def stacks(self, frames: Frames, pairs: Pairs) -> Iterator[Tensor]:
        """The same as tensors on the device, at most `batch` pairs at a time, so that they can be reduced there.

        Frames are encoded in the order in which pairs ask for them, and let go of after the last that does.
        """
        height, width = frames[0].shape[:2]
        waiting = list(dict.fromkeys(number for pair in pairs for number in pair))
        last_use = {number: row for row, pair in enumerate(pairs) for number in pair}
        held: dict[int, Any] = {}
        for rows, own in index_stacks(len(pairs), self.batch):
            chosen = [pairs[row] for row in rows]
            needed = {number for pair in chosen for number in pair}
            numbers: list[int] = []
            while not held.keys() | set(numbers) >= needed:
                numbers += waiting[: self.batch]
                waiting = waiting[self.batch :]
            images = self._sent(frames, numbers)
            with turn(self):
                for start in range(0, len(numbers), self.batch):
                    held |= self._encoded(images, numbers, start)
                first, second = (_joined([held[pair[side]] for pair in chosen]) for side in (0, 1))
                flow = self._graphs.call((type(first), len(first)), self._both(first, second), *first, *second)
                # Of its own: a part of the stack would keep all of it.
                field = self.fitting.field(flow[:own], height, width).contiguous()
            yield field
            held = {number: parts for number, parts in held.items() if last_use[number] > rows[own - 1]}

    def _sent(self, frames: Frames, numbers: Sequence[int]) -> Tensor | list[Tensor]:
        if isinstance(frames, Tensor):
            return frames[list(numbers)].to(self.device)
        return uploaded([frames[number] for number in numbers], self.device) if numbers else []

    def _encoded(self, images: Tensor | list[Tensor], numbers: Sequence[int], start: int) -> dict[int, Any]:
        own = numbers[start : start + self.batch]
        (rows, _), *_ = index_stacks(len(own), self.batch)
        stack = stacked(images, [start + row for row in rows])
        encoded = self._graphs.call("encode", self._encode, stack.contiguous())
        return {number: type(encoded)(*(part[row] for part in encoded)) for row, number in enumerate(own)}

    def _encode_plainly(self, stack: Tensor) -> Any:
        with self._numerics():
            return self.network.encode(self.fitting.images(stack).contiguous(memory_format=self._layout))

    def _both(self, first: Any, second: Any) -> Callable[..., Tensor]:
        """The flow as a function of tensors alone."""
        kind, size = type(first), len(first)

        def call(*parts: Tensor) -> Tensor:
            found: Tensor = self._between(kind(*parts[:size]), kind(*parts[size:]))
            return found

        return call

    def _flow(self, first: Any, second: Any) -> Tensor:
        with self._numerics():
            flow: Tensor = self.network.flow_between(first, second, self.updates).float()
        return flow

    def _numerics(self) -> AbstractContextManager[Any]:
        if self.dtype == torch.float32:
            return nullcontext()
        mixed: AbstractContextManager[Any] = torch.autocast(self.device.type, self.dtype, cache_enabled=False)
        return mixed


def _translated(function: Callable[..., Any], compiled: bool) -> Callable[..., Any]:
    """The function as kernels made for it, where that is asked for."""
    if not compiled:
        return function
    made: Callable[..., Any] = torch.compile(function, dynamic=False)
    return made


def _joined(rows: Sequence[Any]) -> Any:
    """Encoded frames, one by one, as a stack of them."""
    return type(rows[0])(*(torch.stack(parts) for parts in zip(*rows, strict=True)))
