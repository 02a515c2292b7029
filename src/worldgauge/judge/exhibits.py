"""Exact evidence for a question: these frames of this clip, then those of that one, each group with its words."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Image
from worldgauge.judge.forms import Form
from worldgauge.judge.material import Material, few_at_once
from worldgauge.judge.request import Picture

Draw = Callable[[int, Image], Image]
"""Takes a frame's number and the frame at its own size; returns it with something drawn in."""


@dataclass(frozen=True, eq=False)
class Exhibit:
    """One group of pictures."""

    label: str
    """What they are, in the words the judge reads."""
    clip: Clip
    frames: tuple[int, ...]
    """In the order in which they are shown; a frame may be shown twice."""
    side: int = 1024
    """Longer side in pixels, at most."""
    quality: int = 92
    """Of the JPEG files."""
    draw: Draw | None = None


@dataclass(frozen=True, eq=False)
class Inquiry:
    """One question about exhibits."""

    exhibits: tuple[Exhibit, ...]
    prompt: str
    values: Mapping[str, str]
    form: Form
    about: str = ""
    released: Mapping[str, Any] | None = None
    """What the authors' own text of this question is made of, for who takes it out of their code."""


class Exhibited:
    """What is shown with an inquiry, made once for all who are asked it at the same time."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._exhibits = inquiry.exhibits
        self._lock = threading.Lock()
        self._made: Material | None = None

    def __call__(self) -> Material:
        with self._lock:
            if self._made is None:
                self._made = shown(self._exhibits)
            return self._made


def what_is_shown(exhibits: Sequence[Exhibit], exhibited: Exhibited | None = None) -> list[dict[str, Any]]:
    """Everything that can change the pictures, for the key of an answer.

    What is drawn in has no digest of its own: the pictures `exhibited` count, where they may be made.
    """
    found, first = [], 0
    for one in exhibits:
        told: dict[str, Any] = {
            "label": one.label,
            "video": one.clip.video.digest,
            "frames": list(one.frames),
            "side": one.side,
            "quality": one.quality,
        }
        if one.draw is not None:
            own = exhibited().pictures[first : first + len(one.frames)] if exhibited is not None else ()
            told["drawn"] = [hashlib.sha256(picture.data).hexdigest() for picture in own]
        found.append(told)
        first += len(one.frames)
    return found


def shown(exhibits: Sequence[Exhibit]) -> Material:
    """The pictures of all exhibits in their order, and the words that tell which is which."""
    pictures: list[Picture] = []
    with few_at_once:
        for one in exhibits:
            try:
                pictures += _pictures(one)
            finally:
                one.clip.let_go()
    return Material(_words(exhibits), tuple(pictures), frames=_numbers(exhibits), groups=_sizes(exhibits))


def described(exhibits: Sequence[Exhibit]) -> Material:
    """The same without decoding anything, for what it will cost."""
    pictures = [
        Picture(b"", FrameSpec().within(one.side).output_size(*one.clip.size)) for one in exhibits for _ in one.frames
    ]
    return Material(_words(exhibits), tuple(pictures), frames=_numbers(exhibits), groups=_sizes(exhibits))


def _sizes(exhibits: Sequence[Exhibit]) -> tuple[int, ...]:
    return tuple(len(one.frames) for one in exhibits)


def _pictures(one: Exhibit) -> list[Picture]:
    from worldgauge.media.resize import resize

    spec = FrameSpec().within(one.side)
    size = spec.output_size(*one.clip.size)
    different = sorted(set(one.frames))
    taken = one.clip.frames(FrameSpec.at(*different)) if different else ()
    made: dict[int, Picture] = {}
    for index, frame in zip(different, taken, strict=True):
        drawn = frame if one.draw is None else one.draw(index, frame)
        made[index] = _picture(resize(drawn, size, spec.interpolation), one.quality)
    return [made[index] for index in one.frames]


def _picture(frame: Image, quality: int) -> Picture:
    from PIL import Image as Pictures

    stream = io.BytesIO()
    Pictures.fromarray(frame).save(stream, "JPEG", quality=quality)
    return Picture(stream.getvalue(), (frame.shape[1], frame.shape[0]))


def _words(exhibits: Sequence[Exhibit]) -> str:
    said, first = [], 1
    for one in exhibits:
        last = first + len(one.frames) - 1
        numbers = f"picture {first}" if last == first else f"pictures {first} to {last}"
        said.append(f"{numbers}: {one.label}")
        first = last + 1
    return "; ".join(said)


def _numbers(exhibits: Sequence[Exhibit]) -> tuple[int, ...]:
    return tuple(index for one in exhibits for index in one.frames)
