"""The forms of what a language model writes about scenes, with their structural checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldgauge.benchmarks.worldscore.checks.composition import CATEGORIES
from worldgauge.benchmarks.worldscore.curation.next_scenes import MOST_ENTITIES
from worldgauge.judge.forms import Unreadable

CLASSES = tuple(name for group in CATEGORIES.values() for name in group)
"""The ten classes, indoors first."""
MOST_WORDS = 60
"""Of a description: what is longer is no longer one scene."""


@dataclass(frozen=True)
class DescriptionForm:
    """Caption, class and entities of a picture."""

    @property
    def schema(self) -> Mapping[str, Any]:
        kinds = {"type": "string", "enum": list(CLASSES)}
        return _object({"caption": {"type": "string"}, "entities": _names(), "class": kinds})

    def read(self, content: Any, earlier: Any = None) -> dict[str, Any]:
        found = _fields(content, ("caption", "entities", "class"))
        if found["class"] not in CLASSES:
            raise Unreadable(f"'{str(found['class'])[:40]}' is none of the kinds {', '.join(CLASSES)}")
        return {
            "caption": description(found["caption"], "caption"),
            "entities": entities(found["entities"]),
            "class": found["class"],
        }

    def settled(self, partial: Any) -> Any:
        """Nothing: half a description is none."""
        return None


@dataclass(frozen=True)
class SceneForm:
    """One next scene. It names its entities, and is none of those before."""

    past: tuple[str, ...]

    @property
    def schema(self) -> Mapping[str, Any]:
        return _object({"entities": _names(), "prompt": {"type": "string"}})

    def read(self, content: Any, earlier: Any = None) -> dict[str, Any]:
        found = _fields(content, ("entities", "prompt"))
        names, prompt = entities(found["entities"]), description(found["prompt"], "prompt")
        if _folded(prompt) in {_folded(scene) for scene in self.past}:
            raise Unreadable("the scene is one of those before; another is asked for")
        absent = [name for name in names if not _mentions(prompt, name)]
        if absent:
            raise Unreadable(f"the prompt does not name {', '.join(absent)}, which it lists as standing out")
        return {"entities": names, "prompt": prompt}

    def settled(self, partial: Any) -> Any:
        """Nothing: half a scene is none."""
        return None


def entities(given: Any) -> list[str]:
    """One to three names, each of a few words, none twice, none with the comma that separates them in the data set."""
    if not isinstance(given, list) or not all(isinstance(item, str) and item.strip() for item in given):
        raise Unreadable("entities are a list of names")
    names = [" ".join(item.split()) for item in given]
    if not 1 <= len(names) <= MOST_ENTITIES:
        raise Unreadable(f"{len(names)} entities are named, 1 to {MOST_ENTITIES} are asked for")
    if len({_folded(name) for name in names}) < len(names):
        raise Unreadable("an entity is named twice")
    if comma := next((name for name in names if "," in name), None):
        raise Unreadable(f"the entity '{comma[:40]}' holds a comma")
    if long := next((name for name in names if len(name.split()) > 4), None):
        raise Unreadable(f"the entity '{long[:60]}' is a sentence, not a name of one to three words")
    return names


def description(given: Any, what: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise Unreadable(f"there is no {what}")
    text = " ".join(given.split())
    if len(text.split()) > MOST_WORDS:
        raise Unreadable(f"the {what} has {len(text.split())} words; one sentence is asked for")
    return text


def _mentions(prompt: str, name: str) -> bool:
    """Whether a description names a thing: every word of the name, endings of number aside, stands in it."""
    words = _folded(prompt).replace(".", " ").replace(",", " ").split()
    stems = {word.rstrip("s") for word in words}
    return all(word.rstrip("s") in stems for word in _folded(name).split())


def _fields(content: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(content, dict) or any(name not in content for name in names):
        raise Unreadable(f"an object with {', '.join(names)} is asked for")
    return content


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _names() -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_ENTITIES}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
