"""Own footage into the official layout of real clips, as the reader of the released data set takes it."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from worldgauge.benchmarks.memobench.data.cases import METADATA, REAL
from worldgauge.benchmarks.memobench.footage.cameras import Estimator, read_path, with_view
from worldgauge.benchmarks.memobench.footage.sheet import Shot
from worldgauge.benchmarks.memobench.formulas.keyframes import Box, find_keyframes
from worldgauge.benchmarks.memobench.formulas.pose_smoothing import smooth_poses
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Phases
from worldgauge.core.errors import InvalidVideo, Outcome, WorldGaugeError
from worldgauge.core.video import Video, check_measurable
from worldgauge.media.encoder import write_video

KEYFRAMES, TABLE, RECORD = "Real_ExitReenter.xlsx", "real_metadata.csv", "footage.json"
FIRST_NUMBER = 1001
"""Numbers of the released clips end at 273: own ones never take a released clip's tags."""
COLUMNS = ("video_id", "subject", "full_image_path", "prompt", "category", "process")
QUALITY = 95
"""Of the JPEG frames."""


@dataclass(frozen=True)
class Choices:
    """What holds for all clips; written beside them."""

    convention: str = "opencv"
    """Of the camera files."""
    smoothing: float = 2.0
    """Standard deviation of the Gaussian window over the path, frames; 0: none."""
    view: float | None = None
    """Horizontal field of view in degrees, for camera files without intrinsics."""
    box: Box = (0.35, 0.35, 0.65, 0.65)
    """Where targets are in first frames, unless the table says so, to find keyframes by."""
    fps: float = 30.0
    """Of frame folders."""
    first_number: int = FIRST_NUMBER


def write_footage(
    shots: Sequence[Shot],
    out: Path,
    choices: Choices,
    estimator: Estimator,
    progress: Callable[[str], None] = lambda line: None,
) -> list[dict[str, Any]]:
    """Write every clip, the keyframe sheet, the metadata table and `footage.json`, which says where each number is
    from; returns its entries.

    All paths and keyframes are settled before anything is written: a clip that lacks one stops the whole, by name.
    """
    taken = next((p for p in (out / REAL, out / METADATA / TABLE, out / RECORD) if p.exists()), None)
    if taken is not None:
        raise WorldGaugeError(f"{taken} exists already", "name another folder with --out")
    settled = []
    for shot in shots:
        progress(f"camera  {shot.video.name}")
        settled.append(_settle(shot, choices, estimator))
    entries = []
    for number, (shot, video, raw, path, phases, said) in enumerate(settled, start=choices.first_number):
        progress(f"write   {shot.video.name} as {number:03d}")
        _write_clip(out / REAL / f"{number:03d}", f"{number:03d}", video, raw, path, choices.fps)
        entries.append(
            {"number": number, "video": str(shot.video), "exit": phases.gone, "reenter": phases.back, **said}
        )
    _write_tables(out, [shot for shot, *_ in settled], entries)
    record = {"choices": asdict(choices), "clips": entries}
    (out / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return entries


_Settled = tuple[Shot, Video, CameraPath, CameraPath, Phases, dict[str, str]]


def _settle(shot: Shot, choices: Choices, estimator: Estimator) -> _Settled:
    """A clip's camera path, as it is and smoothed, and its keyframes, with where both come from."""
    video = Video(shot.video, fps=choices.fps if shot.video.is_dir() else None)
    try:
        check_measurable(video.info)
        raw = read_path(shot.poses, choices.convention) if shot.poses else estimator.path_of(video)
    except InvalidVideo as refusal:
        raise WorldGaugeError(f"{shot.video}: {refusal}", "leave the clip out or mend it") from refusal
    except Outcome as outcome:
        hint = "give a camera file beside the video, or another instrument with --use poses=NAME"
        raise WorldGaugeError(f"{shot.video}: its camera cannot be estimated ({outcome})", hint) from outcome
    frames, size = video.info.frames, (video.info.width, video.info.height)
    if len(raw) != frames:
        raise WorldGaugeError(f"{shot.poses or shot.video}: {len(raw)} poses for {frames} frames", "give one per frame")
    raw = with_view(raw.checked(frames=frames, moving=True), size, choices.view)
    path = CameraPath(smooth_poses(raw.poses, choices.smoothing), raw.intrinsics, raw.size)
    said = {
        "poses": f"{shot.poses} ({choices.convention})" if shot.poses else f"estimated by {estimator.name}",
        "keyframes": "given" if shot.phases else "found from the camera path",
    }
    return shot, video, raw, path, shot.phases or _find(shot, path, size, choices.box), said


def _find(shot: Shot, path: CameraPath, size: tuple[int, int], box: Box) -> Phases:
    if path.intrinsics is None:
        raise WorldGaugeError(
            f"{shot.video}: keyframes cannot be found without intrinsics",
            "give exit and reenter in footage.csv, or --fov, or a camera file with intrinsics",
        )
    found = find_keyframes(path.rotation, path.intrinsics[0], size, shot.box or box)
    if found is None:
        raise WorldGaugeError(
            f"{shot.video}: by its turns alone the camera does not lose the target and see it again",
            "give exit and reenter in footage.csv, or the target's box",
        )
    return found


def _write_clip(folder: Path, name: str, video: Video, raw: CameraPath, path: CameraPath, fps: float) -> None:
    pictures = folder / "FRAMES"
    pictures.mkdir(parents=True)
    for number, frame in enumerate(video.frames(), start=1):
        Image.fromarray(frame).save(pictures / f"frame_{number:04d}.jpg", quality=QUALITY)
    if video.path.suffix.lower() == ".mp4" and video.path.is_file():
        shutil.copyfile(video.path, folder / f"{name}.mp4")
    else:
        write_video(folder / f"{name}.mp4", video.frames(), video.info.fps or fps)
    # The released code reads the path from `raw`, so that is where the smoothed one belongs.
    for kind, which in (("raw", path), ("unsmoothed", raw)):
        (folder / kind).mkdir()
        lens = {} if which.intrinsics is None else {"intrinsic": which.intrinsics}
        np.savez(folder / kind / f"{name}_mapanything.npz", cam_c2w=which.poses, **lens)  # type: ignore[arg-type]


def _write_tables(out: Path, shots: Sequence[Shot], entries: Sequence[dict[str, Any]]) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    rows = book.active
    assert rows is not None
    rows.append(["id", "exit", "reenter"])
    (out / METADATA).mkdir(parents=True, exist_ok=True)
    with (out / METADATA / TABLE).open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(COLUMNS)
        for shot, entry in zip(shots, entries, strict=True):
            rows.append([entry["number"], entry["exit"], entry["reenter"]])
            first = f"data/{REAL}/{entry['number']:03d}/FRAMES/frame_0001.jpg"
            tags = shot.tags or {}
            said = (tags.get("category", ""), tags.get("process", ""))
            table.writerow([entry["number"], shot.subject, first, shot.prompt, *said])
    book.save(out / REAL / KEYFRAMES)
