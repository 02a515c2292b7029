"""Writing chunk timestamps of a generated clip, and holding a file against its clip and its prompts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.cases import read_chunks
from worldgauge.benchmarks.worldolympiad.data.checks import contradictions
from worldgauge.benchmarks.worldolympiad.data.chunk_prompts import ChunkPrompt
from worldgauge.benchmarks.worldolympiad.data.chunk_times import SUFFIX, joined_chunks
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json
from worldgauge.core.video import Video

VERSION = 1


def timestamps(video: Path, fps: float, frames: Sequence[int], intervals: Sequence[str]) -> dict[str, Any]:
    """The content of a timestamp file: chunks of so many frames each, one after the other.

    >>> [one["generated_end_sec"] for one in timestamps(Path("a.mp4"), 16.0, [33, 32], ["", ""])["chunks"]]
    [2.0625, 4.0625]
    """
    chunks, first = [], 0
    for index, (count, interval) in enumerate(zip(frames, intervals, strict=True)):
        if count < 1:
            raise WorldGaugeError(f"chunk {index} of {video.name} has no frame", "give every chunk one at least")
        chunks.append(
            {
                "chunk_index": index,
                "source_interval": interval,
                "frame_start": first,
                "frame_end": first + count,
                "generated_start_sec": first / fps,
                "generated_end_sec": (first + count) / fps,
            }
        )
        first += count
    return {
        "version": VERSION,
        "video_path": video.name,
        "fps": fps,
        "total_frames": first,
        "duration_sec": first / fps,
        "chunks": chunks,
    }


def write_timestamps(video: Path, frames: Sequence[int], intervals: Sequence[str]) -> Path:
    """Write the timestamp file beside a video. Its own frames count: a clip of another length is refused."""
    info = Video(video).info
    if not info.fps:
        raise WorldGaugeError(f"{video} has no frame rate, so no frame belongs to a time", "write it with one")
    if info.frames != sum(frames):
        latent = ", as if latents had been counted" if 3.5 <= info.frames / max(1, sum(frames)) <= 4.5 else ""
        raise WorldGaugeError(
            f"{video.name} has {info.frames} frames, {sum(frames)} were asked for{latent}",
            "deal out those it has by share with --fit",
        )
    file = video.with_name(video.stem + SUFFIX)
    content = timestamps(video, info.fps, frames, intervals)
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
    partial.replace(file)
    return file


def problems_of(file: Path, video: Path | None = None, prompts: Path | None = None) -> Iterator[tuple[str, str]]:
    """What is wrong with a timestamp file: what it says itself, against its video, and against its prompts."""
    asked = [] if prompts is None else read_chunks(prompts)
    known = [ChunkPrompt(one["chunk_index"], one["caption"], one["action"], one["interval"]) for one in asked]
    try:
        content = read_json(file)
        chunks = joined_chunks(content, known)
    except (WorldGaugeError, ValueError, TypeError) as error:
        yield "no timestamps", str(error)
        return
    if not chunks:
        yield "no timestamps", "the list of chunks is empty"
    yield from _declared(content, chunks)
    if prompts is not None and len(asked) != len(chunks):
        yield "other chunks", f"{len(chunks)} chunks have times, {len(asked)} were asked for"
    if video is not None:
        try:
            yield from contradictions(content, chunks, Video(video).info)
        except WorldGaugeError as error:
            yield "unreadable video", str(error)


def _declared(content: Any, chunks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Frame numbers, which the original never reads, against the seconds that it reads."""
    rate = content.get("fps") if isinstance(content, Mapping) else None
    if not isinstance(rate, (int, float)) or isinstance(rate, bool) or rate <= 0:
        return
    for one in chunks:
        for frame, second in (("frame_start", "generated_start_sec"), ("frame_end", "generated_end_sec")):
            number = one.get(frame)
            # Some files count the last frame, some the one after it.
            if isinstance(number, (int, float)) and abs(number - one[second] * rate) > 1.5:
                at = f"{one[second]:.2f} s at {rate:g} frames per second"
                yield "frames and seconds", f"chunk {one['chunk_index']}: {frame} is {number:g}, not {at}"
