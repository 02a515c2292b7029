"""What cases lack, score by score, known before any work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldgauge.benchmarks.mbench.curation.arc import Wanted, problems
from worldgauge.benchmarks.mbench.data.case_parts import ACTION, SEGMENTS, captions_of, is_text
from worldgauge.benchmarks.mbench.data.cases import ARC_KEYS
from worldgauge.benchmarks.mbench.formulas.conditions import FRAMES
from worldgauge.core.benchmark import BenchmarkFile, resolved_uses
from worldgauge.core.case import Case
from worldgauge.core.case_parts import in_words, offers
from worldgauge.core.metric import METRICS


@dataclass(frozen=True)
class Lack:
    """A part that some cases of a column do not have."""

    column: str
    part: str
    cases: tuple[str, ...]
    of: int
    """Cases the column is about."""


def lacks_of(file: BenchmarkFile, cases: Sequence[Case], protocol: str) -> list[Lack]:
    """Per column, which parts are missing in which of the cases it is about."""
    found = []
    for use in resolved_uses(file, protocol):
        about = [case for case in cases if all(case.tags.get(tag) == value for tag, value in use.cases.items())]
        for part in METRICS.get(use.use).inputs():
            without = tuple(case.id for case in about if not offers(case, part))
            if without:
                found.append(Lack(use.id, in_words(part), without, len(about)))
    return found


def faults_of(cases: Iterable[Case]) -> Iterator[str]:
    """What is there and cannot be right: not five captions, a length that no condition has, captions that repeat, and
    paragraphs of a curated case that do not take its target away and bring it back as it was."""
    for case in cases:
        if (wanted := _wanted(case)) is not None:
            paragraphs = [str(text) for text in case.extras["paragraphs"]]
            yield from (f"{case.id}: {problem}" for problem in problems(paragraphs, wanted))
        captions = captions_of(case)
        if is_text(case) and captions and len(captions) != SEGMENTS:
            yield f"{case.id}: {len(captions)} captions, not {SEGMENTS}"
        twice = [text for text, count in Counter(captions).items() if count > 1]
        if is_text(case) and twice:
            yield f"{case.id}: a caption stands there twice: {twice[0][:40]}"
        length = case.condition.frames
        if case.tags.get("setting") == ACTION and length is not None and length not in FRAMES.values():
            yield f"{case.id}: {length} frames, conditions have {' or '.join(map(str, FRAMES.values()))}"


def _wanted(case: Case) -> Wanted | None:
    """What the paragraphs of a curated case must tell; None for a case that does not say."""
    paragraphs, attributes, state = (case.extras.get(key) for key in ARC_KEYS)
    name = case.extras.get("object_name")
    if not isinstance(paragraphs, list) or not isinstance(attributes, list) or not isinstance(name, str) or not name:
        return None
    told = state if isinstance(state, Mapping) else {}
    names = tuple(str(each) for each in attributes)
    return Wanted(name, names, str(told.get("before", "")), str(told.get("after", "")))
