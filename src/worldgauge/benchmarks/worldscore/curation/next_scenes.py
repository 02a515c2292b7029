"""Next scenes, one after the other, by whoever writes them (paper, Eq. 2 and B.3).

`write` calls a language model with all scenes so far and returns its answer: a judge (`written_scenes.py`), or a
function of yours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json

MOST_ENTITIES = 3


@dataclass(frozen=True)
class Scene:
    """A description and what is most prominent in it."""

    prompt: str
    entities: tuple[str, ...]

    @property
    def content(self) -> str:
        """An entry of `content_list`: `Scene, entity, entity`."""
        return ", ".join(("Scene", *self.entities))


Writer = Callable[[Sequence[str]], str]
"""Descriptions of all scenes so far to the answer: `{"Entities": [...], "Prompt": "..."}`."""


def next_scenes(current: str, write: Writer, count: int = 1) -> list[Scene]:
    """`count` scenes after the current one: 1 for a small world, 3 for a large one. Each is told of all before."""
    past, scenes = [current], []
    for _ in range(count):
        scene = parse_scene(write(tuple(past)))
        if scene.prompt in past:
            raise WorldGaugeError(f"the writer repeats a scene: {scene.prompt[:80]}")
        past.append(scene.prompt)
        scenes.append(scene)
    return scenes


def parse_scene(answer: str) -> Scene:
    """A writer's answer.

    >>> parse_scene('{"Entities": ["oak desk", "lamp"], "Prompt": "A study."}').content
    'Scene, oak desk, lamp'
    """
    content: Any = parse_json(answer, "the writer's answer")
    prompt = content.get("Prompt") if isinstance(content, dict) else None
    entities = content.get("Entities") if isinstance(content, dict) else None
    if not isinstance(prompt, str) or not prompt.strip():
        raise WorldGaugeError("the writer's answer has no Prompt")
    if not isinstance(entities, list) or not all(isinstance(item, str) and item.strip() for item in entities):
        raise WorldGaugeError("the writer's answer has no list of Entities")
    if not 1 <= len(entities) <= MOST_ENTITIES:
        raise WorldGaugeError(f"the writer names {len(entities)} entities, 1 to {MOST_ENTITIES} are asked for")
    if any("," in item for item in entities):
        raise WorldGaugeError("an entity of the writer holds a comma, which separates entities in the data set")
    return Scene(prompt.strip(), tuple(item.strip() for item in entities))
