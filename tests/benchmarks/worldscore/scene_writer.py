"""A judge that describes pictures and writes next scenes, by counting the scenes it is told of."""

from __future__ import annotations

import re
from typing import Any

from worldgauge.judge.request import Request


def write(request: Request) -> dict[str, Any]:
    if '"caption"' in request.text:
        assert len(request.pictures) == 1
        return {"caption": "A quiet street at dusk.", "entities": ["street lamp"], "class": "city"}
    scenes = told(request)
    return {"entities": ["old door"], "prompt": f"Place {len(scenes)} with an old door."}


def repeating(request: Request) -> dict[str, Any]:
    """Knows one scene only."""
    if '"caption"' in request.text:
        return write(request)
    return {"entities": ["street"], "prompt": "A quiet street at dusk"}


def mended(request: Request) -> dict[str, Any]:
    """Names four things at first, and does better when that is shown to it."""
    found = write(request)
    return found if request.turns else found | {"entities": ["a", "b", "c", "d"]}


def told(request: Request) -> list[str]:
    fence = re.search(r"<<<TEXT [0-9a-f]{16}\n(.*?)\nTEXT [0-9a-f]{16}>>>", request.text, re.DOTALL)
    assert fence is not None
    return fence.group(1).splitlines()
