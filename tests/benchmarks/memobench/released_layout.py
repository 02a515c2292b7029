"""Writes a tiny data set in the released layout: frames of noise, spreadsheets, camera files, tables, questions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
from PIL import Image

import helpers

FRAMES = 12
SYNTHETIC = ("Barnyard_001", "Barnyard_002", "ZenGarden_010")
REAL = (1, 2, 7)
PROMPT = "First person view sees a red fox(subject) running right. Observer performs a U-turn and re-sees the fox."
REAL_PROMPT = "A view of a glass. The camera smoothly pans to the {side}, causing the glass to exit. It comes back."


def write_dataset(root: Path) -> Path:
    """Three synthetic clips (poses by array, by engine track, none) and three real ones; returns the data folder."""
    data = root / "data"
    rng = np.random.default_rng(0)
    sheet: list[list[Any]] = [["video_folder", "exits", "re-enter", "prompt", "skip"]]
    table: list[list[Any]] = [["scene", "video_id", "subject", "exr_path", "prompt"]]
    for clip in SYNTHETIC:
        scene, number = clip.rsplit("_", 1)
        folder, n = data / "Synthetic_processed" / scene / clip, int(number)
        write_frames(
            folder / f"RGB{n}", rng.integers(0, 256, (FRAMES, 24, 32, 3), np.uint8), "NewLevelSequence.{:04d}.jpg"
        )
        sheet.append([clip, 4, 8, PROMPT, "no"])
        table.append([scene, n, "fox", f"data/Synthetic_processed/{scene}/{clip}/RGB{n}/x.jpg", PROMPT])
    sheet[2][1] = "n/a"
    first = data / "Synthetic_processed" / "Barnyard" / "Barnyard_001" / "1"
    first.mkdir()
    np.save(first / "poses.npy", turn(FRAMES))
    np.save(first / "intrinsics.npy", np.tile([30.0, 31.0, 16.0, 12.0], (FRAMES, 1)))
    write_track(data / "Synthetic_processed" / "Barnyard" / "Barnyard_002" / "camera_full2.csv", FRAMES)
    write_sheet(data / "Synthetic_processed" / "Synthetic_ExitReenter.xlsx", sheet)
    real_sheet: list[list[Any]] = [["id", "exit", "reenter"]]
    real_table: list[list[Any]] = [["video_id", "subject", "full_image_path", "prompt"]]
    for number in REAL:
        folder = data / "Real_Raw" / f"{number:03d}"
        write_frames(folder / "FRAMES", rng.integers(0, 256, (FRAMES, 24, 32, 3), np.uint8), "frame_{:04d}.jpg")
        (folder / "raw").mkdir()
        np.savez(folder / "raw" / f"{number:03d}_mapanything.npz", cam_c2w=turn(FRAMES), intrinsic=np.eye(3))
        real_sheet.append([number, 3, 9])
        side = "left" if number == 1 else "right"
        real_table.append(
            [number, "a glass", "x.jpg", REAL_PROMPT.format(side=side) + ("" if number < 3 else " Other.")]
        )
    write_sheet(data / "Real_Raw" / "Real_ExitReenter.xlsx", real_sheet)
    write_csv(data / "sam3_metadata" / "synthetic_metadata.csv", table)
    write_csv(data / "sam3_metadata" / "real_metadata.csv", real_table)
    write_bank(data / "vqa_questions")
    return data


def turn(frames: int, degrees: float = 40.0) -> np.ndarray:
    """Camera-to-world poses of a pan."""
    poses = np.tile(np.eye(4), (frames, 1, 1))
    angles = np.radians(np.linspace(0, degrees, frames))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angles)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angles), -np.sin(angles)
    return poses


def write_frames(folder: Path, frames: np.ndarray, name: str = "{:05d}.png") -> None:
    folder.mkdir(parents=True)
    for number, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / name.format(number))


def write_track(file: Path, frames: int) -> None:
    header = ["frame", "rot_x", "rot_y", "rot_z", "loc_x", "loc_y", "loc_z", "fx", "fy", "cx", "cy"]
    write_csv(file, [header, *([i, 0, 0, 0.1 * i, i, 0, 0, 30, 30, 16, 12] for i in range(frames))])


def write_sheet(file: Path, rows: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(file)


def write_csv(file: Path, rows: list[list[Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)


def write_bank(folder: Path) -> None:
    """One bank of four questions, whose scene is spelled differently from the clip's folder."""
    dimensions = ["Instruction Following", "Instruction Following", "Continuity of Memory", "Physics Adherence"]
    polarities = ["Positive", "Negative", "Negative", "Positive"]
    final = [
        {"ID": i, "Dimension": d, "Dimension Polarity": p, "Question": f"Question {i}?"}
        for i, (d, p) in enumerate(zip(dimensions, polarities, strict=True), start=1)
    ]
    failed = [item | {"Answer": "Yes", "Verdict": "Pass" if item["ID"] < 4 else "Fail"} for item in final]
    header = ["scene", "video_id", "Start Questions", "Evaluation on ground truth", "Evaluation on failure"]
    header += ["Revised Evaluation on failure", "Final questions"]
    cells = [json.dumps(items) for items in (final, final, failed, failed, final)]
    write_csv(folder / "Zen_Garden-10-questions.csv", [header, ["Zen_Garden", 10, *cells]])
    failures = [["scene", "video_id", "hint", "folder", "Finished", "prompt"]]
    write_csv(folder / "failure-cases.csv", [*failures, ["Zen_Garden", 10, "", "ZenGarden_010", "Yes", ""]])


def run_noise(root: Path, shape: tuple[int, int, int], metrics: str, *flags: object) -> Path:
    """Write the data set and a model that makes noise of this shape (frames, height, width) of four of its clips, and
    run it with pocket instruments: `root/run`, with its signals in `root/store`."""
    write_dataset(root)
    rng = np.random.default_rng(1)
    for place in ("Synthetic/Barnyard/Barnyard_001", "Synthetic/ZenGarden/ZenGarden_010", "Real/001", "Real/007"):
        write_frames(root / "model" / place / "frames", rng.integers(0, 256, (*shape, 3), np.uint8))
    given = ["-b", "memobench", "--instruments", "pocket", "--data", root, "--store", root / "store", "-m", metrics]
    helpers.worldgauge("run", root / "model", *given, "-w", 1, *flags, "-o", root / "run", check=False)
    return root
