"""Captions, classes and next scenes by a judge that reads pictures and writes text (paper, 3.2, B.1 and B.3)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldscore.checks.composition import CATEGORIES
from worldgauge.benchmarks.worldscore.curation.next_scenes import Scene, next_scenes
from worldgauge.benchmarks.worldscore.curation.scene_forms import DescriptionForm, SceneForm
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.rendering import fenced

DESCRIBE = "worldgauge.benchmarks.worldscore:describe_scene"
NEXT = "worldgauge.benchmarks.worldscore:next_scene"
SMALL, LARGE = 1, 3
"""Next scenes of a small and of a large world."""


@dataclass(frozen=True)
class World:
    """A current scene and those after it, as the data set holds them."""

    picture: str
    kind: str
    scenes: tuple[Scene, ...]
    """The current one first."""

    def to_json(self) -> dict[str, Any]:
        return {
            "picture": self.picture,
            "class": self.kind,
            "num_scenes": len(self.scenes) - 1,
            "prompt_list": [scene.prompt for scene in self.scenes],
            "content_list": [scene.content for scene in self.scenes],
        }


def described(name: str, file: Path, asking: KeptAnswers) -> World:
    """What a picture shows: its caption, its class and what stands out."""
    values = {"classes": "\n".join(f"{where}s: {', '.join(kinds)}" for where, kinds in CATEGORIES.items())}
    said = asking.of_picture(file, DESCRIBE, values, DescriptionForm(), name)
    return World(name, said["class"], (Scene(said["caption"], tuple(said["entities"])),))


def continued(world: World, file: Path, count: int, asking: KeptAnswers) -> World:
    """The same with `count` scenes more. Each is asked for with all before it, and with the picture of the first."""

    def write(past: Sequence[str]) -> str:
        values = {"scenes": fenced("\n".join(past))}
        said = asking.of_picture(file, NEXT, values, SceneForm(tuple(past)), world.picture)
        return json.dumps({"Entities": said["entities"], "Prompt": said["prompt"]})

    current = world.scenes[0]
    return World(world.picture, world.kind, (current, *next_scenes(current.prompt, write, count)))


def scenes_after(name: str, large: float) -> int:
    """How many scenes follow a picture: the share `large` of all pictures, drawn by name, are of large worlds.

    >>> [scenes_after("a.png", share) for share in (0.0, 1.0)]
    [1, 3]
    """
    drawn = int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest()[:6], "big") / 2**48
    return LARGE if drawn < large else SMALL
