"""What a user says about own footage: one clip per video, with the words and numbers of an optional table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from worldgauge.benchmarks.memobench.formulas.keyframes import Box
from worldgauge.core.case import Phases
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table
from worldgauge.media.folder_scan import find_videos

SHEET = "footage.csv"
"""Columns: video, and of prompt, subject, poses, exit, reenter, box, category, process whichever are known."""
POSE_SUFFIXES = ("npz", "npy", "json", "txt")


@dataclass(frozen=True)
class Shot:
    """One video of the user's."""

    video: Path
    prompt: str = ""
    subject: str = ""
    poses: Path | None = None
    """Camera file; None: to be estimated."""
    phases: Phases | None = None
    """Keyframes as given; None: to be found."""
    box: Box | None = None
    """Where the target is in the first frame."""
    tags: Mapping[str, str] | None = None


def read_shots(folder: Path, sheet: Path | None = None) -> list[Shot]:
    """The videos of a folder, or those that its table names.

    A camera file beside a video, under its name, is its path unless the table names another.
    """
    if not folder.is_dir():
        raise WorldGaugeError(f"{folder} is not a folder", "name the folder that holds your videos")
    sheet = sheet or (folder / SHEET if (folder / SHEET).is_file() else None)
    shots = [_named(folder, row, sheet) for row in read_table(sheet, ("video",))] if sheet else _found(folder)
    if not shots:
        raise WorldGaugeError(f"{sheet or folder} names no video", "put videos or frame folders there")
    return shots


def parse_box(text: str) -> Box:
    """
    >>> parse_box("0.3,0.2,0.7,0.8")
    (0.3, 0.2, 0.7, 0.8)
    """
    try:
        x0, y0, x1, y1 = (float(part) for part in text.split(","))
    except ValueError:
        x0 = y0 = x1 = y1 = -1.0
    if not (0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1):
        raise WorldGaugeError(f"box '{text}' is not X0,Y0,X1,Y1 in shares of the frame", "write 0.35,0.35,0.65,0.65")
    return x0, y0, x1, y1


def _found(folder: Path) -> list[Shot]:
    return [Shot(video, poses=_beside(video)) for video in find_videos(folder)]


def _named(folder: Path, row: Mapping[str, str], sheet: Path) -> Shot:
    video = folder / row["video"].strip()
    if not row["video"].strip() or not video.exists():
        raise WorldGaugeError(f"{sheet}: there is no video '{row['video']}'", f"name files below {folder}")
    named = row.get("poses", "").strip()
    if named and not (folder / named).is_file():
        raise WorldGaugeError(f"{sheet}: there is no camera file '{named}'", f"name files below {folder}")
    return Shot(
        video,
        row.get("prompt", "").strip(),
        row.get("subject", "").strip(),
        folder / named if named else _beside(video),
        _phases(row, sheet),
        parse_box(row["box"].replace(" ", ",")) if row.get("box", "").strip() else None,
        {name: row[name].strip() for name in ("category", "process") if row.get(name, "").strip()},
    )


def _beside(video: Path) -> Path | None:
    stem = video.name if video.is_dir() else video.stem
    return next((p for suffix in POSE_SUFFIXES if (p := video.parent / f"{stem}.{suffix}").is_file()), None)


def _phases(row: Mapping[str, str], sheet: Path) -> Phases | None:
    gone, back = row.get("exit", "").strip(), row.get("reenter", "").strip()
    if not gone and not back:
        return None
    if not (gone.isdigit() and back.isdigit() and int(gone) < int(back)):
        raise WorldGaugeError(
            f"{sheet}: keyframes '{gone}' and '{back}' of {row['video']} are not two frame numbers in order",
            "count frames from 0, or leave both empty to have them found",
        )
    return Phases(gone=int(gone), back=int(back))
