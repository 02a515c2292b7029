"""Words about a block, written from its scene graph: prompt, five segments, chunks with actions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from worldgauge.blocks.block import Truth
from worldgauge.blocks.paths import find_path
from worldgauge.core.case import Chunk

SEGMENTS = 5
MOST_CHUNKS = 6
_SHORTEST_CHUNK = 3
_KEY_WORDS = {
    "W": "moves forward", "S": "moves backward", "A": "moves left", "D": "moves right", "E": "rises", "Q": "sinks",
    "I": "tilts up", "K": "tilts down", "J": "pans left", "L": "pans right", "": "holds still",
}  # fmt: skip


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def article(noun: str) -> str:
    """
    >>> article("orange ball"), article("row of books")
    ('an orange ball', 'a row of books')
    """
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def listing(nouns: Sequence[str]) -> str:
    """
    >>> listing(["vase", "alarm clock"])
    'a vase and an alarm clock'
    """
    parts = [article(n) for n in nouns]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def props_in_view(truth: Truth, frame: int, most: int = 3) -> list[str]:
    """Names of the largest visible props of a frame, each kind once."""
    area = np.bincount(truth.ids[frame].ravel(), minlength=256)
    seen = [i for i in truth.world.scene.instances if i.kind == "prop" and area[i.id] >= truth.ids[frame].size // 400]
    names = [_without_number(i.name) for i in sorted(seen, key=lambda i: -area[i.id])]
    return list(dict.fromkeys(names))[:most]


def camera_clause(truth: Truth) -> str:
    """What the observer does."""
    path = find_path(truth.block.path)
    says = path.says.replace("the target", f"the {truth.target}")
    return says if path.layouts else f"the observer {says}"


def prompt(truth: Truth) -> str:
    """The whole clip in one paragraph."""
    words, props = truth.world.act.words, props_in_view(truth, 0)
    parts = [f"a first-person view of {truth.world.scene.stage.setting}", words.begins]
    if props:
        parts.append(f"nearby there is {listing(props)}")
    parts.append(camera_clause(truth))
    if truth.phases is not None:
        parts.append(f"meanwhile {words.hidden}")
    if truth.ended:
        parts.append(f"when the observer sees it again, {words.ends}" if truth.phases else f"at the end {words.ends}")
    return " ".join(sentence(p) for p in parts)


def segment_captions(truth: Truth) -> dict[str, str]:
    """`segment_1` to `segment_5`: a camera instruction, then what is seen, for each fifth of the clip."""
    edges = np.linspace(0, truth.block.frames, SEGMENTS + 1).round().astype(int)
    spans = [(int(a), max(int(b) - 1, int(a))) for a, b in itertools.pairwise(edges)]
    return {
        f"segment_{k + 1}": f"{camera_words(dominant(truth.actions[a : b + 1]))} {stretch_caption(truth, a, b)}"
        for k, (a, b) in enumerate(spans)
    }


def camera_words(keys: str) -> str:
    """
    >>> camera_words("W+J")
    'The camera moves forward and pans left.'
    """
    return f"The camera {' and '.join(_KEY_WORDS[k] for k in keys.split('+'))}."


def stretch_caption(truth: Truth, first: int, last: int) -> str:
    """What is seen between two frames, both included."""
    words, middle = truth.world.act.words, (first + last) // 2
    seen = np.atleast_1d(truth.visible[first : last + 1].any((1, 2)))
    props = props_in_view(truth, middle)
    place = f"In {truth.world.scene.stage.setting}"
    around = f", near {listing(props)}" if props else ""
    hidden, hiding, shown = find_path(truth.block.path).unseen
    if not seen.any():
        around = "" if truth.world.timeline.light is not None else around
        return sentence(f"{place}{around}, the {truth.target} {hidden} while {words.hidden}")
    if first == 0:
        return sentence(f"{place}{around}, {words.begins}")
    if last >= truth.block.frames - 1 and truth.ended:
        return sentence(f"{place}{around}, {words.ends}")
    if not seen[-1]:
        return sentence(f"{place}{around}, the {truth.target} {hiding}")
    if not seen[0]:
        return sentence(f"{place}{around}, the {truth.target} {shown}")
    return sentence(f"{place}{around}, {words.hidden}")


def chunks(truth: Truth) -> tuple[Chunk, ...]:
    """At most six stretches of constant keys, without gap or overlap."""
    runs = _runs(truth.actions)
    while len(runs) > 1 and (len(runs) > MOST_CHUNKS or min(b - a + 1 for a, b in runs) < _SHORTEST_CHUNK):
        k = int(np.argmin([b - a for a, b in runs]))
        # The shortest stretch joins its shorter neighbour.
        left = k > 0 and (k == len(runs) - 1 or runs[k - 1][1] - runs[k - 1][0] <= runs[k + 1][1] - runs[k + 1][0])
        j = k - 1 if left else k
        runs[j : j + 2] = [(runs[j][0], runs[j + 1][1])]
    return tuple(
        Chunk(first=a, last=b, caption=stretch_caption(truth, a, b), action=dominant(truth.actions[a : b + 1]))
        for a, b in runs
    )


def dominant(actions: Sequence[str]) -> str:
    """The most frequent entry; the earliest of equals."""
    return max(dict.fromkeys(actions), key=list(actions).count)


def _runs(actions: Sequence[str]) -> list[tuple[int, int]]:
    starts = [0, *(k for k in range(1, len(actions)) if actions[k] != actions[k - 1])]
    return list(zip(starts, [*(s - 1 for s in starts[1:]), len(actions) - 1], strict=True))


def _without_number(name: str) -> str:
    head, _, tail = name.rpartition(" ")
    return head if head and tail.isdigit() else name
