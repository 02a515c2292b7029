"""The released files of one setting: `dataset.yaml`, `mapping.jsonl`, `samples/<subset>/<id>/sample.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json, read_json_lines, read_text, validated

DATASET_FILE = "dataset.yaml"
MAPPING_FILE = "mapping.jsonl"
SAMPLES = "samples"
MODELS = "models"
ROWS_FILE = "samples.jsonl"
TEXT_CONDITION = "text"
SETTINGS = {"mbencha": "A", "mbencht": "T"}
"""`dataset_id` to the setting."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class Anchor(_Model):
    """Where the target is in the first frame, in pixels."""

    center_x: float
    center_y: float
    width: float = 0.0
    height: float = 0.0
    source: str = ""
    """Who or what made it."""
    version: str = ""
    """Of the source: of a detector with its weights, of a click page, of a file."""


class Media(_Model):
    """Files of a sample, relative to its folder or to the data set."""

    source_video: str | None = None
    first_frame: str | None = None
    reference: str | None = None


class Sample(_Model):
    """`sample.json`."""

    sample_id: str
    subset: str
    caption: Any = ""
    ground_truth_media: Media = Media()
    metadata: dict[str, Any] = {}


@dataclass(frozen=True)
class Item:
    """A sample under a condition: one clip of a model."""

    subset: str
    sample_id: str
    condition_id: str

    @property
    def case_id(self) -> str:
        """Also the clip's folder below `outputs`."""
        return f"{self.subset}/{self.sample_id}/{self.condition_id}"

    @property
    def item_id(self) -> str:
        """As the released files spell it."""
        return f"{self.subset}:{self.sample_id}:{self.condition_id}"


def setting_of(folder: Path) -> str:
    """`T` or `A`, by the data set's own word."""
    text = read_text(folder / DATASET_FILE, missing="name the folder that holds dataset.yaml")
    found = re.search(r"^dataset_id\s*:\s*['\"]?([\w.-]+)", text, re.MULTILINE)
    name = found[1].lower().replace("-", "").replace("_", "") if found else ""
    if name not in SETTINGS:
        raise WorldGaugeError(
            f"{folder / DATASET_FILE} has dataset_id '{name}'", "mbencha and mbencht are the settings known"
        )
    return SETTINGS[name]


def read_samples(folder: Path) -> dict[tuple[str, str], tuple[Path, Sample]]:
    """Every sample with its folder, by subset and id."""
    found: dict[tuple[str, str], tuple[Path, Sample]] = {}
    for file in sorted((folder / SAMPLES).glob("*/*/sample.json")):
        sample = validated(Sample, read_json(file), str(file))
        key = sample.subset, sample.sample_id
        if key in found:
            raise WorldGaugeError(f"{file}: a second sample '{sample.sample_id}' of {sample.subset}", "keep one")
        found[key] = file.parent, sample
    if not found:
        raise WorldGaugeError(f"{folder / SAMPLES} holds no <subset>/<sample id>/sample.json")
    return found


def read_items(folder: Path, setting: str, samples: Mapping[tuple[str, str], Any]) -> list[Item]:
    """Which clips are asked for: by `mapping.jsonl`, else by the models' rows; text samples have one condition."""
    named: dict[Item, None] = {}
    for source in [folder / MAPPING_FILE, *sorted((folder / MODELS).glob(f"*/{ROWS_FILE}"))]:
        if source.is_file() and not named:
            named = dict.fromkeys(_items_in(source, setting))
    if not named and setting == "T":
        named = {Item(subset, sample, TEXT_CONDITION): None for subset, sample in samples}
    if not named:
        raise WorldGaugeError(
            f"{folder} does not say which action each sample is for",
            f"{MAPPING_FILE} or {MODELS}/<model>/{ROWS_FILE} with item_id or condition_id does",
        )
    strange = next((item for item in named if (item.subset, item.sample_id) not in samples), None)
    if strange is not None:
        raise WorldGaugeError(f"{folder}: item '{strange.item_id}' has no sample.json", "restore it or leave it out")
    return list(named)


def _items_in(file: Path, setting: str) -> Iterator[Item]:
    for number, row in read_json_lines(file):
        yield item_of(row, f"{file} line {number}", setting)


def item_of(row: Any, where: str, setting: str = "A") -> Item:
    """The item a row is about: its `item_id`, or its three parts."""
    if not isinstance(row, dict):
        raise WorldGaugeError(f"{where} is not an object")
    parts = str(row.get("item_id", "")).split(":")
    if len(parts) == 3:
        subset, sample, condition = parts
    else:
        subset, sample = str(row.get("subset", "")), str(row.get("sample_id", ""))
        condition = str(row.get("condition_id", "") or (TEXT_CONDITION if setting == "T" else ""))
    for name, part in (("subset", subset), ("sample_id", sample), ("condition_id", condition)):
        if not part or "/" in part or part in (".", ".."):
            raise WorldGaugeError(
                f"{where}: {name} '{part[:40]}' is not a name", "rows need item_id or its three parts"
            )
    return Item(subset, sample, condition)
