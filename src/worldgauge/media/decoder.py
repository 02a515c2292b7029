"""Video files through PyAV: exact frame counts, shown as a player shows them, truncation noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from worldgauge.core.errors import InvalidVideo
from worldgauge.core.names import readable
from worldgauge.core.video import MAX_FRAMES, MAX_PIXELS, Image, VideoInfo, check_pixels
from worldgauge.media.door import container_of
from worldgauge.media.picture import (
    Orientation,
    colour_of,
    high_dynamic_range_of,
    orientation_of,
    square_width,
    to_rgb,
)

SUFFIXES = frozenset(
    {".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".gif", ".mpg", ".mpeg", ".m2ts", ".flv", ".ogv", ".wmv", ".3gp"}
)
"""What a video is called in a folder. A file that is named itself may have any suffix: its content decides."""

_LIMITS = {"max_pixels": str(MAX_PIXELS)}
_CLOSED = {"protocol_whitelist": "file", "enable_drefs": "0"}
"""No reference inside a file may open another one."""


@contextmanager
def _opened(path: Path, threads: str = "AUTO") -> Iterator[tuple[Any, Any]]:
    """The container and its first video stream; every reading problem becomes `InvalidVideo`."""
    import av

    name, kind = readable(path.name), container_of(path)
    try:
        # With its protocol, or a name such as `concat:a` would be taken for one.
        with av.open(
            f"file:{path.absolute()}",
            format=kind,
            options=_LIMITS,
            container_options=_CLOSED,
            **_tolerant_of_tags(av.__version__),
        ) as container:
            stream = _first_stream(container)
            if stream is None:
                raise InvalidVideo(f"{name} has no video stream")
            if stream.codec_context is None:
                raise InvalidVideo(f"{name} uses a codec that cannot be decoded here")
            check_pixels(stream.codec_context.width, stream.codec_context.height)
            stream.codec_context.options = _LIMITS
            stream.thread_type = threads
            yield container, stream
    except (av.error.FFmpegError, OSError, EOFError, ValueError) as error:
        raise InvalidVideo(f"{name} cannot be decoded ({_first_line(error)})") from error


def _tolerant_of_tags(version: str) -> dict[str, str]:
    """What makes this PyAV open a file whose title is not UTF-8; from version 19 on nothing is needed, nor accepted.

    >>> _tolerant_of_tags("18.1.0"), _tolerant_of_tags("19.0.2")
    ({'metadata_errors': 'replace'}, {})
    """
    return {"metadata_errors": "replace"} if int(version.split(".")[0]) < 19 else {}


def probe(path: Path) -> VideoInfo:
    """Count frames by reading packets (headers lie), and decode one frame for how the picture is to be shown."""
    stamps: list[int | None] = []
    seen: dict[str, Any] = {}
    # Threads that would decode further frames take longer to start than the one frame does.
    with _opened(path, threads="NONE") as (container, stream):
        for packet in container.demux(stream):
            if not seen and (first := next(iter(packet.decode()), None)) is not None:
                seen = _shown(stream, first)
            if packet.size and not packet.is_discard:
                stamps.append(packet.pts)
            if len(stamps) > MAX_FRAMES:
                break
    if not seen:
        raise InvalidVideo(f"{readable(path.name)} has no frames")
    return VideoInfo(len(stamps), variable_rate=_is_variable(stamps), **seen)


def _shown(stream: Any, first: Any) -> dict[str, Any]:
    """What the first frame and its stream say of how the picture is to be shown."""
    orientation, aspect = orientation_of(first), _aspect(stream)
    width, height = square_width(first.width, aspect), first.height
    if orientation.turns % 2:
        width, height = height, width
    return {
        "width": width,
        "height": height,
        "fps": float(stream.average_rate) if stream.average_rate else None,
        "rotation": orientation.turns * 90,
        "mirrored": orientation.mirrored,
        "interlaced": bool(first.interlaced_frame),
        "sample_aspect": aspect,
        "colour": colour_of(first),
        "high_dynamic_range": high_dynamic_range_of(first),
        "codec": stream.codec_context.codec.canonical_name,
        "pixel_format": first.format.name,
        "bits": max(part.bits for part in first.format.components),
    }


def decode(path: Path, ascending: list[int]) -> Iterator[tuple[int, Image]]:
    """Yield (index, RGB frame) for the wanted frame numbers in one forward pass; stops after the last one."""
    wanted = iter(ascending)
    target = next(wanted, None)
    orientation: Orientation | None = None
    with _opened(path) as (container, stream):
        aspect = _aspect(stream)
        for index, frame in enumerate(container.decode(stream)):
            if target is None:
                return
            orientation = orientation or orientation_of(frame)
            if index == target:
                yield index, to_rgb(frame, orientation, aspect)
                target = next(wanted, None)


def _first_stream(container: Any) -> Any:
    """The first stream of pictures that is not a cover image."""
    from av.stream import Disposition

    return next((s for s in container.streams.video if not s.disposition & Disposition.attached_pic), None)


def _aspect(stream: Any) -> float:
    """Width of a pixel over its height; 1 where the file does not say."""
    stated = stream.sample_aspect_ratio
    return float(Fraction(stated)) if stated else 1.0


def _is_variable(stamps: list[int | None]) -> bool:
    """True when presentation times are unevenly spread, beyond the rounding of a millisecond clock."""
    known = sorted(s for s in stamps if s is not None)
    if len(known) < 3:
        return False
    steps = sorted(after - before for before, after in pairwise(known))
    median = (steps[(len(steps) - 1) // 2] + steps[len(steps) // 2]) / 2
    return steps[-1] - steps[0] > max(1, 0.25 * median)


def _first_line(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]
