"""Curating a folder of videos: which files are videos, who is asked, and what is written."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.curation.stages import Curated, curate_video
from worldgauge.benchmarks.worldolympiad.data.pipelines import cleaned
from worldgauge.benchmarks.worldolympiad.data.tree import PROMPTS
from worldgauge.core.asking import Spending
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.judge.instrument import Judge
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.many import each_of

SUFFIXES = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi")
STAGES = "stages"
FOLDERS = {"general": "general", "gaming": "gaming", "robotics": "embodied"}
"""Domain to its folder in the released tree."""


@dataclass(frozen=True)
class Looks:
    """How much is shown."""

    frames: int = 32
    """Of a whole video."""
    cut_frames: int = 8
    """Of a cut clip."""


def videos_below(folder: Path) -> dict[str, Path]:
    """Video files below a folder by the name their case gets, sorted."""
    if not folder.is_dir():
        raise WorldGaugeError(f"{folder} is not a folder", "name a folder of videos")
    found: dict[str, Path] = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES):
        name = cleaned(path.relative_to(folder).with_suffix("").as_posix())
        if name in found:
            raise WorldGaugeError(f"{found[name]} and {path} would both be case '{name}'", "rename one of them")
        found[name] = path
    if not found:
        raise WorldGaugeError(f"{folder} holds no video", f"they end in {', '.join(SUFFIXES)}")
    return found


def curate_folder(
    videos: Path, out: Path, domain: str, judge: Judge, spending: Spending, looks: Looks
) -> tuple[list[Curated], dict[str, str]]:
    """Curate every video below a folder into a tree of cases; returns what came of them, and why some have nothing.

    Answers are kept in `out`, so that the same call goes on where it stopped. A case appears when all its stages are
    done; what breaks a rule is asked again, and never written.
    """
    found = videos_below(videos)

    def one(name: str) -> Curated:
        curated = curate_video(name, Video(found[name]), domain, asking, looks.frames, looks.cut_frames)
        write_case(out, curated, found[name])
        return curated

    with KeptAnswers(judge, out, spending) as asking:
        return each_of(list(found), one, judge.concurrency, name=str)


def write_case(out: Path, curated: Curated, video: Path) -> Path:
    """Write the stages apart below `stages`, then the case with its reference; `prompt.json` comes last."""
    case = out / FOLDERS[curated.domain] / curated.name
    try:
        stages = out / STAGES / curated.name
        stages.mkdir(parents=True, exist_ok=True)
        for name, content in curated.stages().items():
            _write_json(stages / f"{name}.json", content)
        case.mkdir(parents=True, exist_ok=True)
        _bring(video, case / f"ref_{curated.name}.mp4")
        _write_json(case / PROMPTS, curated.prompts())
    except OSError as error:
        raise CannotWrite(f"cannot write {case} ({error.strerror})", "free space, then run it again") from error
    return case


def _bring(video: Path, target: Path) -> None:
    """The reference of a case: the same file where that can be, another container as MP4."""
    if target.exists():
        return
    if video.suffix.lower() not in (".mp4", ".m4v"):
        from worldgauge.media.encoder import write_video

        clip = Video(video)
        write_video(target, clip.frames(), clip.info.fps or 1.0)
        return
    partial = target.with_name(f".{target.name}.partial")
    partial.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        os.link(video.resolve(), partial)
    if not partial.exists():
        shutil.copyfile(video, partial)
    partial.replace(target)


def _write_json(file: Path, content: dict[str, Any] | Sequence[Any]) -> None:
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    partial.replace(file)
