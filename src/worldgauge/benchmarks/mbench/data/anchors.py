"""Anchors: where the target is in the first frame. The release has none for its object samples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.data.samples import Anchor, read_samples
from worldgauge.core.canonical import short
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.reading import read_json_lines, validated
from worldgauge.core.reading_pictures import read_picture
from worldgauge.report.one_writer import only_writer

ANCHORS_FILE = "anchors.jsonl"
"""Ours, beside the setting's `dataset.yaml`: one JSON object per sample, `sample`, the official fields, `version`."""
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
    """One line per sample, complete or not at all; where there is none, no file."""
    if not anchors:
        file.unlink(missing_ok=True)
        return
    lines = [json.dumps({"sample": name, **anchor.model_dump(mode="json")}) for name, anchor in sorted(anchors.items())]
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    partial.replace(file)


def stored_anchors(file: Path) -> dict[str, Anchor]:
    """The anchors of a file that may not be there yet."""
    return read_anchors(file) if file.is_file() else {}


@dataclass(frozen=True)
class Brought:
    """What became of a file of anchors."""

    file: Path
    anchors: int
    replaced: int
    """Samples that had another anchor before."""
    objects: int
    without: tuple[str, ...]
    """Object samples that still have none."""


def bring_anchors(data: Path, file: Path, out: Path | None = None) -> Brought:
    """Store the anchors of a file beside a setting's samples; each must name a sample and say who made it.

    Those stored before stay, but for the samples that the file names. A line without a version gets the file's digest.
    """
    found, samples = read_anchors(file), read_samples(data)
    strange = sorted(set(found) - {f"{subset}/{sample}" for subset, sample in samples})
    if strange:
        raise WorldGaugeError(f"{file}: no sample '{strange[0]}' in {data}", "write <subset>/<sample id>")
    anonymous = next((name for name, anchor in found.items() if not anchor.source), None)
    if anonymous is not None:
        raise WorldGaugeError(f"{file}: the anchor of {anonymous} has no source", "say who or what made it")
    target = out or data / ANCHORS_FILE
    version = f"sha256-{short(digest_file(file))}"
    found = {
        name: anchor if anchor.version else anchor.model_copy(update={"version": version})
        for name, anchor in found.items()
    }
    with only_writer(target):
        before = {} if target.resolve() == file.resolve() else stored_anchors(target)
        write_anchors(target, {**before, **found})
    replaced = sum(name in before and before[name] != anchor for name, anchor in found.items())
    objects = sorted(f"{subset}/{sample}" for subset, sample in samples if subset == "object")
    without = tuple(name for name in objects if name not in found and name not in before)
    return Brought(target, len(found), replaced, len(objects), without)


def official_field(anchor: Anchor, size: tuple[int, int]) -> dict[str, Any]:
    """As it stands in a sample's metadata under `object_anchor`: a point has the width and height of the frame.

    >>> official_field(Anchor(center_x=1, center_y=2, source="me", version="1"), (64, 48))
    {'center_x': 1.0, 'center_y': 2.0, 'width': 64, 'height': 48, 'source': 'me 1'}
    """
    width, height = size if is_point(anchor, size) else (anchor.width, anchor.height)
    source = " ".join(filter(None, (anchor.source, anchor.version)))
    return {
        "center_x": anchor.center_x, "center_y": anchor.center_y, "width": width, "height": height, "source": source,
    }  # fmt: skip
