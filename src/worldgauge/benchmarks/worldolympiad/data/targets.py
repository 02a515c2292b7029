"""The thing of each case whose course is measured, kept with the data: the released tree names none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.case import Target
from worldgauge.core.reading import read_json, validated

FILE_NAME = "targets.json"


class Targets(BaseModel):
    """Case to its target: a name, and its box in the first frame, px of the reference, right and bottom excluded."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    schema_version: Literal[1] = Field(default=1, alias="schema")
    chosen: str = ""
    """By whom."""
    cases: dict[str, Target]


def known_targets(root: Path) -> dict[str, Target]:
    """Out of `targets.json` of the data set; empty where there is none."""
    file = root / FILE_NAME
    return validated(Targets, read_json(file), str(file)).cases if file.is_file() else {}


def write_targets(root: Path, targets: Mapping[str, Target], chosen: str) -> Path:
    """Keep the targets; `chosen` says by whom."""
    file = root / FILE_NAME
    found = Targets(chosen=chosen, cases=dict(sorted(targets.items())))
    file.write_text(
        json.dumps(found.model_dump(by_alias=True, exclude_none=True), indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    return file
