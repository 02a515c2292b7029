"""Exact evidence for a question: these frames of this clip, then those of that one, each group with its words."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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


def shown(exhibits: Sequence[Exhibit]) -> Material:
    """The pictures of all exhibits in their order, and the words that tell which is which."""
    pictures: list[Picture] = []
    with few_at_once:
        for one in exhibits:
            try:
                pictures += _pictures(one)
            finally:
                one.clip.let_go()
    return Material(_words(exhibits), tuple(pictures), frames=_numbers(exhibits))


def described(exhibits: Sequence[Exhibit]) -> Material:
    """The same without decoding anything, for what it will cost."""
    pictures = [
        Picture(b"", FrameSpec().within(one.side).output_size(*one.clip.size)) for one in exhibits for _ in one.frames
    ]
    return Material(_words(exhibits), tuple(pictures), frames=_numbers(exhibits))


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
