"""`Clip`: a video while it is being perceived. Decoded once, shared by every signal of the stage."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from worldgauge.core.case import Phases
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Image, Video

DEFAULT_MEMORY = 512 * 2**20
"""Bytes of frames kept in memory; longer clips go to an unnamed temporary file that the system pages in and out."""


class Frames(Sequence[Image]):
    """The frames a spec chose, as a sequence; each is resized at most once."""

    def __init__(self, clip: Clip, indices: list[int], spec: FrameSpec) -> None:
        self.indices = indices
        """Frame numbers in the clip."""
        self._clip = clip
        self._spec = spec

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, item: int) -> Image: ...
    @overload
    def __getitem__(self, item: slice) -> Frames: ...
    def __getitem__(self, item: int | slice) -> Image | Frames:
        if isinstance(item, slice):
            return Frames(self._clip, self.indices[item], self._spec)
        return self._clip.frame(self.indices[item], self._spec)

    def __iter__(self) -> Iterator[Image]:
        return (self._clip.frame(index, self._spec) for index in self.indices)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frames handed out."""
        return self._spec.output_size(*self._clip.size)


class Clip:
    """Frames of one video for the length of one stage. Frames are read-only arrays: signals share them."""

    def __init__(self, video: Video, phases: Phases | None = None, memory: int = DEFAULT_MEMORY) -> None:
        self.video = video
        self.phases = phases
        self.decodes = 0
        """How many passes over the file were made; one, unless frames were asked for that no plan named."""
        self._memory = memory
        self._buffers: dict[tuple[int, int, str], _Buffer] = {}
        self._planned: set[int] = set()

    @property
    def fps(self) -> float | None:
        return self.video.info.fps

    @property
    def count(self) -> int:
        """Frames in the whole clip."""
        return self.video.info.frames

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.video.info.width, self.video.info.height

    def expect(self, spec: FrameSpec) -> None:
        """Announce that a spec will be read, so that one decode serves every signal of the stage."""
        self._planned.update(spec.indices(self.count, self.phases))

    def frames(self, spec: FrameSpec | None = None) -> Frames:
        """The chosen frames; the file is decoded on first use."""
        spec = spec or FrameSpec()
        indices = spec.indices(self.count, self.phases)
        self._planned.update(indices)
        return Frames(self, indices, spec)

    def frame(self, index: int, spec: FrameSpec) -> Image:
        original = self._buffer(self.size, "decoded")
        if index not in original.slots:
            self._decode(original)
        size = spec.output_size(*self.size)
        if size == self.size:
            return original.get(index)
        resized = self._buffer(size, spec.interpolation)
        if index not in resized.slots:
            from worldgauge.media.resize import resize

            resized.put(index, resize(original.get(index), size, spec.interpolation))
        return resized.get(index)

    def _decode(self, buffer: _Buffer) -> None:
        self.decodes += 1
        for index, frame in self.video.decode(sorted(self._planned - buffer.slots.keys())):
            buffer.put(index, frame)

    def _buffer(self, size: tuple[int, int], kind: str) -> _Buffer:
        key = (*size, kind)
        if key not in self._buffers:
            self._buffers[key] = _Buffer(size, self.count, self._memory)
        return self._buffers[key]


class _Buffer:
    """Frames of one size, in memory up to a limit, else in an unnamed temporary file mapped into memory."""

    def __init__(self, size: tuple[int, int], count: int, memory: int) -> None:
        self.slots: dict[int, int] = {}
        shape = (count, size[1], size[0], 3)
        needed = int(np.prod(shape))
        # np.zeros reserves address space and takes memory only for the rows that are written.
        self._rows: Image = np.zeros(shape, np.uint8) if needed <= memory else _mapped(shape)

    def put(self, index: int, frame: Image) -> None:
        slot = self.slots[index] = len(self.slots)
        self._rows[slot] = frame

    def get(self, index: int) -> Image:
        view: Image = self._rows[self.slots[index]]
        view.flags.writeable = False
        return view


def _mapped(shape: tuple[int, ...]) -> Image:
    with tempfile.TemporaryFile(prefix="worldgauge-frames-") as file:
        mapped: Image = np.memmap(file, np.uint8, "w+", shape=shape)
        return mapped
