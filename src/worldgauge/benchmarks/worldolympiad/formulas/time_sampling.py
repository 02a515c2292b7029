"""Frames of a span of time: the sampler of the judge's evidence, and that of CLIP, which differ at a clip's end."""

from __future__ import annotations

from dataclasses import dataclass

Position = int | tuple[str, float]
"""A frame number, or `("ms", t)`: with a rate of 0 the original seeks by time."""


@dataclass(frozen=True)
class Film:
    """What a reader knows of a video; 0 where it does not know."""

    fps: float
    frames: int

    @property
    def seconds(self) -> float:
        return self.frames / self.fps if self.fps > 0 and self.frames > 0 else 0.0


def judge_positions(film: Film, start: float, end: float, count: int) -> list[Position]:
    """The frames a judge sees of [start, end], both ends included; the end is held within the video.

    >>> judge_positions(Film(28.0, 186), 2.2143, 4.4286, 4)
    [62, 83, 103, 124]
    """
    if count <= 0:
        return []
    start = max(0.0, start)
    end = min(end, film.seconds) if film.seconds else end
    if end <= start:
        return [_position(film, start)]
    if count == 1:
        return [_position(film, (start + end) / 2)]
    return [_position(film, start + (end - start) * i / (count - 1)) for i in range(count)]


def clip_positions(film: Film, start: float, end: float, count: int) -> list[Position]:
    """The frames CLIP sees of [start, end]: the end may lie beyond the video, whose last frame then counts again.

    >>> clip_positions(Film(24.0, 46), 0.0, 101.9, 8)
    [0, 45, 45, 45, 45, 45, 45, 45]
    """
    start = max(0.0, start)
    if count <= 0:
        return []
    if end <= start:
        return [_position(film, start)]
    if count == 1:
        return [_position(film, (start + end) / 2)]
    return [_position(film, start + (end - start) * i / (count - 1)) for i in range(count)]


def _position(film: Film, seconds: float) -> Position:
    if film.fps <= 0:
        return ("ms", seconds * 1000)
    index = max(0, round(seconds * film.fps))
    return min(index, film.frames - 1) if film.frames > 0 else index
