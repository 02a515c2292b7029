"""Writing what a model needs: one folder per case, a list of them, and a list of what the model cannot do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from worldgauge.benchmarks.worldolympiad.data.chunk_times import SUFFIX
from worldgauge.benchmarks.worldolympiad.data.pipelines import PREFIXES, cleaned
from worldgauge.benchmarks.worldolympiad.inputs.actions import Sideways
from worldgauge.benchmarks.worldolympiad.inputs.controls import camera_poses, controls
from worldgauge.benchmarks.worldolympiad.inputs.families import Family
from worldgauge.benchmarks.worldolympiad.inputs.plan import Lengths, main_start, planned_chunks
from worldgauge.core.benchmark import load_benchmark
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frames import FrameSpec
from worldgauge.core.model_inputs import choose_cases
from worldgauge.core.video import Video

INDEX, UNSUPPORTED = "inputs.jsonl", "unsupported.jsonl"
FOLDER = "inputs"
FIRST, CHUNKS, CAMERA = "first.png", "chunks.json", "camera.npz"
FirstFrame = Literal["file", "interval"]
"""Where the first frame is taken from: the beginning of the file, or of the main interval."""


@dataclass(frozen=True)
class Wanted:
    """What is written for a model."""

    family: Family
    lengths: Lengths
    first: FirstFrame = "interval"
    sideways: Sideways = "move"
    size: tuple[int, int] | None = None
    """Of the first frame; None: that of the reference."""

    @property
    def prefix(self) -> str:
        return PREFIXES.get(self.family.name) or cleaned(self.family.name.replace("-", "_"))


def write_inputs(
    data: Path, out: Path, wanted: Wanted, where: Mapping[str, str] | None = None, names: Sequence[str] = ()
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Write a folder per case below `out/inputs`, `inputs.jsonl` and `unsupported.jsonl`; returns what both hold.

    An entry's `output` is where the model's video is looked for below `out`, in the released layout.
    """
    cases = choose_cases(load_benchmark("worldolympiad", data).cases, names, where)
    entries: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    for case in cases:
        try:
            entries.append(_write_case(case, out, wanted))
        except WorldGaugeError as error:
            refused.append({"case": case.id, "unsupported": error.message})
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in ((INDEX, entries), (UNSUPPORTED, refused)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (out / name).write_text(text, "utf-8")
    return entries, refused


def _write_case(case: Case, out: Path, wanted: Wanted) -> dict[str, Any]:
    chunks = case.extras.get("chunks", [])
    planned = planned_chunks(chunks, wanted.family, wanted.lengths)
    # Before anything is written: what the model cannot do leaves no folder behind.
    told = controls(wanted.family, planned, wanted.sideways)
    poses = camera_poses(wanted.family, planned, wanted.sideways) if wanted.family.control == "poses" else None
    picture = _first_frame(case, main_start(chunks) if wanted.first == "interval" else 0.0)
    if wanted.size is not None:
        picture = picture.resize(wanted.size, Image.Resampling.LANCZOS)
    folder = out / FOLDER / case.id
    folder.mkdir(parents=True, exist_ok=True)
    picture.save(folder / FIRST)
    fps = wanted.lengths.fps
    entry: dict[str, Any] = {
        "case": case.id,
        "folder": folder.relative_to(out).as_posix(),
        "image": (folder / FIRST).relative_to(out).as_posix(),
        "image_is_seen": wanted.family.first_frame,
        "image_at": wanted.first,
        "size": list(picture.size),
        "fps": fps,
        "frames": sum(one.frames for one in planned),
        "call": wanted.family.call,
        "chunks": [one.timed(fps) for one in planned],
        "control": told,
    }
    if poses is not None:
        CameraPath(poses, None, picture.size).save(folder / CAMERA)
        entry["camera"] = (folder / CAMERA).relative_to(out).as_posix()
    place = case.tags.get("folder") or f"{case.tags.get('domain', 'general')}/{case.id}"
    video = f"{place}/{wanted.prefix}_gen_{Path(place).name}"
    entry |= {"output": f"{video}.mp4", "times": f"{video}{SUFFIX}"}
    (folder / CHUNKS).write_text(json.dumps(entry, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return entry


def _first_frame(case: Case, seconds: float) -> Image.Image:
    if case.reference.video is None:
        raise WorldGaugeError("the case has no reference video, so it has no first frame")
    video = Video(case.path(case.reference.video))
    info = video.info
    if seconds and not info.fps:
        raise WorldGaugeError("the reference has no frame rate, so its main interval cannot be found")
    index = round(seconds * (info.fps or 0.0))
    if index >= info.frames:
        raise WorldGaugeError(f"the main interval begins at {seconds:g} s, after the end of the reference")
    return Image.fromarray(np.asarray(next(iter(video.frames(FrameSpec.at(index))))))
