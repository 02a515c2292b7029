"""What a judge is shown of a clip: frames as JPEG files, or a film."""

from __future__ import annotations

import io
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Image
from worldgauge.judge.request import Film, Picture

QUALITY = 90
DEFAULT_RATE = 16.0
"""Frames per second of a clip that does not tell."""

few_at_once = threading.Semaphore(2)
"""Decoded frames are large, and decoding takes a core: many questions wait, few are being made."""


class Looking(Protocol):
    """What of a clip is shown: of a judge, and of its settings."""

    @property
    def frames(self) -> int: ...

    @property
    def image_side(self) -> int: ...

    @property
    def send(self) -> str: ...


@dataclass(frozen=True)
class Material:
    """Pictures or a film, and the words that describe them."""

    words: str
    pictures: tuple[Picture, ...] = ()
    film: Film | None = None
    frames: tuple[int, ...] = ()
    """Numbers of the frames that are shown."""
    groups: tuple[int, ...] = ()
    """How many pictures each group has; empty: all are one group."""

    def group(self, number: int) -> tuple[Picture | Film, ...]:
        """The pictures of one group, or the film."""
        if self.film is not None:
            return (self.film,)
        first = sum(self.groups[:number])
        return self.pictures[first : first + self.groups[number]] if self.groups else self.pictures


class Looked:
    """What is shown of one clip, made once for all who are asked about it at the same time."""

    def __init__(self, clip: Clip) -> None:
        self._clip = clip
        self._lock = threading.Lock()
        self._made: dict[tuple[int, int, str], Material] = {}

    def __call__(self, settings: Looking, rate: float | None = None) -> Material:
        key = (settings.frames, settings.image_side, settings.send)
        with self._lock:
            if key not in self._made:
                self._made[key] = show(self._clip, settings, rate)
            return self._made[key]


def show(clip: Clip, settings: Looking, rate: float | None = None) -> Material:
    """What is sent of a clip. `rate` is the frame rate the judge is told, where it is not the clip's own."""
    played = rate or clip.fps or DEFAULT_RATE
    spec = spec_of(settings)
    with few_at_once:
        try:
            if settings.send == "video":
                film = _film(clip, played, settings)
                return Material(_film_words(clip, played), film=film, frames=tuple(range(clip.count)))
            frames = clip.frames(spec)
            pictures = tuple(_picture(frame) for frame in frames)
            return Material(_frame_words(frames.indices, clip, played), pictures, frames=tuple(frames.indices))
        finally:
            clip.let_go()


def describe(clip: Clip, settings: Looking, rate: float | None = None) -> Material:
    """The same without decoding anything: files without content, for what they will cost."""
    played = rate or clip.fps or DEFAULT_RATE
    spec = spec_of(settings)
    size = spec.output_size(*clip.size)
    if settings.send == "video":
        return Material(_film_words(clip, played), film=Film(b"", clip.count / played, size))
    indices = spec.indices(clip.count, clip.phases)
    return Material(_frame_words(indices, clip, played), (Picture(b"", size),) * len(indices), frames=tuple(indices))


def spec_of(settings: Looking) -> FrameSpec:
    """Which frames, at which size."""
    chosen = FrameSpec() if settings.send == "video" else FrameSpec.uniform(settings.frames)
    return chosen.within(settings.image_side)


def _frame_words(indices: list[int], clip: Clip, rate: float) -> str:
    times = ", ".join(f"{index / rate:.2f}" for index in indices)
    return (
        f"{len(indices)} frames in their order, taken at {times} seconds of a clip of {clip.count} frames "
        f"that lasts {clip.count / rate:.2f} seconds at {rate:g} frames per second"
    )


def _film_words(clip: Clip, rate: float) -> str:
    return f"a video of {clip.count} frames that lasts {clip.count / rate:.2f} seconds at {rate:g} frames per second"


def _picture(frame: Image) -> Picture:
    from PIL import Image as Pictures

    stream = io.BytesIO()
    Pictures.fromarray(frame).save(stream, "JPEG", quality=QUALITY)
    return Picture(stream.getvalue(), (frame.shape[1], frame.shape[0]))


def _film(clip: Clip, rate: float, settings: Looking) -> Film:
    from worldgauge.media.encoder import write_video

    frames = clip.frames(spec_of(settings))
    with tempfile.TemporaryDirectory(prefix="worldgauge-") as folder:
        file = Path(folder) / "clip.mp4"
        write_video(file, frames, rate)
        return Film(file.read_bytes(), clip.count / rate, frames.size)
