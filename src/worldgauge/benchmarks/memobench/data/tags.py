"""Tags of clips that the released tables do not have: environment, category and process, from a table made by hand."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

UNKNOWN = "unknown"
"""What neither the paper's figures nor a clip's prompt tell."""


@dataclass(frozen=True)
class TagTable:
    """The table `tags.toml`, the other way round."""

    environment: Mapping[str, str]
    """Scene to environment."""
    category: Mapping[str, str]
    """Process to category."""
    process: Mapping[int, str]
    """Number of a real clip to its process, `unknown` where its prompt fits several."""
    unsure: Mapping[int, tuple[str, ...]]
    """Number of such a clip to the processes that its prompt fits."""
    of_block: Mapping[str, str]
    """Process of a gauge block to category."""


@cache
def tag_table() -> TagTable:
    """Read the table that lies beside this module."""
    data = tomllib.loads(resources.files(__package__).joinpath("tags.toml").read_text("utf-8"))
    unsure = {clip: tuple(entry["names"]) for entry in data["unsure"] for clip in entry["clips"]}
    return TagTable(
        environment=_turned(data["environments"]),
        category=_turned(data["categories"]),
        process=_turned(data["processes"]) | dict.fromkeys(unsure, UNKNOWN),
        unsure=unsure,
        of_block=_turned(data["blocks"]),
    )


def scene_tags(scene: str) -> dict[str, str]:
    """Environment of a synthetic clip's scene.

    >>> scene_tags("Barnyard"), scene_tags("Elsewhere")
    ({'environment': 'Rural/Nature'}, {'environment': 'unknown'})
    """
    return {"environment": tag_table().environment.get(scene, UNKNOWN)}


def process_tags(number: int) -> dict[str, str]:
    """Category and process of a real clip by its number; a category is told where all processes in question share it.

    >>> process_tags(48)
    {'category': 'Dissolution', 'process': 'Crystal Dissolve'}
    >>> process_tags(69), process_tags(1)["category"]
    ({'category': 'Dissolution', 'process': 'unknown'}, 'unknown')
    """
    table = tag_table()
    process = table.process.get(number, UNKNOWN)
    categories = {table.category[name] for name in table.unsure.get(number, (process,)) if name != UNKNOWN}
    return {"category": categories.pop() if len(categories) == 1 else UNKNOWN, "process": process}


def with_category(tags: Mapping[str, str]) -> dict[str, str]:
    """A case's tags; a gauge block's process gives it a category, too.

    >>> with_category({"family": "room", "process": "crushing"})["category"]
    'Physical Deformation'
    >>> "category" in with_category({"family": "room", "process": "rolling"})
    False
    """
    category = tag_table().of_block.get(tags.get("process", "")) if "family" in tags else None
    return {**({"category": category} if category else {}), **tags}


def _turned(lists: Mapping[str, list[Any]]) -> dict[Any, str]:
    return {member: name for name, members in lists.items() for member in members}
