"""`Video`: a file or a folder of frames. Identity by content; frames on demand; nothing else reads pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.canonical import digest_file, digest_of
from worldgauge.core.case import Phases
from worldgauge.core.errors import InvalidVideo
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
    """One clip on disk."""

    def __init__(self, path: Path, fps: float | None = None, expected_frames: int | None = None) -> None:
        """`fps` states the rate of a frame folder, which has none of its own. A clip of another length than
        `expected_frames` is invalid."""
        self.path = Path(path)
        self.stated_fps = fps
        self.expected_frames = expected_frames

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
        if self.path.is_dir():
            from worldgauge.media.frame_folder import probe_folder

            info = probe_folder(self.path, self.stated_fps)
        else:
            from worldgauge.media.decoder import probe

            info = probe(self.path)
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
        if self.path.is_dir():
            from worldgauge.media.frame_folder import read_folder

            source = read_folder(self.path, ascending)
        else:
            from worldgauge.media.decoder import decode

            source = decode(self.path, ascending)
        found = -1
        for found, frame in source:
            if frame.shape[:2] != (self.info.height, self.info.width):
                actual, first = f"{frame.shape[1]}x{frame.shape[0]}", f"{self.info.width}x{self.info.height}"
                raise InvalidVideo(f"frame {found} is {actual}, the first is {first}")
            yield found, frame
        if ascending and found != ascending[-1]:
            raise InvalidVideo(f"decoding stopped after frame {found} of {self.info.frames}: the file is truncated")
