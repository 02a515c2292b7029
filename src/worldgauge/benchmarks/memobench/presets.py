"""How the paper's ten models were run (Table S1), as data."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.reading import read_toml_as
from worldgauge.core.registry import unknown_name

FILE = Path(__file__).with_name("presets.toml")
ModelKind = Literal["ci2v", "3d", "i2v"]
"""Camera-conditioned image-to-video, view synthesis, and image-to-video without a camera."""


class Preset(BaseModel):
    """One model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: ModelKind
    size: tuple[int, int]
    """Width and height."""
    fps: int
    frames: int
    note: str = ""


class PresetFile(BaseModel):
    """`presets.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: Literal[1] = Field(alias="schema")
    models: tuple[Preset, ...] = Field(alias="model")


def presets() -> dict[str, Preset]:
    """The presets by name, in the paper's order."""
    return {preset.name: preset for preset in read_toml_as(PresetFile, FILE).models}


def preset(name: str) -> Preset:
    """One preset; capital letters do not matter."""
    known = presets()
    found = {key.lower(): value for key, value in known.items()}.get(name.lower())
    if found is None:
        raise unknown_name("preset", name, list(known))
    return found
