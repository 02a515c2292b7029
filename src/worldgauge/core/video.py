"""`Video`: a file, a folder of frames or an array. Identity by content; frames on demand; nothing else reads pixels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.canonical import canonical_json, digest_of
from worldgauge.core.case import Phases
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.frame_arrays import Range, to_frames
from worldgauge.core.frames import FrameSpec
from worldgauge.core.names import is_folder
from worldgauge.core.reasons import OF_THE_CLIP

Image = NDArray[np.uint8]

MAX_PIXELS = 2**26
"""Per frame, 8192 x 8192: more is refused before memory is asked for."""
MAX_FRAMES = 2**18
"""More than an hour at 60 frames per second."""
MIN_SIDE = 16
"""Below this the windows of structural similarity, flow and style no longer fit: a number would measure nothing."""


@dataclass(frozen=True)
class VideoInfo:
    """What a probe learns without keeping a frame."""

    frames: int
    width: int
    """As shown: square pixels, after rotation."""
    height: int
    """As shown."""
    fps: float | None
    """Mean rate; None for a frame folder with no stated rate."""
    variable_rate: bool = False
    rotation: int = 0
    """Degrees counter-clockwise the container asks for; already applied to the frames handed out."""
    codec: str = ""
    """Name of the codec, empty for a frame folder."""
    pixel_format: str = ""
    bits: int = 8
    """Per colour in the file; more are rounded to 8."""
    mirrored: bool = False
    """The container asks to swap left and right before the rotation; already applied."""
    interlaced: bool = False
    """The frames are woven of two fields; they are taken as they are."""
    sample_aspect: float = 1.0
    """Width of a stored pixel over its height. The frames handed out have square pixels: the width was scaled."""
    colour: str = ""
    """Matrix and range of the conversion to RGB, and whether the file states them."""
    high_dynamic_range: str = ""
    """Transfer curve of a clip of high dynamic range, which is read without tone mapping; else empty."""
    strays: str = ""
    """Remark on pictures of a frame folder that are not named like the others; empty where all are."""

    @cached_property
    def remarks(self) -> str:
        """What is unusual about the clip and was done about it, for the record of a number; mostly empty.

        >>> VideoInfo(9, 48, 64, 10.0, rotation=90, interlaced=True).remarks
        'rotated by 90 degrees as the file asks, interlaced'
        """
        said = (
            (bool(self.rotation), f"rotated by {self.rotation} degrees as the file asks"),
            (self.mirrored, "mirrored as the file asks"),
            (
                self.sample_aspect != 1.0,
                f"pixels made square (they were {self.sample_aspect:.3g} times as wide as high)",
            ),
            (self.bits > 8, f"{self.bits} bits rounded to 8"),
            (self.interlaced, "interlaced"),
            (self.variable_rate, "variable frame rate"),
            (bool(self.high_dynamic_range), f"high dynamic range ({self.high_dynamic_range}) without tone mapping"),
            (bool(self.strays), self.strays),
        )
        return ", ".join(text for applies, text in said if applies)


def check_pixels(width: int, height: int) -> None:
    """Refuse frames too large to be decoded."""
    if width * height > MAX_PIXELS:
        raise InvalidVideo(f"frames of {width}x{height} pixels are too large; {MAX_PIXELS:,} pixels are the limit")


def check_measurable(info: VideoInfo) -> None:
    """Refuse a clip that can be read but holds too little to be judged."""
    if info.frames < 2:
        raise InvalidVideo(f"the clip has {info.frames} frame, at least 2 are needed", code=OF_THE_CLIP)
    if min(info.width, info.height) < MIN_SIDE:
        size = f"{info.width}x{info.height}"
        raise InvalidVideo(f"frames of {size} pixels are too small to be measured; {MIN_SIDE} a side is the least")


class Video:
    """One clip, on disk or, made by `from_array`, in memory."""

    brought = 0
    """Frames that were lent."""
    configured_frames: int | None = None
    """Frames that the model's own configuration names, of a clip that is read whatever its length."""

    def __init__(
        self,
        path: str | Path,
        fps: float | None = None,
        expected_frames: int | None = None,
        beside: str | Path | None = None,
    ) -> None:
        """`fps` states the rate of a frame folder, which has none of its own. A clip of another length than
        `expected_frames` is invalid. `beside` is a file that says something about this very clip, such as when each of
        its chunks begins: where it changes, what was measured with it no longer holds."""
        # Whatever changes the working directory later, the clip stays the same.
        self.path = Path(path).absolute()
        self.stated_fps = fps
        self.expected_frames = expected_frames
        self.beside = None if beside is None else Path(beside).absolute()

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
    def frame_by_frame(self) -> bool:
        """Whether any frame can be had without those before it: each is a file of its own."""
        return self.on_disk is not None and is_folder(self.path)

    @property
    def is_there(self) -> bool:
        """Whether there is something to read."""
        if self.on_disk is None:
            return True
        try:
            self.on_disk.stat()
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return False
        except OSError:
            # A loop of links, a locked folder, a name too long: something is named, and `info` says what is wrong.
            return True
        return True

    def __repr__(self) -> str:
        return f"Video({str(self.path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Cached probe results stay behind: a worker that gets the video looks for itself.
        kept = None if self.configured_frames is None else {"configured_frames": self.configured_frames}
        return Video, (self.path, self.stated_fps, self.expected_frames, self.beside), kept

    def of_any_length(self) -> Video:
        """The same clip, read although it may not have the frames that are expected of it."""
        if self.expected_frames is None:
            return self
        same = copy(self)
        same.__dict__.pop("info", None)
        same.configured_frames, same.expected_frames = self.expected_frames, None
        return same

    @cached_property
    def digest(self) -> str:
        """sha256 of the file's bytes; for a folder, of its frames' digests in order and the stated rate.

        What cannot be read, or is no file at all, has the digest of the reason. A file beside it counts too.
        """
        from worldgauge.media.door import content_digest

        own = self._own_digest()
        return own if self.beside is None else digest_of({"video": own, "beside": content_digest(self.beside)})

    def _own_digest(self) -> str:
        from worldgauge.media.door import content_digest

        if not is_folder(self.path):
            return content_digest(self.path)
        from worldgauge.media.frame_folder import frame_files

        try:
            frames = frame_files(self.path)
        except InvalidVideo as refusal:
            return digest_of({"refused": str(refusal)})
        return digest_of({"frames": [content_digest(p) for p in frames], "fps": self.stated_fps})

    @cached_property
    def info(self) -> VideoInfo:
        """Frame count, size and rate; raises `InvalidVideo` when the clip cannot be read."""
        info = self._probe()
        check_pixels(info.width, info.height)
        if info.frames > MAX_FRAMES:
            raise InvalidVideo(f"the video has more than {MAX_FRAMES:,} frames")
        if self.expected_frames is not None:
            if self.frame_by_frame:
                from worldgauge.media.frame_folder import check_numbers

                check_numbers(self.path)
            if info.frames != self.expected_frames:
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

    def lent(self, index: int) -> Image | None:
        """The frame, read-only, where it is there without decoding."""
        return None

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
        if is_folder(self.path):
            from worldgauge.media.frame_folder import probe_folder

            return probe_folder(self.path, self.stated_fps)
        from worldgauge.media.decoder import probe

        return probe(self.path)

    @cached_property
    def _files(self) -> list[Path]:
        """The frames of a folder."""
        from worldgauge.media.frame_folder import frame_files

        return frame_files(self.path)

    def _read(self, ascending: list[int]) -> Iterator[tuple[int, Image]]:
        if is_folder(self.path):
            from worldgauge.media.frame_folder import read_files

            return read_files(self._files, ascending)
        from worldgauge.media.decoder import decode

        return decode(self.path, ascending)


def is_measurable(video: Video) -> bool:
    """Whether there is anything to perceive in a clip; what is wrong with one is told by `info` and the check."""
    try:
        check_measurable(video.info)
    except InvalidVideo:
        return False
    return True


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
