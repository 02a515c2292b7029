"""A model's output folder in any layout one of the official tools accepts, read alike for every metric."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import is_folder, readable
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.media.frame_folder import SUFFIXES

log = logging.getLogger(__name__)

FRAME_FOLDERS = ("frames", "samples-rgb")
INPUTS = "inputs"
"""Folder in which `model_inputs` leaves first frames by clip: not a model's output."""


def find_videos(folder: Path, cases: list[Case]) -> Submission:
    """The video of each case below `folder`, a model's output.

    A clip is a file `<clip>.mp4`, else a folder `<clip>` with, in this order, `video.mp4`, `frames/`, `samples-rgb/` or
    images of its own. Real clips are named `NNN` (at the top or below a folder `Real`) or `real_NNN`. The place nearest
    to the top wins.
    """
    if not folder.is_dir():
        raise WorldGaugeError(f"{folder} is not a folder", "name a model's output folder")
    wanted = {name: case.id for case in cases for name in _names(case)}
    found: dict[str, Path] = {}
    for name, path in _clips(folder, set(wanted)):
        case_id = wanted[name]
        if case_id in found:
            log.warning("case %s has a second video at %s; %s is used", case_id, path, found[case_id])
            continue
        found[case_id] = path
    return Submission(
        ModelCard(name=readable(folder.resolve().name)), {case: Video(path) for case, path in found.items()}
    )


def _names(case: Case) -> list[str]:
    if case.tags.get("data_type") == "real":
        return [case.id, case.id.removeprefix("real_")]
    return [case.id]


def _clips(folder: Path, wanted: set[str]) -> Iterator[tuple[str, Path]]:
    """Clips level by level, files before folders, so that the first of a name is the one that counts."""
    level = [folder]
    inputs = folder / INPUTS
    entered: set[tuple[int, int]] = set()
    while level:
        deeper: list[Path] = []
        for parent in level:
            entries = _entries(parent, entered)
            for path in entries:
                if path.suffix.lower() == ".mp4" and path.stem in wanted and _belongs(path, folder):
                    yield path.stem, path
            files = {path.stem for path in entries if path.suffix.lower() == ".mp4"}
            for path in entries:
                if not is_folder(path) or path == inputs:
                    continue
                if path.name in wanted and path.name not in files and _belongs(path, folder):
                    video = _video_in(path)
                    if video is not None:
                        yield path.name, video
                elif path.name not in wanted:
                    deeper.append(path)
        level = deeper


def _entries(folder: Path, entered: set[tuple[int, int]]) -> list[Path]:
    """What lies in a folder; nothing where it was entered before, through whatever links, or cannot be read."""
    try:
        found = folder.stat()
        identity = (found.st_dev, found.st_ino)
        if identity in entered:
            return []
        entered.add(identity)
        return sorted(p for p in folder.iterdir() if not p.name.startswith("."))
    except OSError as error:
        log.warning("%s cannot be read (%s)", readable(str(folder)), error.strerror)
        return []


def _belongs(path: Path, folder: Path) -> bool:
    """A bare number is a real clip only at the top or below `Real`; elsewhere it may be anything."""
    name = path.stem if path.is_file() else path.name
    parents = [part.lower() for part in path.parent.relative_to(folder).parts]
    return not name.isdigit() or not parents or parents[-1].startswith("real")


def _video_in(folder: Path) -> Path | None:
    if (folder / "video.mp4").is_file():
        return folder / "video.mp4"
    for candidate in (*(folder / name for name in FRAME_FOLDERS), folder):
        if candidate.is_dir() and any(p.suffix.lower() in SUFFIXES for p in candidate.iterdir()):
            return candidate
    return None
