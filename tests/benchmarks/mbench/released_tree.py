"""A made tree in the released layout: small files, any number of samples, no video of a real model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

CAPTIONS = [f"Camera turns. Paragraph {k} of the scene." for k in range(5)]
ACTION_COUNTS = {"environment": 227, "human": 120, "object": 100, "causal": 100}
TEXT_COUNTS = {"human": 120, "object": 80, "environment": 93}
TEXT_CAUSAL = {"camera": 200, "occlusion": 100, "dimming": 91}


def add_sample(folder: Path, subset: str, sample_id: str, **content: Any) -> Path:
    place = folder / "samples" / subset / sample_id
    place.mkdir(parents=True)
    media = {"first_frame": "first.png"} if content.pop("picture", False) else {}
    if media:
        Image.new("RGB", (128, 72), (90, 120, 60)).save(place / "first.png")
    base = {"sample_id": sample_id, "subset": subset, "caption": "A quiet yard.", "ground_truth_media": media}
    (place / "sample.json").write_text(json.dumps({**base, "metadata": {}, **content}))
    return place


def write_rows(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def action_tree(folder: Path, counts: dict[str, int] = ACTION_COUNTS, **content: Any) -> Path:
    """MBench-A: `left_then_right` and `right_then_left` in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dataset.yaml").write_text("dataset_id: mbencha\nname: MBench-A\n")
    rows = []
    for subset, count in counts.items():
        for k in range(count):
            sample = f"{subset}_{k:04d}"
            add_sample(folder, subset, sample, **content)
            condition = ("right_then_left", "left_then_right")[len(rows) % 2]
            rows.append({"item_id": f"{subset}:{sample}:{condition}", "dataset_id": "mbencha"})
    write_rows(folder / "mapping.jsonl", rows)
    return folder


def text_tree(folder: Path, counts: dict[str, int] = TEXT_COUNTS, causal: dict[str, int] = TEXT_CAUSAL) -> Path:
    """MBench-T: one condition, the causal samples under their ways of hiding."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dataset.yaml").write_text('dataset_id: "mbencht"\n')
    for subset, count in counts.items():
        for k in range(count):
            metadata = {"captions": CAPTIONS} | ({"object_name": "a red pot"} if subset == "object" else {})
            add_sample(folder, subset, f"{subset}_{k:04d}", metadata=metadata)
    for hiding, count in causal.items():
        for k in range(count):
            add_sample(folder, "causal", f"causal_{k:04d}_{hiding}", metadata={"captions": CAPTIONS})
    return folder


def model_rows(folder: Path, model: str, items: list[str], **row: Any) -> Path:
    """`models/<id>/samples.jsonl` with a video of each item."""
    root = folder / "models" / model
    rows = []
    for item in items:
        subset, sample, condition = item.split(":")
        path = f"outputs/{subset}/{sample}/{condition}/video.mp4"
        media = {"videos": [{"path": path, "role": "generated"}]}
        rows.append({"item_id": item, "model_id": model, "media": media, "artifacts": {}, **row})
    write_rows(root / "samples.jsonl", rows)
    return root
