"""Answers of the usual length, for a plan: what follows from an answer that nobody has given yet takes as much."""

from __future__ import annotations

from typing import Any, Final

from worldgauge.benchmarks.mbench.curation import captions, challenges, description
from worldgauge.benchmarks.mbench.curation.motions import instructions

_SENTENCE: Final = "A sentence of about as many words as such a part of a clip is usually told in, and some more."
_THING: Final = {"name": "red vase", "attributes": ["red glaze", "narrow neck", "chipped rim"], "position": _SENTENCE}
_DESCRIPTION: Final = {
    "scene": f"{_SENTENCE} {_SENTENCE}",
    "activity": _SENTENCE,
    "target": {**_THING, "kind": "object"},
    "others": [_THING] * 6,
    "events": [_SENTENCE] * 6,
    "state": {"before": "whole and upright", "after": "broken on the floor"},
}
_PARAGRAPHS: Final = [f"{_SENTENCE} {_SENTENCE} {_SENTENCE}"] * 5
EXAMPLES: Final[dict[str, Any]] = {
    challenges.PROMPT: {name: {"answer": 5, "reason": _SENTENCE} for name in challenges.DIMENSIONS},
    description.PROMPT: _DESCRIPTION,
    captions.CAPTIONS: {
        "motion": "rotation",
        "side": "left",
        "paragraphs": _PARAGRAPHS,
        "captions": [
            f"{words} {text}" for words, text in zip(instructions("rotation", "left"), _PARAGRAPHS, strict=True)
        ],
    },
    captions.QUESTIONS: [{"id": "q1", "question": _SENTENCE, "answer": "yes", "dimension": "entity"}],
}
