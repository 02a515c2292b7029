"""How a target is taken out of view and brought back, in words that stand before each of five paragraphs.

A judge chooses the motion and its side; the words are ours, so that the way back is always the way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SIDES: Final = ("left", "right")
_OTHER: Final = {"left": "right", "right": "left"}
CAMERA: Final = ("translation", "rotation", "zoom")
"""What the paper names beside occlusion."""
HIDING: Final = {"camera": CAMERA, "occlusion": ("occlusion",), "dimming": ("dimming",)}
"""The ending of a causal sample's id to the motions that hide its process."""
OF_PLACES: Final = (*CAMERA, "occlusion")
"""Motions of the samples of all other subsets."""
IN_WORDS: Final = {
    "translation": "the camera slides sideways until the target is out of view, and slides back",
    "rotation": "the camera turns on the spot until the target is out of view, and turns back",
    "zoom": "the camera zooms in on something beside the target until the target is out of view, and zooms out again",
    "occlusion": "the camera stands still while something large moves in front of the target and away again",
    "dimming": "the camera stands still while the light goes out and comes up again",
}
_STILL: Final = "The camera stands still."
_WORDS: Final = {
    "translation": (
        _STILL,
        "The camera slides to the {side}.",
        "The camera stands still, far to the {side} of where it began.",
        "The camera slides back to the {other}, the way it came.",
        "The camera is where it began and stands still.",
    ),
    "rotation": (
        _STILL,
        "The camera turns to the {side} on the spot.",
        "The camera is turned far to the {side} and stands still.",
        "The camera turns back to the {other}, the way it came.",
        "The camera has its first view again and stands still.",
    ),
    "zoom": (
        _STILL,
        "The camera zooms in on what is at the {side}.",
        "The camera stays close on what is at the {side}.",
        "The camera zooms out again, the way it came.",
        "The camera has its first view again and stands still.",
    ),
    "occlusion": (
        _STILL,
        "The camera stands still; something large comes in from the {side} and begins to cover the middle of the view.",
        "The camera stands still; the middle of the view is covered.",
        "The camera stands still; what covered the view moves on to the {other} and uncovers it.",
        "The camera stands still; the view is free as at first.",
    ),
    "dimming": (
        _STILL,
        "The camera stands still; the light begins to go out.",
        "The camera stands still; it is dark.",
        "The camera stands still; the light comes up again.",
        "The camera stands still; it is as bright as at first.",
    ),
}


def instructions(motion: str, side: str) -> list[str]:
    """What the camera is told in each of the five segments.

    >>> instructions("rotation", "left")[3]
    'The camera turns back to the right, the way it came.'
    """
    return [words.format(side=side, other=_OTHER[side]) for words in _WORDS[motion]]


def motions_in_words(motions: Sequence[str]) -> str:
    """For a prompt, one motion in each line."""
    return "\n".join(f"- {motion}: {IN_WORDS[motion]}" for motion in motions)
