"""Any cases with references and phases written in the released layout, so that the official tools can read them too."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.data.cases import METADATA, REAL, SYNTHETIC, TARGET_MASK
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video


def write_released(root: Path, synthetic: Sequence[Case], real: Sequence[Case]) -> dict[str, str]:
    """Write both splits below `root` (the layout's `data` folder); returns the new case id of each case.

    Synthetic clips are numbered within their scene (the case's cluster), real ones from 1.
    """
    names: dict[str, str] = {}
    sheet: list[list[Any]] = [["video_folder", "exits", "re-enter", "prompt", "skip"]]
    table: list[list[Any]] = [["scene", "video_id", "subject", "exr_path", "prompt"]]
    numbers: dict[str, int] = {}
    for case in synthetic:
        scene = _scene(case)
        n = numbers[scene] = numbers.get(scene, 0) + 1
        clip = f"{scene}_{n:03d}"
        names[case.id] = clip
        folder = root / SYNTHETIC / scene / clip
        frames = _write_frames(folder / f"RGB{n}", _reference(case).frames(), "NewLevelSequence.{:04d}.png")
        camera = case.camera("reference")
        (folder / str(n)).mkdir(parents=True, exist_ok=True)
        np.save(folder / str(n) / "poses.npy", camera.poses)
        if camera.intrinsics is not None:
            np.save(folder / str(n) / "intrinsics.npy", _rows(camera))
        _copy_mask(case, folder)
        phases, subject = _phases(case), _subject(case)
        prompt = f"First person view sees a {subject}(subject) in the scene. {case.condition.prompt}"
        sheet.append([clip, *phases, prompt, "no"])
        table.append([scene, n, subject, f"data/{frames[0].relative_to(root).as_posix()}", prompt])
    real_sheet: list[list[Any]] = [["id", "exit", "reenter"]]
    real_table: list[list[Any]] = [["video_id", "subject", "full_image_path", "prompt"]]
    for n, case in enumerate(real, start=1):
        name = f"{n:03d}"
        names[case.id] = f"real_{name}"
        folder, video, camera = root / REAL / name, _reference(case), case.camera("reference")
        pictures = np.stack(list(video.frames()))
        first = _write_frames(folder / "FRAMES", pictures, "frame_{:04d}.png", start=1)[0]
        write_video(folder / f"{name}.mp4", pictures, video.info.fps or case.condition.fps or 30.0)
        (folder / "raw").mkdir(exist_ok=True)
        intrinsic = camera.intrinsics if camera.intrinsics is not None else np.eye(3)
        np.savez(folder / "raw" / f"{name}_mapanything.npz", cam_c2w=camera.poses, intrinsic=intrinsic)
        _copy_mask(case, folder)
        real_sheet.append([n, *_phases(case)])
        real_table.append([n, _subject(case), f"data/{first.relative_to(root).as_posix()}", case.condition.prompt])
    _write_sheet(root / SYNTHETIC / "Synthetic_ExitReenter.xlsx", sheet)
    _write_sheet(root / REAL / "Real_ExitReenter.xlsx", real_sheet)
    _write_csv(root / METADATA / "synthetic_metadata.csv", table)
    _write_csv(root / METADATA / "real_metadata.csv", real_table)
    return names


def _write_frames(folder: Path, frames: Iterable[np.ndarray], name: str, start: int = 0) -> list[Path]:
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, frame in enumerate(frames, start=start):
        files.append(folder / name.format(number))
        Image.fromarray(frame).save(files[-1])
    return files


def _reference(case: Case) -> Video:
    if case.reference.video is None:
        raise WorldGaugeError(f"case {case.id} has no reference video to write")
    return Video(case.path(case.reference.video))


def _phases(case: Case) -> tuple[int, int]:
    if case.reference.phases is None:
        raise WorldGaugeError(f"case {case.id} has no phases to write")
    return case.reference.phases.gone, case.reference.phases.back


def _scene(case: Case) -> str:
    return "".join(part.capitalize() for part in case.cluster_id.replace("-", "_").split("_"))


def _subject(case: Case) -> str:
    return case.reference.target.name if case.reference.target else "object"


def _rows(camera: CameraPath) -> np.ndarray:
    k = camera.intrinsics
    assert k is not None
    return np.stack([k[:, 0, 0], k[:, 1, 1], k[:, 0, 2], k[:, 1, 2]], axis=1)


def _copy_mask(case: Case, folder: Path) -> None:
    target = case.reference.target
    if target is not None and target.mask is not None:
        shutil.copyfile(case.path(target.mask), folder / TARGET_MASK)


def _write_sheet(file: Path, rows: list[list[Any]]) -> None:
    import openpyxl

    file.parent.mkdir(parents=True, exist_ok=True)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    book.save(file)


def _write_csv(file: Path, rows: list[list[Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
