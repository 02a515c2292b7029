"""Manifests of the released driver: which files make a case of a pipeline, by its own globs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.chunk_times import SUFFIX as TIMES
from worldgauge.benchmarks.worldolympiad.data.pipelines import pipeline_of
from worldgauge.benchmarks.worldolympiad.data.tree import MARK, PROMPTS
from worldgauge.core.errors import WorldGaugeError

REQUIRED = ("video", "gt_video", "prompt_json", "chunk_json", "output")


def released_rows(root: Path, pipeline: str) -> list[dict[str, str]]:
    """One row per case folder that has everything, as the original writes them, mistakes included.

    The first match of each sorted glob counts, so a sidecar is taken for the video where that is missing. Cases that
    lack a file are left out, so nobody expects them.
    """
    known = pipeline_of(pipeline)
    if known is None:
        raise WorldGaugeError(f"unknown pipeline '{pipeline}'")
    name, prefix = known
    rows = []
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        video = _first(folder, f"{prefix}{MARK}*.mp4")
        reference = _first(folder, "ref_*.mp4")
        prompts = folder / PROMPTS
        exact = None if video is None else video.with_name(video.stem + TIMES)
        times = exact if exact is not None and exact.exists() else _first(folder, f"{prefix}{MARK}*{TIMES}")
        if video is None or reference is None or times is None or not prompts.exists():
            continue
        rows.append(row_of(folder, name, prefix, video=video, reference=reference, times=times))
    return rows


def row_of(folder: Path, pipeline: str, prefix: str, *, video: Path, reference: Path, times: Path) -> dict[str, str]:
    """One row of a manifest."""
    return {
        "id": folder.name,
        "video": video.as_posix(),
        "gt_video": reference.as_posix(),
        "prompt_json": (folder / PROMPTS).as_posix(),
        "chunk_json": times.as_posix(),
        "output": (folder / f"{prefix}_judge_{folder.name}.json").as_posix(),
        "pipeline": pipeline,
        "pipeline_output_prefix": prefix,
    }


def fields_lacking(row: Any) -> list[str]:
    """Fields that a row of a manifest must have and has not.

    >>> fields_lacking({"video": "a.mp4", "gt_video": "b.mp4", "prompt_json": "p", "chunk_json": "", "output": "o"})
    ['chunk_json']
    """
    return [name for name in REQUIRED if not isinstance(row, Mapping) or not row.get(name)]


def _first(folder: Path, pattern: str) -> Path | None:
    found: Sequence[Path] = sorted(folder.glob(pattern))
    return found[0] if found else None
