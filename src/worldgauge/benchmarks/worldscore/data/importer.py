"""Finding a model's videos: the official output tree, or one video file per case."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import is_folder, readable
from worldgauge.core.reading import read_json
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video

log = logging.getLogger(__name__)

OUTPUT_FOLDER = "worldscore_output"
VIDEO_SUFFIXES = (".mp4", ".webm", ".mkv", ".mov", ".avi", ".gif")


def find_videos(folder: Path, cases: list[Case]) -> Submission:
    """The videos of a model: `<case id>/frames/`, `<case id>.mp4` or `<case id with _>.mp4`; anything else is ignored.

    With the official tree the number of frames that `image_data.json` promises goes along, so that a video of another
    length is invalid.
    """
    root = folder / OUTPUT_FOLDER if (folder / OUTPUT_FOLDER).is_dir() else folder
    videos: dict[str, Video] = {}
    for case in cases:
        found = _find(root, case.id)
        if found is not None:
            videos[case.id] = found
    if not videos:
        raise WorldGaugeError(
            f"{folder} holds no video of this benchmark",
            f"expected {cases[0].id}/frames/, {cases[0].id}.mp4 or {cases[0].id.replace('/', '_')}.mp4",
        )
    return Submission(ModelCard(name=readable(folder.resolve().name)), videos)


def _find(root: Path, case_id: str) -> Video | None:
    frames = root / case_id / "frames"
    if is_folder(frames):
        return Video(frames, expected_frames=_promised(root / case_id / "image_data.json"))
    for stem in (case_id, case_id.replace("/", "_")):
        for suffix in VIDEO_SUFFIXES:
            # Not with_suffix: an instance name may hold a dot.
            video = Video(root / f"{stem}{suffix}")
            if video.is_there:
                return video
    return None


def _promised(file: Path) -> int | None:
    """Frames that `image_data.json` says were asked for; None where there is no such file or it is damaged."""
    if not file.is_file():
        return None
    try:
        content: Any = read_json(file)
        return int(content["total_frames"])
    except (WorldGaugeError, KeyError, TypeError, ValueError) as error:
        log.warning("%s is damaged (%s); the number of frames is not checked", file, error)
        return None
