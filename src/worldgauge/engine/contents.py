"""Establishing what is there now: the digest of every part of every video's case that some metric reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from worldgauge.core.case import Case
from worldgauge.core.contents import Contents, VideoKey, note_files, remember_files
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.identity import Identity
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.sources import Source, read_sources, write_sources
from worldgauge.core.submission import Submission
from worldgauge.core.video import Video
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.writing import writing


def part_names(definitions: Iterable[DefinitionFile]) -> list[str]:
    """Every part that some metric of the folder reads, whether it is asked for again or not."""
    return sorted({part for definition in definitions for part in definition.reads})


def establish(
    identity: Identity, cases: Iterable[Case], submission: Submission, reads: Sequence[str]
) -> tuple[Contents, dict[VideoKey, CaseInputs]]:
    """Look at every take of the cases."""
    inputs = {
        (case.id, take): CaseInputs(case, video)
        for case in cases
        for take, video in enumerate(submission.takes(case.id))
    }
    # Side by side: of a data set of pictures it is the reading and hashing of files that takes the time.
    with ThreadPoolExecutor(min(16, os.cpu_count() or 1)) as pool:
        digests = pool.map(lambda found: found.part_digests(reads), inputs.values())
        return Contents(identity, dict(zip(inputs, digests, strict=True))), inputs


def _takes(submission: Submission, case_id: str) -> tuple[Video | None, ...]:
    """The videos of a case as `write_sources` notes them: those on disk."""
    named = submission.videos.get(case_id), *submission.further.get(case_id, ())
    return tuple(
        video if video.is_there else None for video in named if video is not None and video.on_disk is not None
    )


def check_again(
    folder: Path,
    cases: Sequence[Case] = (),
    submission: Submission | None = None,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> None:
    """Look at the files of a run folder again and write down what is there now.

    Without `cases` and a `submission` those are looked at that the folder knows.
    """
    RunFile.read(folder)
    with writing(folder):
        if submission is not None:
            write_sources(folder, cases, submission)
            sources = {case.id: Source(case, _takes(submission, case.id)) for case in cases}
        else:
            sources = read_sources(folder)
        # Only now: another run may have ended just before.
        file, contents = RunFile.read(folder), Contents.read(folder)
        if contents is None:
            raise WorldGaugeError(f"{folder} does not say what it was about", "run the same command again")
        reads = part_names(file.definitions)
        remember_files(folder)
        found: dict[tuple[str, int], Mapping[str, str]] = {}
        for number, ((case_id, take), before) in enumerate(contents.videos.items(), start=1):
            progress("digests", number, len(contents.videos))
            source = sources.get(case_id)
            if source is None or take >= len(source.takes):
                # A clip that was in memory cannot be looked at again.
                found[case_id, take] = before
            else:
                found[case_id, take] = CaseInputs(source.case, source.takes[take]).part_digests(reads)
        Contents(contents.identity, found).write(folder)
        note_files(folder)
