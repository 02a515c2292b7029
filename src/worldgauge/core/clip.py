"""`Clip`: a video while it is being perceived. Decoded once, shared by every signal of the stage."""

from __future__ import annotations

import mmap
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from copy import copy
from functools import partial
from typing import Protocol, overload

import numpy as np

from worldgauge.core.case import Phases
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Image, Video

DEFAULT_MEMORY = 128 * 2**20
"""Bytes of frames kept in memory; longer clips go to an unnamed temporary file that the system pages in and out."""
_AT_HAND = 32 * 2**20
"""Bytes of such a file that are mapped at a time."""


class KeptFrames(Protocol):
    """Resized frames of a video that were kept from an earlier time."""

    def frame(self, index: int, size: tuple[int, int], interpolation: str) -> Image | None:
        """The frame, if it was kept."""

    def note(self, index: int, size: tuple[int, int], interpolation: str, frame: Image) -> None:
        """A frame that was not."""


class Frames(Sequence[Image]):
    """The frames a spec chose, as a sequence; each is decoded and resized at most once."""

    def __init__(self, decoded: _Decoded, indices: list[int], spec: FrameSpec) -> None:
        self.indices = indices
        """Frame numbers in the clip."""
        self._decoded = decoded
        self._spec = spec

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, item: int) -> Image: ...
    @overload
    def __getitem__(self, item: slice) -> Frames: ...
    def __getitem__(self, item: int | slice) -> Image | Frames:
        if isinstance(item, slice):
            return Frames(self._decoded, self.indices[item], self._spec)
        return self._decoded.frame(self.indices[item], self._spec)

    def __iter__(self) -> Iterator[Image]:
        self._decoded.bring_all(self.indices, self._spec)
        return (self._decoded.frame(index, self._spec) for index in self.indices)

    @property
    def video(self) -> Video:
        """Where they come from."""
        return self._decoded.video

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frames handed out."""
        return self._spec.output_size(*self._decoded.size)


class Clip:
    """What a signal reads: a video's frames under the signal's own spec, read-only and shared with other signals."""

    def __init__(
        self,
        video: Video,
        phases: Phases | None = None,
        spec: FrameSpec | None = None,
        memory: int = DEFAULT_MEMORY,
    ) -> None:
        self.phases = phases
        self.spec = spec or FrameSpec()
        self._decoded = _Decoded(video, memory)

    def remember(self, kept: KeptFrames) -> None:
        """Ask these before a frame is decoded and resized."""
        self._decoded.kept = kept

    def read_with(self, readers: Executor) -> None:
        """Let these threads decode and resize frames where each is a file of its own and all are gone through."""
        self._decoded.readers = readers

    def under(self, spec: FrameSpec) -> Clip:
        """The same clip seen through another spec; decoded frames are shared."""
        view = copy(self)
        view.spec = spec
        return view

    @property
    def video(self) -> Video:
        return self._decoded.video

    @property
    def fps(self) -> float | None:
        """Frames per second of the whole clip, where it is known."""
        return self.video.info.fps

    @property
    def count(self) -> int:
        """Frames in the whole clip."""
        return self.video.info.frames

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the video."""
        return self._decoded.size

    @property
    def passes(self) -> int:
        """How often the file was read: once, unless frames were asked for that nobody announced."""
        return self._decoded.passes

    @property
    def frames_decoded(self) -> int:
        return self._decoded.frames_decoded

    @property
    def frames_brought(self) -> int:
        """Those that somebody else had decoded."""
        return self.video.brought

    def expect(self, spec: FrameSpec) -> None:
        """Announce that a spec will be read, so that one pass serves every signal of the stage."""
        self._decoded.expected.update(spec.indices(self.count, self.phases))

    def let_go(self) -> None:
        """Drop the decoded frames: who waits for something else must not hold them. Asked again, they are decoded."""
        self._decoded.let_go()

    def frames(self, spec: FrameSpec | None = None) -> Frames:
        """The frames of the signal's own spec, or of another; the file is decoded on first use."""
        spec = spec or self.spec
        indices = spec.indices(self.count, self.phases)
        self._decoded.expected.update(indices)
        return Frames(self._decoded, indices, spec)


class _Decoded:
    """Decoded and resized frames of one video."""

    def __init__(self, video: Video, memory: int) -> None:
        self.video = video
        self.expected: set[int] = set()
        self.passes = 0
        self.frames_decoded = 0
        self.kept: KeptFrames | None = None
        self.readers: Executor | None = None
        self._memory = memory
        self._buffers: dict[tuple[int, int, str], _Buffer] = {}

    @property
    def size(self) -> tuple[int, int]:
        return self.video.info.width, self.video.info.height

    def frame(self, index: int, spec: FrameSpec) -> Image:
        size = spec.output_size(*self.size)
        wanted = self._buffer(size, "decoded" if size == self.size else spec.interpolation)
        if index not in wanted.slots:
            self._bring(index, wanted, size, spec.interpolation)
        return wanted.get(index)

    def bring_all(self, indices: Sequence[int], spec: FrameSpec) -> None:
        """Have readers make the frames that are not there yet; the same frames as one after the other."""
        from worldgauge.media.resize import resize

        if self.readers is None or not self.video.frame_by_frame:
            return
        size, interpolation = spec.output_size(*self.size), spec.interpolation
        original = self._buffer(self.size, "decoded")
        wanted = original if size == self.size else self._buffer(size, interpolation)
        held = original.in_memory or wanted is original
        for index in indices:
            self._borrowed(index, original)
        there = {**wanted.slots, **original.slots}
        missing = [index for index in dict.fromkeys(indices) if index not in there]
        missing = [index for index in missing if not self._recalled(index, wanted, size, interpolation)]

        def made(index: int) -> tuple[Image | None, Image]:
            ((_, frame),) = self.video.decode([index])
            return frame if held else None, resize(frame, size, interpolation)

        for index, (frame, resized) in zip(missing, self.readers.map(made, missing), strict=True):
            self.passes = 1
            self.frames_decoded += 1
            if frame is not None:
                original.put(index, frame)
            if wanted is not original:
                self._put_resized(index, wanted, size, interpolation, resized)

    def _bring(self, index: int, wanted: _Buffer, size: tuple[int, int], interpolation: str) -> None:
        from worldgauge.media.resize import resize

        if self._recalled(index, wanted, size, interpolation):
            return
        original = self._buffer(self.size, "decoded")
        if self._borrowed(index, original):
            frame = original.get(index)
        elif self.video.frame_by_frame:
            frame = self._decoded_alone(index)
            # Where any frame can be had by itself, large ones that are looked at in small need not be held.
            if original.in_memory or wanted is original:
                original.put(index, frame)
        else:
            self._decode_into(original)
            frame = original.get(index)
        if wanted is not original:
            self._put_resized(index, wanted, size, interpolation, resize(frame, size, interpolation))

    def _borrowed(self, index: int, original: _Buffer) -> bool:
        """Whether the decoded frame is there, perhaps because somebody else has decoded it."""
        if index not in original.slots and (frame := self.video.lent(index)) is not None:
            original.lend(index, frame)
        return index in original.slots

    def _recalled(self, index: int, wanted: _Buffer, size: tuple[int, int], interpolation: str) -> bool:
        """Whether the frame was kept, and is there now."""
        if self.kept is None or (known := self.kept.frame(index, size, interpolation)) is None:
            return False
        wanted.put(index, known)
        return True

    def _put_resized(
        self, index: int, wanted: _Buffer, size: tuple[int, int], interpolation: str, frame: Image
    ) -> None:
        wanted.put(index, frame)
        if self.kept is not None:
            self.kept.note(index, size, interpolation, wanted.get(index))

    def _decoded_alone(self, index: int) -> Image:
        self.passes = 1
        self.frames_decoded += 1
        ((_, frame),) = self.video.decode([index])
        return frame

    def let_go(self) -> None:
        self._buffers.clear()

    def _decode_into(self, buffer: _Buffer) -> None:
        self.passes += 1
        for index, frame in self.video.decode(sorted(self.expected - buffer.slots.keys())):
            buffer.put(index, frame)
            self.frames_decoded += 1

    def _buffer(self, size: tuple[int, int], kind: str) -> _Buffer:
        key = (*size, kind)
        if key not in self._buffers:
            self._buffers[key] = _Buffer(size, self.video.info.frames, self._memory)
        return self._buffers[key]


def _blank(shape: tuple[int, ...]) -> Image:
    return np.zeros(shape, np.uint8)


class _Buffer:
    """Frames of one size, in memory up to a limit, else in an unnamed temporary file mapped into memory."""

    def __init__(self, size: tuple[int, int], count: int, memory: int) -> None:
        self.slots: dict[int, int] = {}
        shape = (count, size[1], size[0], 3)
        self.in_memory = int(np.prod(shape)) <= memory
        # Made when the first frame comes: np.zeros reserves address space, a file is a file.
        self._make: Callable[[], Image] = partial(_blank if self.in_memory else _mapped, shape)
        self._made: Image | None = None
        self._lent: dict[int, Image] = {}
        self._touched = 0

    @property
    def _rows(self) -> Image:
        if self._made is None:
            self._made = self._make()
        return self._made

    def put(self, index: int, frame: Image) -> None:
        slot = self.slots[index] = len(self.slots)
        self._touch(frame.nbytes)
        self._rows[slot] = frame

    def lend(self, index: int, frame: Image) -> None:
        """Hold a frame where it is."""
        self.slots[index] = len(self.slots)
        self._lent[index] = frame

    def get(self, index: int) -> Image:
        if index in self._lent:
            return self._lent[index]
        view: Image = self._rows[self.slots[index]]
        self._touch(view.nbytes)
        view.flags.writeable = False
        return view

    def _touch(self, size: int) -> None:
        """Give a file's pages back now and then. They stay in the system's cache, for it to drop; who still looks at a
        frame has its pages mapped again."""
        self._touched += size
        if not self.in_memory and self._touched > _AT_HAND:
            self._touched = size
            _unmap(self._rows)


def _unmap(rows: Image) -> None:
    mapped: object = rows.base
    # Linux keeps what was written to a shared mapping of a file; elsewhere the call may mean something else.
    if isinstance(mapped, mmap.mmap) and sys.platform == "linux":
        mapped.madvise(mmap.MADV_DONTNEED)


def _mapped(shape: tuple[int, ...]) -> Image:
    with tempfile.TemporaryFile(prefix="worldgauge-frames-") as file:
        mapped: Image = np.memmap(file, np.uint8, "w+", shape=shape)
        return mapped
