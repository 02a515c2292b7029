"""The whole curation: clips in, samples of both settings out; planned, capped, and going on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.curation import captions, challenges, description
from worldgauge.benchmarks.mbench.curation.clips import SourceClip
from worldgauge.benchmarks.mbench.curation.examples import EXAMPLES
from worldgauge.benchmarks.mbench.curation.layout import write_indexes, write_samples
from worldgauge.benchmarks.mbench.curation.log import write_log
from worldgauge.benchmarks.mbench.curation.writing import Choices, Curated, curated
from worldgauge.core.asking import Expected, Spending
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.prompts import digest_of_prompt
from worldgauge.judge.instrument import Judge
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.kept_plan import Asking, PlannedAnswers
from worldgauge.judge.many import each_of

PROMPTS = (challenges.PROMPT, description.PROMPT, captions.CAPTIONS, captions.QUESTIONS)


@dataclass(frozen=True)
class Outcome:
    """What a curation did."""

    told: dict[str, Any]
    """As `curation.json` says it."""
    items: dict[str, int]
    """Folder of a setting to its items."""
    open_ones: dict[str, str]
    """Clips without an answer, and why."""
    counted: dict[str, float]


def plan(clips: Sequence[SourceClip], judge: Judge, folder: Path, choices: Choices) -> tuple[Expected, int]:
    """What would still be asked, if every clip without an answer were kept; and how many answers are there."""
    asking = PlannedAnswers(judge, folder, EXAMPLES)
    for clip in _different(clips)[0]:
        _one(clip, asking, choices)
    return asking.expected, asking.known


def run(
    clips: Sequence[SourceClip],
    judge: Judge,
    out: Path,
    choices: Choices,
    spending: Spending,
    settings: Sequence[str],
    length: str,
) -> Outcome:
    """Ask about every clip and write what came of it. What cannot be answered stops nothing else."""
    made_by = {
        "judge": judge.identity(),
        "prompts": {prompt.rpartition(":")[2]: digest_of_prompt(prompt) for prompt in PROMPTS},
    }
    different, twice = _different(clips)

    with KeptAnswers(judge, out, spending) as asking:

        def whole(clip: SourceClip) -> Curated:
            one = _one(clip, asking, choices)
            if one.kept:
                write_samples(one, out, settings, length, made_by)
            return one

        found, open_ones = each_of(different, whole, judge.concurrency, name=lambda clip: clip.name)
    items = write_indexes((one for one in found if one.kept), out, settings, length)
    return Outcome(write_log(out, [*found, *twice], open_ones, choices, made_by), items, open_ones, asking.counted)


def _one(clip: SourceClip, asking: Asking, choices: Choices) -> Curated:
    try:
        return curated(clip, asking, choices)
    except InvalidVideo as problem:
        return Curated(clip, str(problem))


def _different(clips: Sequence[SourceClip]) -> tuple[list[SourceClip], list[Curated]]:
    """The clips, and verdicts on those that are another one once more."""
    first: dict[str, SourceClip] = {}
    different, twice = [], []
    for clip in clips:
        try:
            other = first.setdefault(clip.video.digest, clip)
        except InvalidVideo as problem:
            twice.append(Curated(clip, str(problem)))
            continue
        if other is clip:
            different.append(clip)
        else:
            twice.append(Curated(clip, f"the same clip as {other.name}"))
    return different, twice
