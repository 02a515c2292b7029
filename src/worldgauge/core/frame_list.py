"""Frame numbers as a short text: `33-48`, `0-44/4` for every fourth, `0,4,16`. Most of a record's line is its curve."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

_PART = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?:/(\d{1,9}))?)?")


def pack_frames(frames: Sequence[int]) -> str:
    """
    >>> pack_frames([0, 4, 8, 12]), pack_frames([5, 6, 7, 20, 22]), pack_frames([3, 3])
    ('0-12/4', '5-7,20,22', '3,3')
    """
    parts = []
    at = 0
    while at < len(frames):
        end = at + 1
        step = frames[end] - frames[at] if end < len(frames) else 0
        while step > 0 and end < len(frames) and frames[end] - frames[end - 1] == step:
            end += 1
        # Two numbers are no shorter as a range.
        if end - at < 3:
            end = at + 1
            parts.append(f"{frames[at]}")
        else:
            parts.append(f"{frames[at]}-{frames[end - 1]}" + (f"/{step}" if step > 1 else ""))
        at = end
    return ",".join(parts)


def unpack_frames(text: object, count: int) -> list[int] | None:
    """The frames, or None where the text does not give that many: a line may be damaged.

    >>> unpack_frames("0-12/4", 4), unpack_frames("5-7,20", 4), unpack_frames("0-999999999", 3), unpack_frames("x", 1)
    ([0, 4, 8, 12], [5, 6, 7, 20], None, None)
    """
    if not isinstance(text, str):
        return None
    try:
        found = list(islice(_numbers(text), count + 1))
    except ValueError:
        return None
    return found if len(found) == count else None


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"'{part}' is no frame")
        first, last, step = match.groups()
        yield from range(int(first), int(last or first) + 1, int(step or 1))
