"""Curated clips in the released layout: a folder for each setting, which the reader takes as it takes the release."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from worldgauge.benchmarks.mbench.curation.motions import instructions
from worldgauge.benchmarks.mbench.curation.writing import Curated
from worldgauge.benchmarks.mbench.data.case_parts import ACTION, TEXT
from worldgauge.benchmarks.mbench.data.samples import DATASET_FILE, MAPPING_FILE, SAMPLES, TEXT_CONDITION, Item
from worldgauge.core.frames import FrameSpec

FOLDERS: Final = {TEXT: "MBench-T", ACTION: "MBench-A"}
_IDS: Final = {TEXT: "mbencht", ACTION: "mbencha"}
FIRST_FRAME: Final = "first.png"
_TURNS: Final = ("left_then_right", "right_then_left")


def write_samples(one: Curated, out: Path, settings: Iterable[str], length: str, made_by: Mapping[str, Any]) -> None:
    """The samples of a kept clip; `sample.json` is written last, so that a folder with one is whole."""
    for setting in settings:
        for item, way in items_of(one, setting, length):
            place = out / FOLDERS[setting] / SAMPLES / item.subset / item.sample_id
            place.mkdir(parents=True, exist_ok=True)
            if not (place / FIRST_FRAME).is_file():
                _write_first_frame(one, place / FIRST_FRAME)
            _replace(
                place / "sample.json",
                json.dumps(sample_of(one, item, way, place, made_by), indent=1, ensure_ascii=False),
            )


def write_indexes(kept: Iterable[Curated], out: Path, settings: Iterable[str], length: str) -> dict[str, int]:
    """`dataset.yaml` and `mapping.jsonl` of every setting; returns how many items each has."""
    listed, counts = list(kept), {}
    for setting in settings:
        folder = out / FOLDERS[setting]
        folder.mkdir(parents=True, exist_ok=True)
        items = [item for one in listed for item, _ in items_of(one, setting, length)]
        rows = [
            {
                "item_id": item.item_id, "dataset_id": _IDS[setting], "subset": item.subset,
                "sample_id": item.sample_id, "condition_id": item.condition_id,
            }
            for item in items
        ]  # fmt: skip
        _replace(folder / DATASET_FILE, f"dataset_id: {_IDS[setting]}")
        _replace(folder / MAPPING_FILE, "\n".join(json.dumps(row) for row in rows))
        counts[FOLDERS[setting]] = len(items)
    return counts


def items_of(one: Curated, setting: str, length: str) -> list[tuple[Item, str]]:
    """The items of a kept clip, and the way of hiding that each one's captions have.

    A text sample for every way of hiding; in the other setting one, which turns left first or right by its name.
    """
    if setting == TEXT:
        return [
            (Item(one.subset, f"{one.clip.id}_{way}" if way else one.clip.id, TEXT_CONDITION), way)
            for way in one.captions
        ]
    side = hashlib.sha256(one.clip.id.encode()).digest()[0] % 2
    suffix = "" if length == "25s" else f"_{length}"
    return [(Item(one.subset, one.clip.id, f"{_TURNS[side]}{suffix}"), next(iter(one.captions)))]


def sample_of(one: Curated, item: Item, way: str, place: Path, made_by: Mapping[str, Any]) -> dict[str, Any]:
    """`sample.json`."""
    written, target = one.captions[way], one.description["target"]
    camera = {"motion": written["motion"], "side": written["side"]}
    return {
        "sample_id": item.sample_id,
        "subset": item.subset,
        "caption": f"{one.description['scene']} {one.description['activity']}",
        "ground_truth_media": {"source_video": os.path.relpath(one.clip.video.path, place), "first_frame": FIRST_FRAME},
        "metadata": {
            "captions": list(written["captions"]),
            "paragraphs": list(written["paragraphs"]),
            "camera": {**camera, "instructions": instructions(written["motion"], written["side"])},
            "object_name": target["name"],
            "attributes": list(target["attributes"]),
            **({"state": dict(one.description["state"])} if "state" in one.description else {}),
            "description": dict(one.description),
            "questions": [dict(question) for question in one.questions],
            "source": {"clip": one.clip.name, "digest": one.clip.video.digest, **made_by},
        },
    }


def _write_first_frame(one: Curated, file: Path) -> None:
    from PIL import Image

    (frame,) = one.clip.video.frames(FrameSpec.at(0))
    partial = file.with_name(f".{file.name}.partial")
    Image.fromarray(frame).save(partial, "PNG")
    partial.replace(file)


def _replace(file: Path, text: str) -> None:
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(f"{text}\n" if text else "", "utf-8", "backslashreplace")
    partial.replace(file)
