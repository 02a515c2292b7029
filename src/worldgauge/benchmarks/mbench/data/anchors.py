"""Anchors: where the target is in the first frame. The release has none for its object samples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.data.samples import Anchor, read_samples
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json_lines, validated
from worldgauge.core.reading_pictures import read_picture

ANCHORS_FILE = "anchors.jsonl"
"""Ours, beside the setting's `dataset.yaml`: one JSON object per sample, `sample` and the official fields."""
POINT_SHARE = 1 / 16
"""Of the shorter side of the frame: the side of the square that stands for a point, as trackers are given boxes."""

Box = tuple[float, float, float, float]


def is_point(anchor: Anchor, size: tuple[int, int]) -> bool:
    """Whether an anchor is a point: it has no size, or that of the whole frame.

    >>> is_point(Anchor(center_x=748, center_y=371, width=1280, height=720), (1280, 720))
    True
    """
    return anchor.width <= 0 or anchor.height <= 0 or (round(anchor.width), round(anchor.height)) == size


def box_of_anchor(anchor: Anchor, image: Path | None) -> Box | None:
    """The box x0, y0, x1, y1 an anchor means; None where it needs the first frame's size and there is no such file."""
    size = read_picture(image).size if image is not None else None
    if size is None and (anchor.width <= 0 or anchor.height <= 0):
        return None
    width, height = anchor.width, anchor.height
    if size is not None and is_point(anchor, size):
        width = height = POINT_SHARE * min(size)
    box = (
        anchor.center_x - width / 2, anchor.center_y - height / 2,
        anchor.center_x + width / 2, anchor.center_y + height / 2,
    )  # fmt: skip
    if size is None:
        return box
    return max(0.0, box[0]), max(0.0, box[1]), min(float(size[0]), box[2]), min(float(size[1]), box[3])


def read_anchors(file: Path) -> dict[str, Anchor]:
    """`<subset>/<sample id>` to its anchor."""
    found: dict[str, Anchor] = {}
    for number, row in read_json_lines(file, missing="name a file of anchors, one JSON object in each line"):
        where = f"{file} line {number}"
        if not isinstance(row, Mapping) or not isinstance(row.get("sample"), str):
            raise WorldGaugeError(f"{where} names no sample", "write sample, center_x, center_y, width, height, source")
        sample = str(row["sample"])
        if sample in found:
            raise WorldGaugeError(f"{where}: a second anchor of {sample}", "keep one")
        found[sample] = validated(Anchor, {key: value for key, value in row.items() if key != "sample"}, where)
    if not found:
        raise WorldGaugeError(f"{file} holds no anchor")
    return found


def write_anchors(file: Path, anchors: Mapping[str, Anchor]) -> None:
    """One line per sample, complete or not at all."""
    lines = [json.dumps({"sample": name, **anchor.model_dump(mode="json")}) for name, anchor in sorted(anchors.items())]
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    partial.replace(file)


@dataclass(frozen=True)
class Brought:
    """What became of a file of anchors."""

    file: Path
    anchors: int
    objects: int
    without: tuple[str, ...]
    """Object samples that still have none."""


def bring_anchors(data: Path, file: Path, out: Path | None = None) -> Brought:
    """Store the anchors of a file beside a setting's samples; each must name a sample and say who made it."""
    found, samples = read_anchors(file), read_samples(data)
    strange = sorted(set(found) - {f"{subset}/{sample}" for subset, sample in samples})
    if strange:
        raise WorldGaugeError(f"{file}: no sample '{strange[0]}' in {data}", "write <subset>/<sample id>")
    anonymous = next((name for name, anchor in found.items() if not anchor.source), None)
    if anonymous is not None:
        raise WorldGaugeError(f"{file}: the anchor of {anonymous} has no source", "say who or what made it")
    target = out or data / ANCHORS_FILE
    write_anchors(target, found)
    objects = sorted(f"{subset}/{sample}" for subset, sample in samples if subset == "object")
    return Brought(target, len(found), len(objects), tuple(name for name in objects if name not in found))


def official_field(anchor: Anchor) -> dict[str, Any]:
    """As it stands in a sample's metadata under `object_anchor`.

    >>> official_field(Anchor(center_x=1, center_y=2, width=3, height=4, source="file"))["source"]
    'file'
    """
    names = ("center_x", "center_y", "width", "height", "source")
    return {name: getattr(anchor, name) for name in names}
