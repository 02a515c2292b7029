"""Anchors in the official field: a copy of a setting whose `sample.json` files hold them."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.data.anchors import ANCHORS_FILE, official_field, stored_anchors
from worldgauge.benchmarks.mbench.data.cases import file_of
from worldgauge.benchmarks.mbench.data.samples import DATASET_FILE, MAPPING_FILE, SAMPLES, Anchor, read_samples
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json
from worldgauge.core.reading_pictures import read_picture

SAMPLE_FILE = "sample.json"
FIELD = "object_anchor"


@dataclass(frozen=True)
class Exported:
    """What was written."""

    folder: Path
    anchors: int
    left_out: dict[str, str]
    """Samples whose anchor could not be written, and why."""


def export_anchors(data: Path, out: Path, overwrite: bool = False, file: Path | None = None) -> Exported:
    """Copy a setting (its samples, not models' clips) to `out`, with the anchors in the official field.

    A folder that holds something, the data set's own above all, is written to only with `overwrite`; then nothing is
    copied onto itself, and only samples with an anchor change.
    """
    anchors = stored_anchors(file or data / ANCHORS_FILE)
    if not anchors:
        raise WorldGaugeError(f"{data} has no anchors to export", "make some with --detect, --click or --file")
    samples = read_samples(data)
    same = out.resolve() == data.resolve()
    if not overwrite and (same or (out.exists() and any(out.iterdir()))):
        raise WorldGaugeError(f"{out} is not empty", "name a new folder, or give --overwrite")
    if not same:
        shutil.copytree(data / SAMPLES, out / SAMPLES, dirs_exist_ok=True)
        for name in (DATASET_FILE, MAPPING_FILE):
            if (data / name).is_file():
                shutil.copy2(data / name, out / name)
    written, left_out = 0, dict[str, str]()
    for (subset, sample_id), (place, sample) in samples.items():
        name = f"{subset}/{sample_id}"
        if name not in anchors:
            continue
        picture = file_of(data, place, sample.ground_truth_media.first_frame)
        if picture is None:
            left_out[name] = "it has no first frame on disk, so nobody knows what is a point"
            continue
        content = official_sample(place / SAMPLE_FILE, anchors[name], read_picture(data / picture).size)
        _replace(out / place.relative_to(data) / SAMPLE_FILE, content)
        written += 1
    return Exported(out, written, left_out)


def official_sample(file: Path, anchor: Anchor, size: tuple[int, int]) -> dict[str, Any]:
    """A sample's content with the anchor in it, everything else as it was."""
    content: dict[str, Any] = read_json(file)
    return content | {"metadata": {**(content.get("metadata") or {}), FIELD: official_field(anchor, size)}}


def _replace(file: Path, content: dict[str, Any]) -> None:
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    partial.replace(file)
