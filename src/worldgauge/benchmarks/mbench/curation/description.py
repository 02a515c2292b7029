"""The structured description of a clip: scene, activity, target, what else is there, the order of events (3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from worldgauge.benchmarks.mbench.curation.arc import stems
from worldgauge.judge.forms import Unreadable

PROMPT: Final = "worldgauge.benchmarks.mbench:clip_description"
KINDS: Final = {
    "entity": ("object", "person"),
    "environment": ("place", "object"),
    "causal": ("object", "place", "person"),
}
"""Dimension to what its target may be."""
ABOUT: Final = {
    "entity": "one thing or one person that stands out, whose looks can be told",
    "environment": "one landmark of the place, by which one would know it again",
    "causal": "the thing whose state changes by itself or by an event",
}
FEWEST, MOST = 2, 5
"""Attributes of the target."""
_NO_NAME: Final = {"in", "of", "with", "on", "and", "at", "by", "from"}


@dataclass(frozen=True)
class DescriptionForm:
    """What a description must hold, for a dimension."""

    dimension: str

    @property
    def schema(self) -> Mapping[str, Any]:
        text: dict[str, Any] = {"type": "string"}
        texts: dict[str, Any] = {"type": "array", "items": text}
        thing = {"name": text, "attributes": texts, "position": text}
        target = {**thing, "kind": {"type": "string", "enum": list(KINDS[self.dimension])}}
        parts = {"scene": text, "activity": text, "target": _object(target)}
        parts |= {"others": {"type": "array", "items": _object(thing)}, "events": texts}
        if self.dimension == "causal":
            parts["state"] = _object({"before": text, "after": text})
        return _object(parts)

    def read(self, content: Any, earlier: Any = None) -> dict[str, Any]:
        asked = tuple(self.schema["properties"])
        if not isinstance(content, dict) or any(name not in content for name in asked):
            raise Unreadable(f"an object with {', '.join(asked)} is asked for")
        target = _thing(content["target"], "the target")
        if not isinstance(content["others"], list):
            raise Unreadable("others are a list")
        found: dict[str, Any] = {
            "scene": _text(content["scene"], "scene"),
            "activity": _text(content["activity"], "activity"),
            "target": target | {"name": _name(target["name"]), "kind": self._kind(content["target"])},
            "others": [_thing(other, "one of the others") for other in content["others"]],
            "events": _texts(content["events"], "events", least=1),
        }
        _check_attributes(found["target"])
        return found | ({"state": _state(content["state"])} if self.dimension == "causal" else {})

    def settled(self, partial: Any) -> Any:
        """Nothing: half a description is none."""
        return None

    def _kind(self, target: Mapping[str, Any]) -> str:
        kinds = KINDS[self.dimension]
        if target.get("kind") not in kinds:
            raise Unreadable(f"the target is a kind of {' or '.join(kinds)}, not '{str(target.get('kind'))[:40]}'")
        return str(target["kind"])


def subset_of_description(description: Mapping[str, Any], dimension: str) -> str:
    """The subset a clip belongs to: an entity is an object or a human."""
    if dimension != "entity":
        return dimension
    return "human" if description["target"]["kind"] == "person" else "object"


def _check_attributes(target: Mapping[str, Any]) -> None:
    given = target["attributes"]
    if not FEWEST <= len(given) <= MOST:
        raise Unreadable(f"the target has {len(given)} attributes, {FEWEST} to {MOST} are asked for")
    if long := next((each for each in given if len(each.split()) > 4), None):
        raise Unreadable(f"the attribute '{long[:60]}' has more than four words")
    known = [stems(each) for each in given]
    if any(not words for words in known) or len(set(known)) < len(known):
        raise Unreadable("an attribute of the target is empty or stands there twice")


def _name(text: str) -> str:
    words = text.split()
    if words and words[0].casefold() in ("a", "an", "the"):
        words = words[1:]
    if not 1 <= len(words) <= 3 or _NO_NAME.intersection(word.casefold() for word in words) or not stems(text):
        raise Unreadable(f"the target's name '{text[:60]}' is not one to three words with the noun last")
    return " ".join(words)


def _state(given: Any) -> dict[str, str]:
    if not isinstance(given, dict):
        raise Unreadable("the state is an object with before and after")
    found = {key: _text(given.get(key), f"state {key}") for key in ("before", "after")}
    if stems(found["before"]) == stems(found["after"]):
        raise Unreadable("the state before is the state after: nothing changes")
    if long := next((text for text in found.values() if len(text.split()) > 6), None):
        raise Unreadable(f"the state '{long[:60]}' has more than six words")
    return found


def _thing(given: Any, what: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Unreadable(f"{what} is an object with name, attributes, position")
    return {
        "name": _text(given.get("name"), f"name of {what}"),
        "attributes": _texts(given.get("attributes"), f"attributes of {what}"),
        "position": _text(given.get("position"), f"position of {what}"),
    }


def _texts(given: Any, what: str, least: int = 0) -> list[str]:
    if not isinstance(given, list) or len(given) < least:
        raise Unreadable(f"{what} are a list" + (" with something in it" if least else ""))
    return [_text(each, f"one of the {what}") for each in given]


def _text(given: Any, what: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise Unreadable(f"there is no {what}")
    return " ".join(given.split())


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False,
    }  # fmt: skip
