"""What cases lack, score by score, known before any work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldgauge.benchmarks.mbench.curation.arc import Wanted, problems
from worldgauge.benchmarks.mbench.data.case_parts import ACTION, LEGS, SEGMENTS, captions_of, is_text
from worldgauge.benchmarks.mbench.data.cases import ARC_KEYS
from worldgauge.benchmarks.mbench.formulas.conditions import FRAMES
from worldgauge.core.benchmark import BenchmarkFile, MetricUse, resolved_uses
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
        about = [case for case in cases if _is_about(use, case)]
        for part in METRICS.get(use.use).inputs():
            without = tuple(case.id for case in about if not offers(case, part))
            if without:
                found.append(Lack(use.id, in_words(part), without, len(about)))
    return found


def remarks_on_turns(cases: Sequence[Case], uses: Iterable[MetricUse]) -> list[str]:
    """What to say before a run of columns that a limit of ours leaves without a number: views of pure turns."""
    found: dict[str, tuple[int, int]] = {}
    for use in uses:
        about = [case for case in cases if _is_about(use, case)]
        turns = [case for case in about if _only_turns(case)]
        if turns and use.parameters.get("degenerate", _USUAL) == "unscored" and use.use in _OF_TWO_VIEWS:
            found[use.id] = len(turns), len(about)
    if not found:
        return []
    turns_of, of = max(found.values())
    return [
        f"{', '.join(found)}: {turns_of} of {of} cases are pure turns, whose views have no baseline. That such pairs "
        "have no number is our own limit (least_baseline), the paper prints none (4.3.1). Records keep the literal "
        "value; groups over these columns, the total and the board may stay empty. a_total_turning is our total over "
        "the columns that exist for turns"
    ]


_OF_TWO_VIEWS = ("mbench/epipolar", "mbench/reprojection")
_USUAL = "unscored"
"""Of the parameter `degenerate`."""


def _is_about(use: MetricUse, case: Case) -> bool:
    return all(case.tags.get(tag) == value for tag, value in use.cases.items())


def _only_turns(case: Case) -> bool:
    verbs = {str(verb) for verb, _ in case.extras.get(LEGS) or ()}
    return bool(verbs) and verbs <= {"left", "right", "wait"}


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
