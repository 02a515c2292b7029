"""Chunk, caption, refine: the three stages on one video, each stored apart.

Source: arXiv 2606.11129, 3.1 and Appendix A; the prompts are in our own words.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from worldgauge.benchmarks.worldolympiad.curation.forms import CaptionForm, ChunksForm, RefinedForm
from worldgauge.benchmarks.worldolympiad.inputs.actions import ACTIONS
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.video import Video
from worldgauge.judge.exhibits import Exhibit, Inquiry
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.rendering import fenced

PACKAGE = "worldgauge.benchmarks.worldolympiad"
DIVIDE, CAPTION, REFINE = (f"{PACKAGE}:{name}" for name in ("curate_chunks", "curate_caption", "curate_refine"))
FOCUS = {
    "gaming": "combat, moving through the world, skills that are used, changes of the camera",
    "general": "actions of people, motion of objects, interactions, changes of view",
    "robotics": "phases of manipulation: reaching, grasping, moving, placing, letting go",
}
"""Domain to what divides its videos. The paper names none for robotics: that one is ours."""


@dataclass(frozen=True)
class Curated:
    """What the three stages said of one video."""

    name: str
    domain: str
    main: tuple[float, float]
    spans: tuple[tuple[float, float], ...]
    reason: str
    captioned: tuple[dict[str, str], ...]
    refined: tuple[dict[str, str], ...]

    def prompts(self) -> list[dict[str, Any]]:
        """The content of `prompt.json`."""
        return [
            {"chunk_index": k, "interval": interval_text(*span), **said}
            for k, (span, said) in enumerate(zip(self.spans, self.refined, strict=True))
        ]

    def stages(self) -> dict[str, Any]:
        """Every stage apart, and what the last one changed."""
        return {
            "chunks": {"main": list(self.main), "chunks": [list(span) for span in self.spans], "reason": self.reason},
            "captions": list(self.captioned),
            "refined": list(self.refined),
            "diff": [asdict(change) for change in self.changes()],
        }

    def changes(self) -> list[Change]:
        """What refining changed, chunk by chunk."""
        return [
            Change(k, name, before[name], after[name])
            for k, (before, after) in enumerate(zip(self.captioned, self.refined, strict=True))
            for name in ("action", "caption")
            if before[name] != after[name]
        ]


@dataclass(frozen=True)
class Change:
    """One field of one chunk before and after refining."""

    chunk_index: int
    field: str
    before: str
    after: str


def interval_text(start: float, end: float) -> str:
    """
    >>> interval_text(0.0, 75.5)
    '[00:00, 01:15.5)'
    """
    return f"[{_clock(start)}, {_clock(end)})"


def curate_video(name: str, video: Video, domain: str, asking: KeptAnswers, frames: int, cut_frames: int) -> Curated:
    """All three stages of one video; `frames` of the whole and `cut_frames` of each cut clip are shown."""
    clip = Clip(video)
    if not clip.fps:
        raise InvalidVideo("the video has no frame rate, so nothing in it has a time")
    seconds = clip.count / clip.fps
    whole = _exhibit("frames of the whole video", clip, 0, clip.count, frames)
    told = {"seconds": f"{seconds:.1f}", "focus": FOCUS[domain]}
    divided = asking.of_inquiry(Inquiry((whole,), DIVIDE, told, ChunksForm(seconds), f"{name}: chunks"))
    spans = tuple((float(start), float(end)) for start, end in divided["chunks"])
    actions = {"actions": ", ".join(ACTIONS), "focus": FOCUS[domain]}
    captioned = []
    for number, (start, end) in enumerate(spans, 1):
        first, last = cut(clip, start, end)
        cut_clip = _exhibit("frames of a clip", clip, first, last, cut_frames)
        inquiry = Inquiry((cut_clip,), CAPTION, actions, CaptionForm(), f"{name}: caption of chunk {number}")
        captioned.append(asking.of_inquiry(inquiry))
    ordered = [
        {"chunk": number, "interval": interval_text(*span), **said}
        for number, (span, said) in enumerate(zip(spans, captioned, strict=True), 1)
    ]
    values = {**actions, "captions": fenced("\n".join(json.dumps(one, ensure_ascii=False) for one in ordered))}
    refined = asking.of_inquiry(Inquiry((whole,), REFINE, values, RefinedForm(len(spans)), f"{name}: refined"))
    main = divided["main"]
    return Curated(
        name,
        domain,
        (main[0], main[1]),
        spans,
        divided["reason"],
        tuple(captioned),
        tuple(dict(one) for one in refined),
    )


def cut(clip: Clip, start: float, end: float) -> tuple[int, int]:
    """First frame of a chunk and the one after its last: left-closed, right-open.

    A frame belongs to the chunk in which it begins to be shown.
    """
    rate = clip.fps or 0.0
    first = min(_first_from(start, rate), clip.count - 1)
    return first, max(first + 1, min(_first_from(end, rate), clip.count))


def _first_from(second: float, rate: float) -> int:
    """The first frame that is shown at that second or later; rounding of times is no reason to lose one."""
    return -int(-(second * rate - 1e-6) // 1)


def _exhibit(label: str, clip: Clip, first: int, end: int, count: int) -> Exhibit:
    """Evenly spread frames of [first, end) with the times at which they are shown."""
    length = end - first
    many = min(count, length)
    shown = tuple(first + (k * (length - 1) // max(1, many - 1) if many > 1 else length // 2) for k in range(many))
    times = ", ".join(f"{index / (clip.fps or 1.0):.1f}" for index in shown)
    return Exhibit(f"{label}, in their order, shown at {times} seconds", clip, shown)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds, 1), 60)
    text = f"{rest:04.1f}"
    return f"{int(minutes):02d}:{text.removesuffix('.0')}"
