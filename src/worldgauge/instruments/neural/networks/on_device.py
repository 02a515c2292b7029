"""A GPU and the threads that feed it: frames go up once per case, networks are launched in turn, small results return.

Cases are worked on side by side by threads of one process. What a thread wants of a network it launches as a whole,
while no other launches, so that what lies on the device in between is that of one network; then it waits for its own
results, and the next one's work is queued already. On the CPU nothing of this is needed and nothing is done.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.core.errors import NoRoom

Tf32 = Literal["default", "off", "on"]
"""Whether products may be rounded to TF32: as torch does by itself (convolutions only), nowhere, everywhere."""
Frames = Sequence[NDArray[np.uint8]] | NDArray[np.uint8]

_TOGETHER = 16
"""Frames that go up at a time."""
_launching = threading.RLock()
_of_thread = threading.local()


class OnDevice(Protocol):
    """A network that is launched in turn."""

    device: torch.device
    tf32: Tf32
    batch: int
    owner: str
    """The instrument it is part of."""


class Clock:
    """How long the GPU had something of ours to do: from the first to the last kernel of each launch."""

    def __init__(self) -> None:
        self._open: deque[tuple[Any, Any]] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        try:
            yield
        finally:
            end.record()
            with self._lock:
                self._open.append((start, end))

    def seconds(self) -> float:
        """Of the launches that ended since the last call."""
        done = []
        with self._lock:
            # They end in the order in which they were launched.
            while self._open and self._open[0][1].query():
                done.append(self._open.popleft())
        return sum(float(start.elapsed_time(end)) for start, end in done) / 1000


CLOCK = Clock()


@contextmanager
def turn(network: OnDevice) -> Iterator[None]:
    """The right to launch a network. Nothing is recorded for gradients; a lack of memory is told with its name."""
    if network.device.type != "cuda":
        with torch.inference_mode():
            yield
        return
    try:
        with launching(network.device), products(network.tf32):
            yield
    except torch.cuda.OutOfMemoryError as error:
        torch.cuda.empty_cache()
        raise NoRoom(network.owner, network.batch) from error


@contextmanager
def launching(device: torch.device) -> Iterator[None]:
    """The right to launch something on a GPU while no other thread does; how long it takes there is counted."""
    with _launching, torch.inference_mode(), torch.cuda.device(device), CLOCK.running():
        yield


@contextmanager
def products(tf32: Tf32) -> Iterator[None]:
    """Products rounded as named; the process's own setting comes back afterwards."""
    if tf32 == "default":
        yield
        return
    convolutions, matrices = torch.backends.cudnn, torch.backends.cuda.matmul
    before = convolutions.allow_tf32, matrices.allow_tf32
    convolutions.allow_tf32 = matrices.allow_tf32 = tf32 == "on"
    try:
        yield
    finally:
        convolutions.allow_tf32, matrices.allow_tf32 = before


def uploaded(frames: Frames, device: torch.device) -> Tensor | list[Tensor]:
    """Frames (H, W, C) on the device: a tensor (N, H, W, C) on the CPU, else a tensor for each.

    A frame that nobody can write into goes up once per case, whatever the number of networks that look at it: through
    pinned memory, while the GPU is at work on something else.
    """
    if device.type != "cuda":
        # An array's order in memory would choose the convolutions' way of summing, and so the last digits.
        return torch.as_tensor(np.ascontiguousarray(frames))
    known = _seen(device)
    keys = [_place(frame) for frame in frames]
    new = {key: frame for key, frame in zip(keys, frames, strict=True) if key not in known}
    if new:
        # The frame is held beside its copy: as long as it lives, nothing else can lie at its place.
        there = _sent_up(list(new.values()), device)
        known.update((key, (frame, copy)) for (key, frame), copy in zip(new.items(), there, strict=True))
    found = [known[key][1] for key in keys]
    for key, frame in new.items():
        if frame.flags.writeable:
            del known[key]
    return found


def on_device_of(value: Tensor, frames: Frames) -> Tensor:
    """Frames as a stack where a value lies."""
    return stacked(uploaded(frames, value.device), range(len(frames)))


def stacked(rows: Tensor | list[Tensor], numbers: Sequence[int]) -> Tensor:
    """The rows of these numbers as one stack."""
    if isinstance(rows, list):
        return torch.stack([rows[number] for number in numbers])
    return rows[list(numbers)]


def forget() -> None:
    """Drop what this thread has sent up for its case."""
    getattr(_of_thread, "seen", {}).clear()


class Answer:
    """A result on its way back."""

    def __init__(self, found: Tensor) -> None:
        self._event: Any = None
        self._host = found
        if found.is_cuda:
            self._host = torch.empty(found.shape, dtype=found.dtype, pin_memory=True)
            self._host.copy_(found, non_blocking=True)
            self._event = torch.cuda.Event(blocking=True)
            self._event.record(torch.cuda.current_stream(found.device))

    def array(self) -> NDArray[Any]:
        """The result, once it is there."""
        if self._event is None:
            found: NDArray[Any] = self._host.numpy()
            return found
        self._event.synchronize()
        # A copy: pinned memory is scarce and goes back to who needs it next.
        return np.array(self._host.numpy())


class Graphs:
    """Calls whose kernels are recorded once per shape and then started by one launch instead of hundreds.

    A replay runs the same kernels on the same numbers, so its results are those of the plain call to the bit.
    """

    LIMIT: ClassVar[int] = 24
    """Shapes kept; the oldest goes. With 0 nothing is recorded."""

    def __init__(self) -> None:
        self._recorded: dict[Hashable, tuple[Any, list[Tensor], Any] | None] = {}
        self._pool: Any = None

    def call(self, name: Hashable, function: Callable[..., Any], *inputs: Tensor) -> Any:
        """`function(*inputs)`: a tensor or a tuple of them. Within a `turn`."""
        if inputs[0].device.type != "cuda" or not self.LIMIT:
            return function(*inputs)
        key = (name, *((tuple(part.shape), part.dtype) for part in inputs))
        if key not in self._recorded:
            if len(self._recorded) >= self.LIMIT:
                self._recorded.pop(next(iter(self._recorded)))
            self._recorded[key] = self._record(function, inputs)
        found = self._recorded[key]
        if found is None:
            return function(*inputs)
        graph, places, output = found
        for place, part in zip(places, inputs, strict=True):
            place.copy_(part)
        graph.replay()
        # The next replay writes over its output.
        return output.clone() if isinstance(output, Tensor) else type(output)(*(part.clone() for part in output))

    def _record(self, function: Callable[..., Any], inputs: Sequence[Tensor]) -> tuple[Any, list[Tensor], Any] | None:
        places = [part.clone() for part in inputs]
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        try:
            with torch.cuda.stream(beside):
                for _ in range(2):
                    function(*places)
            torch.cuda.current_stream().wait_stream(beside)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                output = function(*places)
        except torch.cuda.OutOfMemoryError:
            raise
        except RuntimeError:
            # What cannot be recorded is called as it is.
            torch.cuda.synchronize()
            return None
        return graph, places, output


def _sent_up(frames: Sequence[NDArray[Any]], device: torch.device) -> Iterator[Tensor]:
    """Copies on the device, a few frames at a time: pinned memory takes long to be had, and is soon used again."""
    for start in range(0, len(frames), _TOGETHER):
        rows = frames[start : start + _TOGETHER]
        pinned = torch.empty((len(rows), *rows[0].shape), dtype=_kind(rows[0]), pin_memory=True)
        host = pinned.numpy()
        for number, row in enumerate(rows):
            host[number] = row
        with torch.cuda.device(device):
            yield from pinned.to(device, non_blocking=True)


def _seen(device: torch.device) -> dict[Hashable, tuple[NDArray[Any], Tensor]]:
    seen: dict[Any, dict[Hashable, tuple[NDArray[Any], Tensor]]] | None = getattr(_of_thread, "seen", None)
    if seen is None:
        seen = _of_thread.seen = {}
    return seen.setdefault(device, {})


def _place(frame: NDArray[Any]) -> Hashable:
    """Where an array lies in memory, and how."""
    return frame.__array_interface__["data"][0], frame.shape, frame.strides, frame.dtype.str


def _kind(frame: NDArray[Any]) -> torch.dtype:
    return torch.from_numpy(np.empty(0, frame.dtype)).dtype
