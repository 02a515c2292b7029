"""Families of models, as data: what each is told, in which words, and how long its clips can be."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.benchmarks.worldolympiad.data.pipelines import pipeline_of
from worldgauge.benchmarks.worldolympiad.inputs.lengths import FrameRule
from worldgauge.core.reading import read_toml_as
from worldgauge.core.registry import unknown_name

FILE = Path(__file__).with_name("families.toml")


class Family(BaseModel):
    """One family."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    control: Literal["captions", "verbs", "poses"]
    """What it is told beside the first frame. Captions go to all of them."""
    verbs: tuple[str, ...] = ()
    """Verbs it knows, in one spelling for all families."""
    spelled: dict[str, str] = {}
    """Verbs it spells otherwise."""
    per_verb: int = Field(default=4, ge=1)
    """Frames that one verb of a list lasts."""
    held: bool = False
    """Whether the verbs of a call are held together, not one after the other."""
    joined: str = ""
    """What joins a move and a turn into one verb of a list; empty: it does one thing after another."""
    most_held: int | None = None
    """Verbs that can be held together."""
    call: Literal["clip", "chunk"] = "clip"
    """Whether the whole clip is one call, or every chunk begins from the end of the one before."""
    merged: int | None = None
    """Characters of the one prompt that all captions become, where chunks cannot be told apart."""
    step: int = Field(default=1, ge=1)
    offset: int = 0
    """A call has `step` x n + `offset` frames."""
    frames: int | None = None
    """Frames of a whole clip, where it has one length only."""
    without_interval: int | None = None
    """Frames of a chunk that has no interval."""
    fps: float | None = None
    size: tuple[int, int] | None = None
    """Width and height."""
    first_frame: bool = True
    """Whether it sees the first frame."""
    forward: float | None = None
    """Units per frame that a pose-driven model moves at."""
    turn: float | None = None
    """Degrees per frame."""
    note: str = ""

    @property
    def rule(self) -> FrameRule:
        return FrameRule(self.step, self.offset)


class _FamilyFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = Field(alias="schema")
    families: tuple[Family, ...] = Field(alias="family")


@cache
def families() -> tuple[Family, ...]:
    """All of them, in the order of the file."""
    return read_toml_as(_FamilyFile, FILE).families


def family(name: str) -> Family:
    """One by its name or any other name of its pipeline.

    >>> family("matrix_game_2").title
    'Matrix-Game 2.0 (universal)'
    """
    known = pipeline_of(name)
    wanted = known[0] if known else name.strip().lower().replace("_", "-")
    for one in families():
        if one.name == wanted:
            return one
    raise unknown_name("model family", name, [one.name for one in families()])
