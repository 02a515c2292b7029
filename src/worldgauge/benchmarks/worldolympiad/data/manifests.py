"""Manifests of the released driver, in and out: which video of a model belongs to which case of a tree.

The original leaves a case out that lacks a file and takes a sidecar for a video that is missing; here either is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.importer import card_of
from worldgauge.benchmarks.worldolympiad.data.pipelines import cleaned, pipeline_of
from worldgauge.benchmarks.worldolympiad.data.tree import PROMPTS, CaseFolder, case_folders, is_sidecar
from worldgauge.benchmarks.worldolympiad.official.manifest import fields_lacking, row_of
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json_lines
from worldgauge.core.submission import Submission
from worldgauge.core.video import Video

Remarks = list[str]


def manifest_rows(tree: Path, name: str) -> tuple[dict[str, list[dict[str, str]]], Remarks]:
    """Rows of one model by the folder of their domain, and why cases have none."""
    pipeline, prefix = pipeline_of(name) or (name, cleaned(name))
    rows: dict[str, list[dict[str, str]]] = {}
    remarks: Remarks = []
    for folder in case_folders(tree):
        video, reference = folder.generated(prefix), folder.reference
        times = None if video is None else folder.times(video)
        lacking = list(_lacking(folder, video, reference, times))
        if video is None or reference is None or times is None or lacking:
            remarks.append(f"{folder.name}: no {', no '.join(lacking)}")
            continue
        row = row_of(folder.path, pipeline, prefix, video=video, reference=reference, times=times)
        rows.setdefault(folder.path.parent.name, []).append(row)
    if not rows:
        raise WorldGaugeError(
            f"{tree} holds no whole case of '{name}'", remarks[0] if remarks else "name another model"
        )
    return rows, remarks


def write_manifests(rows: Mapping[str, Sequence[Mapping[str, str]]], out: Path) -> list[Path]:
    """One file per domain, named as the original names them."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for domain, own in rows.items():
        file = out / f"{domain}_{own[0]['pipeline_output_prefix']}_all.jsonl"
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in own), "utf-8")
        written.append(file)
    return written


def submissions_of(files: Sequence[Path], tree: Path, cases: Sequence[Case]) -> tuple[dict[str, Submission], Remarks]:
    """Prefix to a submission of the videos that manifests name, and what was left out, and why."""
    places = {folder.path.resolve(): folder for folder in case_folders(tree)}
    ids = {(case.tags.get("domain", ""), case.id.rpartition("/")[2]): case.id for case in cases}
    videos: dict[str, dict[str, Video]] = {}
    remarks: Remarks = []
    for file in files:
        for number, row in read_json_lines(file, missing="write it with 'worldgauge worldolympiad manifests'"):
            where = f"{file.name} line {number}"
            if lacking := fields_lacking(row):
                remarks.append(f"{where}: no {', no '.join(lacking)}")
                continue
            video, reference, times = (_found(file, row[name]) for name in ("video", "gt_video", "chunk_json"))
            folder = places.get(reference.resolve().parent)
            problem = _problem(video, times, folder)
            if problem or folder is None:
                remarks.append(f"{where}: {problem}")
                continue
            prefix = str(row.get("pipeline_output_prefix") or _prefix(row, video))
            videos.setdefault(prefix, {})[ids[folder.domain, folder.name]] = Video(video, beside=times)
    if not videos:
        raise WorldGaugeError("no row of a manifest names a video of this tree", remarks[0] if remarks else "")
    return {prefix: Submission(card_of(prefix), own) for prefix, own in videos.items()}, remarks


def _lacking(folder: CaseFolder, video: Path | None, reference: Path | None, times: Path | None) -> Iterator[str]:
    if not (folder.path / PROMPTS).is_file():
        yield PROMPTS
    if reference is None:
        yield "reference video"
    if video is None:
        yield "video"
    elif times is None:
        yield "timestamp file"


def _problem(video: Path, times: Path, folder: CaseFolder | None) -> str:
    if folder is None:
        return "its reference lies in no case of the tree"
    if is_sidecar(video):
        return f"{video.name} was made by an evaluation, it is no video of a model"
    return next((f"{path} is not there" for path in (video, times) if not path.is_file()), "")


def _found(file: Path, name: Any) -> Path:
    """A path as a row has it: absolute, or from any folder above the manifest, which the original was started in."""
    bases = (Path(), *file.resolve().parents)
    return next((base / str(name) for base in bases if (base / str(name)).exists()), Path(str(name)))


def _prefix(row: Mapping[str, Any], video: Path) -> str:
    known = pipeline_of(str(row.get("pipeline", "")))
    return known[1] if known else video.name.partition("_gen_")[0]
