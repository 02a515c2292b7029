"""One clip from its three grades to captions and questions, asked step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldgauge.benchmarks.mbench.curation import captions, challenges, description
from worldgauge.benchmarks.mbench.curation.arc import Wanted
from worldgauge.benchmarks.mbench.curation.challenges import Thresholds, chosen_dimension, too_long_or_short
from worldgauge.benchmarks.mbench.curation.clips import SourceClip
from worldgauge.benchmarks.mbench.curation.motions import HIDING, OF_PLACES, motions_in_words
from worldgauge.judge.kept_plan import Asking
from worldgauge.judge.rendering import fenced

_DESCRIBED = '- "state": how the target is before and after the change, each in at most six words.\n'
_TOLD = """
The target changes while it is out of view: tell its state before, in the words of the description, in paragraph 1, and
its state after in paragraph 5. Its other attributes stay.
"""
"""What is asked for beside the rest, of a process."""


@dataclass(frozen=True)
class Choices:
    """What is asked for."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    hiding: tuple[str, ...] = ("camera",)
    """Ways in which a process is hidden: a causal clip becomes one text sample for each."""
    questions: int = 6


@dataclass(frozen=True)
class Curated:
    """What became of a clip."""

    clip: SourceClip
    reason: str = ""
    """Why it is dropped; empty where it is kept."""
    seconds: float | None = None
    grades: Mapping[str, Any] = field(default_factory=dict)
    """Of the three questions, each with its reason."""
    subset: str = ""
    description: Mapping[str, Any] = field(default_factory=dict)
    captions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Way of hiding to motion, side, paragraphs and captions; one without a name but for causal clips."""
    questions: tuple[Mapping[str, str], ...] = ()

    @property
    def kept(self) -> bool:
        return not self.reason


def curated(clip: SourceClip, asking: Asking, choices: Choices) -> Curated:
    """Ask everything about one clip. A clip that is dropped is asked about no further."""
    seconds = clip.seconds()
    if reason := too_long_or_short(seconds, choices.thresholds):
        return Curated(clip, reason, seconds)
    grades = asking.of_clip(clip.video, challenges.PROMPT, {}, challenges.FORM, clip.name)
    dimension, reason = chosen_dimension(grades, choices.thresholds)
    if reason:
        return Curated(clip, reason, seconds, grades)
    causal = dimension == "causal"
    values = {"target": description.ABOUT[dimension], "state": _DESCRIBED if causal else ""}
    form = description.DescriptionForm(dimension)
    found = asking.of_clip(clip.video, description.PROMPT, values, form, clip.name)
    ways = {way: HIDING[way] for way in choices.hiding} if causal else {"": OF_PLACES}
    written = {way: _captions(found, motions, asking, clip.name) for way, motions in ways.items()}
    questions = _questions(found, next(iter(written.values())), asking, choices.questions, clip.name)
    subset = description.subset_of_description(found, dimension)
    return Curated(clip, "", seconds, grades, subset, found, written, questions)


def wanted_of(found: Mapping[str, Any]) -> Wanted:
    """What the captions of a description must tell."""
    target, state = found["target"], found.get("state", {})
    return Wanted(target["name"], tuple(target["attributes"]), state.get("before", ""), state.get("after", ""))


def _captions(found: Mapping[str, Any], motions: tuple[str, ...], asking: Asking, about: str) -> dict[str, Any]:
    values = {
        "description": fenced(json.dumps(found, ensure_ascii=False, indent=1)),
        "motions": motions_in_words(motions),
        "state": _TOLD if "state" in found else "",
    }
    form = captions.CaptionsForm(wanted_of(found), motions)
    return dict(asking.of_picture(None, captions.CAPTIONS, values, form, about))


def _questions(
    found: Mapping[str, Any], written: Mapping[str, Any], asking: Asking, count: int, about: str
) -> tuple[Mapping[str, str], ...]:
    lines = [
        json.dumps({"part": k, "caption": text}, ensure_ascii=False) for k, text in enumerate(written["captions"], 1)
    ]
    values = {
        "captions": fenced("\n".join(lines)),
        "description": fenced(json.dumps(found, ensure_ascii=False, indent=1)),
        "count": str(count),
    }
    return tuple(asking.of_picture(None, captions.QUESTIONS, values, captions.QuestionsForm(count), about))
