"""The failure patterns of the paper's Table 13, read off what was judged and measured.

A tag says that the evidence for its pattern is there; where nobody judged, there is no tag.

Source: arXiv 2606.11129, Table 13; the thresholds are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PHASES = ("melting", "sublimation", "vaporization", "condensation", "deposition", "freezing")
POOR = 2.5
"""Of 5: a judgement below half."""
DRIFT = 1.0
"""By how much the picture must be worse in the last chunk than in the first."""
WEAK = 0.4
"""Of 1: below it the bands of the 3D judge say mostly failed."""
ASTRAY = 0.5
"""Of 1: a camera path that follows its reference less."""
TAGS = {
    "floating": "gravity is broken",
    "teleport": "a broken rule of mechanics whose reason says that something jumps, appears or disappears",
    "deformation without contact": "compression or hardness is broken",
    "instant phase change": "a rule of a change of phase is broken",
    "stretched geometry": f"views of the rebuilt scene below {WEAK:g}",
    "missing background": f"meta-view below {WEAK:g}",
    "camera disagreement": f"camera trajectory below {ASTRAY:g}",
    "reset at a boundary": f"a transition below {POOR:g} of 5",
    "ignored control": f"a chunk whose agreement with action and caption is below {POOR:g} of 5",
    "identity change": f"consistency of the whole clip below {POOR:g} of 5",
    "drift": f"visual quality of the last chunk lower by {DRIFT:g} than of the first",
}
"""Tag to what it is read off."""
_JUMPS = re.compile(r"\b(teleport\w*|jumps?|jumping|(?:dis)?appears?|vanish\w*|pops? (?:in|out|up))\b", re.IGNORECASE)


@dataclass(frozen=True)
class Judged:
    """What is known of one clip; empty or None where nobody judged."""

    verdicts: Sequence[Mapping[str, Any]] = ()
    """As `physical.results` of a judge file."""
    chunks: Sequence[Mapping[str, Any]] = ()
    transitions: Sequence[Mapping[str, Any]] = ()
    whole: Mapping[str, Any] = field(default_factory=dict)
    splat: float | None = None
    meta: float | None = None
    camera: float | None = None


def failure_tags(judged: Judged) -> list[str]:
    """The tags of a clip, in the order of the table.

    >>> failure_tags(Judged(camera=0.3, transitions=[{"overall": 1.0}]))
    ['camera disagreement', 'reset at a boundary']
    """
    broken = {
        str(one["question_id"]): str(one.get("explanation", ""))
        for one in judged.verdicts
        if one.get("related") is True and one.get("compliant") is False
    }
    quality = [one["visual_quality"] for one in judged.chunks if "visual_quality" in one]
    found = {
        "floating": "gravity" in broken,
        "teleport": any(_JUMPS.search(broken[rule]) for rule in ("gravity", "impact") if rule in broken),
        "deformation without contact": "compression" in broken or "hardness" in broken,
        "instant phase change": any(rule in broken for rule in PHASES),
        "stretched geometry": _below(judged.splat, WEAK),
        "missing background": _below(judged.meta, WEAK),
        "camera disagreement": _below(judged.camera, ASTRAY),
        "reset at a boundary": any(_below(one.get("overall"), POOR) for one in judged.transitions),
        "ignored control": any(_below(one.get("text_alignment"), POOR) for one in judged.chunks),
        "identity change": _below(judged.whole.get("long_range_consistency"), POOR),
        "drift": len(quality) > 1 and quality[0] - quality[-1] >= DRIFT,
    }
    return [tag for tag in TAGS if found[tag]]


def _below(value: float | None, limit: float) -> bool:
    return value is not None and value < limit
