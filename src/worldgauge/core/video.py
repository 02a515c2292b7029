"""`Video`: a file, a folder of frames or an array. Identity by content; frames on demand; nothing else reads pixels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.canonical import canonical_json, digest_of
from worldgauge.core.case import Phases
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.file_digests import digest_file
from worldgauge.core.frame_arrays import Range, to_frames
from worldgauge.core.frames import FrameSpec

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class VideoInfo:
    """What a probe learns without keeping a frame."""

    frames: int
    width: int
    """After rotation."""
    height: int
    """After rotation."""
    fps: float | None
    """Mean rate; None for a frame folder with no stated rate."""
    variable_rate: bool = False
    rotation: int = 0
    """Degrees counter-clockwise the container asks for; already applied to the frames handed out."""
    codec: str = ""
    """Name of the codec, empty for a frame folder."""
    pixel_format: str = ""


class Video:
    """One clip, on disk or, made by `from_array`, in memory."""

    def __init__(self, path: str | Path, fps: float | None = None, expected_frames: int | None = None) -> None:
        """`fps` states the rate of a frame folder, which has none of its own. A clip of another length than
        `expected_frames` is invalid."""
        self.path = Path(path)
        self.stated_fps = fps
        self.expected_frames = expected_frames

    @classmethod
    def from_array(
        cls, array: Any, *, layout: str | None = None, value_range: Range | None = None, fps: float | None = None
    ) -> Video:
        """A clip in memory, from a NumPy array or a tensor: uint8, or floats with their `value_range`.

        `layout` names the axes, such as TCHW or THWC. It may be left out where the shape fits one layout only.

        >>> Video.from_array(np.zeros((4, 32, 48, 3), np.uint8), fps=12).info.width
        48
        """
        return ArrayVideo(to_frames(array, layout, value_range), fps)

    @property
    def on_disk(self) -> Path | None:
        """Where the clip lies; None for one in memory."""
        return self.path

    @property
    def is_there(self) -> bool:
        """Whether there is something to read."""
        return self.on_disk is None or self.on_disk.exists()

    def __repr__(self) -> str:
        return f"Video({str(self.path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Cached probe results stay behind: a worker that gets the video looks for itself.
        return Video, (self.path, self.stated_fps, self.expected_frames)

    @cached_property
    def digest(self) -> str:
        """sha256 of the file's bytes; for a folder, of its frames' digests in order and the stated rate."""
        if not self.path.is_dir():
            return digest_file(self.path)
        from worldgauge.media.frame_folder import frame_files

        return digest_of({"frames": [digest_file(p) for p in frame_files(self.path)], "fps": self.stated_fps})

    @cached_property
    def info(self) -> VideoInfo:
        """Frame count, size and rate; raises `InvalidVideo` when the clip cannot be read."""
        info = self._probe()
        if self.expected_frames is not None and info.frames != self.expected_frames:
            raise InvalidVideo(f"the video has {info.frames} frames, {self.expected_frames} were asked for")
        return info

    def frames(self, spec: FrameSpec | None = None, phases: Phases | None = None) -> Iterator[Image]:
        """Yield the chosen frames as uint8 RGB (H, W, 3) in the spec's order, one at a time where that is ascending."""
        from worldgauge.media.resize import resize

        spec = spec or FrameSpec()
        info = self.info
        wanted = spec.indices(info.frames, phases)
        size = spec.output_size(info.width, info.height)
        if wanted == sorted(set(wanted)):
            for _, frame in self.decode(wanted):
                yield resize(frame, size, spec.interpolation)
            return
        kept = {index: resize(frame, size, spec.interpolation) for index, frame in self.decode(sorted(set(wanted)))}
        for index in wanted:
            yield kept[index]

    def decode(self, ascending: list[int]) -> Iterator[tuple[int, Image]]:
        """Yield (index, frame) for frame numbers in ascending order, in one pass over the file."""
        found = -1
        for found, frame in self._read(ascending):
            if frame.shape[:2] != (self.info.height, self.info.width):
                actual, first = f"{frame.shape[1]}x{frame.shape[0]}", f"{self.info.width}x{self.info.height}"
                raise InvalidVideo(f"frame {found} is {actual}, the first is {first}")
            yield found, frame
        if ascending and found != ascending[-1]:
            raise InvalidVideo(f"decoding stopped after frame {found} of {self.info.frames}: the file is truncated")

    def _probe(self) -> VideoInfo:
        if self.path.is_dir():
            from worldgauge.media.frame_folder import probe_folder

            return probe_folder(self.path, self.stated_fps)
        from worldgauge.media.decoder import probe

        return probe(self.path)

    def _read(self, ascending: list[int]) -> Iterator[tuple[int, Image]]:
        if self.path.is_dir():
            from worldgauge.media.frame_folder import read_folder

            return read_folder(self.path, ascending)
        from worldgauge.media.decoder import decode

        return decode(self.path, ascending)


class ArrayVideo(Video):
    """One clip in memory. It travels to a worker process with all its frames."""

    def __init__(self, frames: NDArray[np.uint8], fps: float | None = None, expected_frames: int | None = None) -> None:
        """`frames` is uint8 RGB (T, H, W, 3)."""
        super().__init__(Path("array"), fps, expected_frames)
        self._frames = frames

    def __repr__(self) -> str:
        frames, height, width, _ = self._frames.shape
        return f"Video({frames} frames of {width}x{height} in memory)"

    def __reduce__(self) -> tuple[Any, ...]:
        return ArrayVideo, (self._frames, self.stated_fps, self.expected_frames)

    @property
    def on_disk(self) -> None:
        return None

    @cached_property
    def digest(self) -> str:
        """sha256 of shape, rate and pixels."""
        head = canonical_json({"array": self._frames.shape, "fps": self.stated_fps}).encode()
        content = hashlib.sha256(head)
        content.update(self._frames.data)
        return content.hexdigest()

    def _probe(self) -> VideoInfo:
        frames, height, width, _ = self._frames.shape
        return VideoInfo(frames, width, height, self.stated_fps)

    def _read(self, ascending: list[int]) -> Iterator[tuple[int, Image]]:
        return ((index, self._frames[index]) for index in ascending)
