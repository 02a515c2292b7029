"""Five paragraphs along the arc, with the motion that hides the target; and questions they answer (3.2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from worldgauge.benchmarks.mbench.curation.arc import Wanted, problems
from worldgauge.benchmarks.mbench.curation.challenges import DIMENSIONS
from worldgauge.benchmarks.mbench.curation.motions import SIDES, instructions
from worldgauge.benchmarks.mbench.data.case_parts import SEGMENTS
from worldgauge.judge.forms import Unreadable

CAPTIONS: Final = "worldgauge.benchmarks.mbench:five_captions"
QUESTIONS: Final = "worldgauge.benchmarks.mbench:caption_questions"
MOST_WORDS: Final = 120
"""Of a paragraph: what is longer, text encoders cut."""
MOST_TOLD: Final = 6
"""Problems that are told at once."""


@dataclass(frozen=True)
class CaptionsForm:
    """Five paragraphs that keep to the arc."""

    wanted: Wanted
    motions: tuple[str, ...]

    @property
    def schema(self) -> Mapping[str, Any]:
        paragraphs = {"type": "array", "items": {"type": "string"}, "minItems": SEGMENTS, "maxItems": SEGMENTS}
        properties = {
            "motion": {"type": "string", "enum": list(self.motions)},
            "side": {"type": "string", "enum": list(SIDES)},
            "paragraphs": paragraphs,
        }
        return {
            "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
        }  # fmt: skip

    def read(self, content: Any, earlier: Any = None) -> dict[str, Any]:
        """Motion, side, `paragraphs`, and as `captions` the same with what the camera is told before each."""
        given = content if isinstance(content, dict) else {}
        paragraphs = given.get("paragraphs")
        if not isinstance(paragraphs, list) or not all(isinstance(text, str) for text in paragraphs):
            raise Unreadable("an object with motion, side and a list of paragraphs is asked for")
        texts = [" ".join(text.split()) for text in paragraphs]
        found = problems(texts, self.wanted)
        if given.get("motion") not in self.motions:
            found.insert(0, f"the motion is one of {', '.join(self.motions)}, not '{str(given.get('motion'))[:40]}'")
        if given.get("side") not in SIDES:
            found.insert(0, f"the side is left or right, not '{str(given.get('side'))[:40]}'")
        found += [f"a paragraph has {n} words, {MOST_WORDS} are the most" for n in _lengths(texts) if n > MOST_WORDS]
        if found:
            raise Unreadable("; ".join(found[:MOST_TOLD]))
        told = instructions(given["motion"], given["side"])
        captions = [f"{camera} {text}" for camera, text in zip(told, texts, strict=True)]
        return {"motion": given["motion"], "side": given["side"], "paragraphs": texts, "captions": captions}

    def settled(self, partial: Any) -> Any:
        """Nothing: captions that break the arc are not stored."""
        return None


@dataclass(frozen=True)
class QuestionsForm:
    """Questions with yes or no for an answer; every dimension is asked about, and both answers occur."""

    count: int

    @property
    def schema(self) -> Mapping[str, Any]:
        properties = {
            "question": {"type": "string"},
            "answer": {"type": "string", "enum": ["yes", "no"]},
            "dimension": {"type": "string", "enum": list(DIMENSIONS)},
        }
        item = {
            "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
        }  # fmt: skip
        listed = {"type": "array", "items": item, "minItems": self.count, "maxItems": self.count}
        return {
            "type": "object", "properties": {"questions": listed}, "required": ["questions"],
            "additionalProperties": False,
        }  # fmt: skip

    def read(self, content: Any, earlier: Any = None) -> list[dict[str, str]]:
        given = content.get("questions") if isinstance(content, dict) else None
        if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
            raise Unreadable('an object {"questions": [...]} is asked for')
        found = [] if len(given) == self.count else [f"{len(given)} questions, {self.count} are asked for"]
        texts = [" ".join(str(item.get("question", "")).split()) for item in given]
        found += [f"'{text[:60]}' is not a question" for text in texts if len(text) < 2 or not text.endswith("?")]
        folded = [text.casefold() for text in texts]
        found += [f"'{text[:60]}' is asked twice" for k, text in enumerate(folded) if text in folded[:k]]
        answers = {item.get("answer") for item in given}
        if answers != {"yes", "no"}:
            found.append("answers are yes and no, and both occur")
        if lacking := [name for name in DIMENSIONS if name not in {item.get("dimension") for item in given}]:
            found.append(f"nothing is asked about {', '.join(lacking)}")
        if strange := [item.get("dimension") for item in given if item.get("dimension") not in DIMENSIONS]:
            found.append(f"there is no dimension '{str(strange[0])[:40]}'")
        if found:
            raise Unreadable("; ".join(found[:MOST_TOLD]))
        return [
            {"id": f"q{number}", "question": text, "answer": item["answer"], "dimension": item["dimension"]}
            for number, (text, item) in enumerate(zip(texts, given, strict=True), start=1)
        ]

    def settled(self, partial: Any) -> Any:
        """Nothing: a list that is not whole is none."""
        return None


def _lengths(texts: list[str]) -> list[int]:
    return [len(text.split()) for text in texts]
