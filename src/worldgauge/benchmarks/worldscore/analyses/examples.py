"""A good and a bad example of every aspect, as the paper's Figures S3 and S4 show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np

from worldgauge.benchmarks.worldscore.analyses.subdomains import Domains
from worldgauge.benchmarks.worldscore.official.aspects import ASPECTS
from worldgauge.core.run_folder import Run
from worldgauge.core.video import Video

PER_EXAMPLE: Final = 4
"""Frames of each."""


@dataclass(frozen=True)
class Example:
    """One clip and its score."""

    model: str
    case: str
    score: float
    video: Video

    def to_json(self) -> dict[str, Any]:
        return {"model": self.model, "case": self.case, "score": self.score}


@dataclass(frozen=True)
class Pair:
    """Best and worst of an aspect; none where no two clips with a video on disk have different scores."""

    aspect: str
    good: Example | None
    bad: Example | None

    def to_json(self) -> dict[str, Any]:
        told = {"good": self.good, "bad": self.bad}
        return {"aspect": self.aspect} | {name: one.to_json() if one else None for name, one in told.items()}


def typical(runs: Sequence[Run]) -> Iterator[Pair]:
    """Best and worst clip of every aspect over all runs; of equal scores the first, by run and case.

    A clip's score is what a model would get that had made this clip alone.
    """
    found = Domains(runs)
    joint = found.joint
    scores = joint.tree.combine(np.moveaxis(joint.values, 1, 0))
    videos = [_videos(run, joint.cases) for run in runs]
    shown = np.array([[video is not None for video in of_run] for of_run in videos]).reshape(len(runs), -1)
    for aspect in ASPECTS:
        of_clips = np.where(shown, scores[joint.ids.index(aspect)] if aspect in joint.ids else np.nan, np.nan)
        told = of_clips[np.isfinite(of_clips)]
        if not told.size or np.ptp(told) == 0:
            yield Pair(aspect, None, None)
            continue
        ends = []
        for number in (np.nanargmax(of_clips), np.nanargmin(of_clips)):
            run, case = divmod(int(number), len(joint.cases))
            video = cast(Video, videos[run][case])
            ends.append(Example(found.names[run], joint.cases[case], float(of_clips[run, case]), video))
        yield Pair(aspect, *ends)


def _videos(run: Run, cases: Sequence[str]) -> list[Video | None]:
    """The measured video of each case; None where it is not on disk."""
    sources = run.sources()
    return [sources[case].video if case in sources else None for case in cases]
