"""What is odd about a tree on disk: sidecars that are older than their video, judge files nobody can finish, times that
contradict the clip."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.chunk_prompts import prompts_in
from worldgauge.benchmarks.worldolympiad.data.chunk_times import joined_chunks
from worldgauge.benchmarks.worldolympiad.data.pipelines import pipeline_of
from worldgauge.benchmarks.worldolympiad.data.tree import (
    PROMPTS,
    SIDECARS,
    TRAJECTORY,
    CaseFolder,
    case_folders,
    is_sidecar,
)
from worldgauge.benchmarks.worldolympiad.formulas.target_poses import target_poses
from worldgauge.benchmarks.worldolympiad.official.done_rules import is_stuck
from worldgauge.benchmarks.worldolympiad.official.manifest import released_rows
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video, VideoInfo

SLACK = 0.05
"""Share by which seconds and frames may differ."""


@dataclass(frozen=True)
class Remark:
    """One thing to know."""

    case: str
    file: str
    kind: str
    says: str


def tree_remarks(root: Path, look_into_videos: bool = True) -> Iterator[Remark]:
    """Everything odd, case by case, and what the original's manifests take for a model's video."""
    yield from _other_videos(root)
    for folder in case_folders(root):
        yield from _sidecars(folder)
        yield from _judge_files(folder)
        for prefix in folder.prefixes():
            video = folder.generated(prefix)
            if video is not None:
                yield from _times(folder, video, look_into_videos)


def _sidecars(folder: CaseFolder) -> Iterator[Remark]:
    for path in sorted(folder.path.glob("*.mp4")):
        if not is_sidecar(path):
            continue
        ending = next(end for end in SIDECARS if path.stem.endswith(end))
        original = path.with_name(path.stem.removesuffix(ending) + ".mp4")
        if not original.is_file():
            yield Remark(folder.name, path.name, "sidecar alone", "the original would score it in the video's place")
        elif path.stat().st_mtime < original.stat().st_mtime:
            yield Remark(folder.name, path.name, "stale sidecar", "older than its video; the original reuses it")
    for path in sorted(folder.path.glob(f"*{TRAJECTORY}")):
        if (problem := _no_path(path)) is not None:
            yield Remark(folder.name, path.name, "no trajectory", f"the original cannot compare with it ({problem})")
        original = path.with_name(path.name.removesuffix(TRAJECTORY) + ".mp4")
        if original.is_file() and path.stat().st_mtime < original.stat().st_mtime:
            yield Remark(folder.name, path.name, "stale sidecar", "older than the reference; the original reuses it")


def _no_path(file: Path) -> str | None:
    """Why a stored trajectory is no path as the original reads it; None where it is one."""
    try:
        found = target_poses(json.loads(file.read_text("utf-8-sig")), 2)
    except (ValueError, TypeError, OSError) as error:
        return (str(error).splitlines() or [type(error).__name__])[0][:80]
    return "no camera in it" if found is None else None


def _other_videos(root: Path) -> Iterator[Remark]:
    """Cases for which the original's own manifests name another video than the one that is a model's here."""
    folders = list(case_folders(root))
    for domain in dict.fromkeys(folder.path.parent for folder in folders):
        own = {folder.name: folder for folder in folders if folder.path.parent == domain}
        for prefix in sorted({prefix for folder in own.values() for prefix in folder.prefixes()}):
            for row in released_rows(domain, prefix) if pipeline_of(prefix) else ():
                folder, named = own.get(row["id"]), Path(row["video"])
                if folder is not None and folder.generated(prefix) != named:
                    yield Remark(
                        row["id"], named.name, "other video", "the original's manifest takes it for the model's"
                    )


def _judge_files(folder: CaseFolder) -> Iterator[Remark]:
    for path in sorted(folder.path.glob("*_judge_*.json")):
        if is_stuck(path):
            yield Remark(folder.name, path.name, "empty judge file", "selected and skipped for ever; delete it")


def _times(folder: CaseFolder, video: Path, look: bool) -> Iterator[Remark]:
    file = folder.times(video)
    if file is None:
        yield Remark(folder.name, video.name, "no timestamp file", "its interaction cannot be scored")
        return
    try:
        content = json.loads(file.read_text("utf-8-sig"))
        chunks = joined_chunks(content, prompts_in(folder.path / PROMPTS))
    except (ValueError, TypeError) as error:
        yield Remark(folder.name, file.name, "no timestamps", str(error))
        return
    if look:
        try:
            info = Video(video).info
        except WorldGaugeError as error:
            yield Remark(folder.name, video.name, "unreadable video", str(error))
            return
        for kind, says in contradictions(content, chunks, info):
            yield Remark(folder.name, file.name, kind, says)


def contradictions(content: Any, chunks: list[dict[str, Any]], info: VideoInfo) -> Iterator[tuple[str, str]]:
    """Where a timestamp file and its video disagree. The original reads none of what is compared here."""
    declared = content if isinstance(content, Mapping) else {}
    frames = declared.get("total_frames")
    if isinstance(frames, (int, float)) and not isinstance(frames, bool) and abs(frames - info.frames) > 1:
        factor = info.frames / frames if frames else 0.0
        latent = ", as if latent frames had been counted" if 3.5 <= factor <= 4.5 else ""
        yield "frame count", f"says {frames:g} frames, the video has {info.frames}{latent}"
    rate = declared.get("fps")
    if isinstance(rate, (int, float)) and info.fps and abs(rate - info.fps) > SLACK * info.fps:
        yield "frame rate", f"says {rate:g} frames per second, the video has {info.fps:g}"
    ends = [one["generated_end_sec"] for one in chunks]
    if ends and info.fps:
        seconds = info.frames / info.fps
        if max(ends) > seconds * (1 + SLACK):
            yield "chunks past the end", f"the last chunk ends at {max(ends):.2f} s, the video at {seconds:.2f} s"
        elif max(ends) < seconds * (1 - SLACK):
            yield "chunks too short", f"the last chunk ends at {max(ends):.2f} s, the video at {seconds:.2f} s"
    starts = [one["generated_start_sec"] for one in chunks]
    if any(end <= start for start, end in zip(starts, ends, strict=True)):
        yield "reversed chunk", "a chunk ends before it begins"
    if any(abs(a - b) > 1e-3 for a, b in zip(starts[1:], ends[:-1], strict=True)):
        yield "gap or overlap", "a chunk does not begin where the one before it ends"
