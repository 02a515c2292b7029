"""Finding a model's videos: `samples.jsonl` beside them, else `outputs/<subset>/<sample>/<condition>/video.mp4`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.data.samples import ROWS_FILE, item_of
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import readable
from worldgauge.core.reading import read_json_lines
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video

OUTPUTS = "outputs"
VIDEO = "video.mp4"
SUFFIXES = (".mp4", ".webm", ".mkv", ".mov", ".avi")


def find_videos(folder: Path, cases: list[Case]) -> Submission:
    """The videos of a model: as its `samples.jsonl` lists them, in the official tree, or one file per case."""
    rows = folder / ROWS_FILE
    name, listed = _listed(rows) if rows.is_file() else ("", {})
    videos: dict[str, Video] = {}
    for case in cases:
        item = str(case.extras.get("item_id", ""))
        found = listed.get(item) or _find(folder, case.id)
        if found is not None:
            videos[case.id] = found
    if not videos:
        first = cases[0].id
        raise WorldGaugeError(
            f"{folder} holds no video of this benchmark",
            f"expected {ROWS_FILE}, {OUTPUTS}/{first}/{VIDEO} or {first}.mp4",
        )
    return Submission(ModelCard(name=name or readable(folder.resolve().name)), videos)


def _listed(file: Path) -> tuple[str, dict[str, Video]]:
    """The model's name and its videos by item id."""
    name, videos = "", dict[str, Video]()
    for number, row in read_json_lines(file):
        where = f"{file} line {number}"
        item = item_of(row, where, setting="T")
        name = name or str(row.get("model_id") or "")
        path = _generated(row)
        if path is None:
            continue
        if item.item_id in videos:
            raise WorldGaugeError(f"{where}: a second video of {item.item_id}", "keep one row for each item")
        # Relative to the model's folder, or to the data set's, two levels up.
        places = [file.parent / path, file.parent.parent.parent / path]
        videos[item.item_id] = Video(next((place for place in places if place.exists()), places[0]))
    return name, videos


def _generated(row: dict[str, Any]) -> str | None:
    media = row.get("media")
    videos = media.get("videos") if isinstance(media, dict) else None
    for video in videos if isinstance(videos, list) else ():
        if isinstance(video, dict) and video.get("role", "generated") == "generated" and video.get("path"):
            return str(video["path"])
    return None


def _find(folder: Path, case_id: str) -> Video | None:
    for place in (folder / OUTPUTS / case_id / VIDEO, folder / case_id / VIDEO):
        if place.is_file():
            return Video(place)
    for suffix in SUFFIXES:
        video = Video(folder / f"{case_id}{suffix}")
        if video.is_there:
            return video
    return None
