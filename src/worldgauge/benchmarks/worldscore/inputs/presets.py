"""The models the paper evaluates, as data: what each is given and what it makes (Table S1)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.benchmarks.worldscore.inputs.cameras import CameraType
from worldgauge.benchmarks.worldscore.inputs.prompts import ModelKind
from worldgauge.core.reading import read_toml_as
from worldgauge.core.registry import unknown_name
from worldgauge.core.submission import ModelCard


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Preset(_Model):
    """One model."""

    name: str
    version: str = ""
    """Day it was published, YY.MM.DD; empty where the table cannot be read."""
    ability: Literal["I2V", "T2V"]
    kind: ModelKind
    size: tuple[int, int]
    """Width and height."""
    length: float
    """Seconds of one clip."""
    fps: int
    frames: int
    """Frames of one clip; not always length x fps."""
    open: bool
    seconds: float
    """Time for one clip, as the authors had it on their graphics cards."""
    camera: bool
    """Whether it takes camera poses."""
    camera_type: CameraType = "tensor"
    camera_speed: float = 1.0


_TYPES: dict[ModelKind, str] = {"i2v": "Video", "t2v": "Video", "3d": "3D", "4d": "4D"}
"""The leaderboard's word for a kind of model; by it a 3D model is given 0 for motion, which it does not make."""


def card_of(name: str, kind: ModelKind, like: Preset | None = None) -> ModelCard:
    """The card of a model, with what is known of it: its type, and of a model of the paper also ability and access.

    >>> card_of("mine", "3d").model_dump()
    {'name': 'mine', 'type': '3D'}
    """
    fields = {"type": _TYPES[kind]}
    if like is not None:
        fields |= {"ability": like.ability, "accessibility": "open" if like.open else "closed"}
    elif kind in ("i2v", "t2v"):
        fields["ability"] = kind.upper()
    return ModelCard(name=name, **fields)


class _PresetFile(_Model):
    schema_version: Literal[1] = Field(alias="schema")
    benchmark: str
    models: tuple[Preset, ...] = Field(alias="model")


@lru_cache(maxsize=1)
def presets() -> tuple[Preset, ...]:
    """All of them, in the order of Table 2."""
    return read_toml_as(_PresetFile, Path(__file__).with_name("presets.toml")).models


def preset(name: str) -> Preset:
    """One by its name, however that is written."""
    for known in presets():
        if known.name.casefold() == name.casefold():
            return known
    raise unknown_name("preset", name, [known.name for known in presets()])
