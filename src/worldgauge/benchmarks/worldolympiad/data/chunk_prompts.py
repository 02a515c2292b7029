"""`prompt.json`: what is asked of each chunk of a clip, in every form the released code accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

CAPTION_KEYS = ("caption", "prompt", "text", "description")


@dataclass(frozen=True)
class ChunkPrompt:
    """What one chunk should show."""

    chunk_index: int
    caption: str
    action: Any = None
    """Keys that are held, such as `W` or `W+A`, or words; None where nothing is said."""
    interval: Any = None
    """Where it lies in the reference, such as `[00:00, 00:15)`."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def chunk_prompts(content: Any) -> list[ChunkPrompt]:
    """The chunks of a prompt file: a list, an object with `chunks` or `prompts`, or one object for one chunk.

    Raises `ValueError` or `TypeError` where the original does.

    >>> [one.caption for one in chunk_prompts({"prompts": ["a street", {"text": "a corner"}]})]
    ['a street', 'a corner']
    """
    if isinstance(content, Mapping):
        items: Any = content["chunks"] if "chunks" in content else content.get("prompts", [content])
    elif isinstance(content, list):
        items = content
    else:
        raise ValueError("a prompt file holds a list or an object")
    return [_item(item, position) for position, item in enumerate(items)]


def prompts_in(file: Path) -> list[ChunkPrompt]:
    """The chunks of a prompt file as it has them; none where there is no file or nobody can read it."""
    try:
        return chunk_prompts(json.loads(file.read_text("utf-8-sig")))
    except (OSError, ValueError, TypeError):
        return []


def _item(item: Any, position: int) -> ChunkPrompt:
    if not isinstance(item, Mapping):
        return ChunkPrompt(position, str(item))
    caption = next((item[key] for key in CAPTION_KEYS if item.get(key)), "")
    return ChunkPrompt(
        int(item.get("chunk_index", item.get("index", position))),
        str(caption),
        item.get("action") or item.get("actions"),
        item.get("interval") or item.get("source_interval"),
    )
