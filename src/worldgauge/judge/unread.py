"""What a judge said where no answer could be read: from a run's ledger, for the pages of its cases."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from worldgauge.core.evidence import Evidence, EvidenceOf, Interview
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import Source
from worldgauge.judge.ledger import FILE_NAME, Attempt, read_ledger


def with_unread(find: EvidenceOf) -> EvidenceOf:
    """The same evidence; a case without an answer shows the attempts at one."""

    def found(run: Run, source: Source) -> Evidence:
        evidence = find(run, source)
        if evidence.interviews or not (run.folder / FILE_NAME).is_file():
            return evidence
        tried = _attempts(run.folder, source.case.id)
        if not tried:
            return evidence
        last = tried[-1]
        kept = Interview(
            judge=last.model,
            told=(),
            raw=tuple(attempt.raw for attempt in tried),
            problem=f"{len(tried)} attempts, none could be read; the last: {last.outcome}",
        )
        return replace(evidence, interviews=(kept,))

    return found


def _attempts(folder: Path, case: str) -> list[Attempt]:
    """Attempts about a case, in the order in which they were made."""
    by_about = _by_about(folder)
    # A line says `case`, or `case` and what was asked about it.
    abouts = [about for about in by_about if about == case or about.startswith(f"{case} ")]
    return sorted((attempt for about in abouts for attempt in by_about[about]), key=lambda attempt: attempt.time)


@lru_cache(maxsize=8)
def _by_about(folder: Path) -> dict[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = {}
    for attempt in read_ledger(folder):
        found.setdefault(attempt.about, []).append(attempt)
    return found
