"""Whom a job is about, and what its folder holds of it already."""

from __future__ import annotations

import os
from pathlib import Path

from worldgauge.core.benchmark import Benchmark
from worldgauge.core.contents import Contents
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.identity import Identity, digest_of_cases
from worldgauge.core.names import readable
from worldgauge.core.run_file import FILE_NAME, DamagedRunFile, RunFile
from worldgauge.core.submission import Submission
from worldgauge.engine.job import Job
from worldgauge.engine.local_copies import url_of


def identity_of(benchmark: Benchmark, submission: Submission, protocol: str) -> Identity:
    """A benchmark over its list of cases, a protocol, a model and the place of its videos."""
    return Identity(
        benchmark=benchmark.file.name,
        data=None if benchmark.of_videos else digest_of_cases(case.id for case in benchmark.cases),
        protocol=protocol,
        model=submission.model,
        read_from=_place(submission.read_from),
    )


def found_before(job: Job) -> tuple[RunFile | None, Contents | None, list[str]]:
    """What the job's folder holds, and remarks on what was damaged there. Another identity is refused."""
    out, asked = job.setup.out, identity_of(job.benchmark, job.submission, job.protocol)
    file, contents, remarks = _run_file(out)
    if file is not None and file.older:
        raise WorldGaugeError(
            f"{out} was made by an older version: it can be read, not continued", "choose another folder with --out"
        )
    held = file or contents
    if held is not None:
        asked.refuse_other(held.identity, str(out), job.moved)
    elif any(out.glob("records-*.jsonl")):
        raise WorldGaugeError(
            f"{out} holds records, but nothing there says whose ({' and '.join(remarks) or f'no {FILE_NAME}'})",
            "choose another folder with --out",
        )
    return file, contents, remarks


def is_about(folder: Path, identity: Identity) -> bool:
    """Whether a folder is free for a run, or holds that very one."""
    try:
        file, contents, _ = _run_file(folder)
    except WorldGaugeError:
        return False
    held = file or contents
    return held.identity == identity if held is not None else not any(folder.glob("records-*.jsonl"))


def _run_file(folder: Path) -> tuple[RunFile | None, Contents | None, list[str]]:
    file, contents, remarks = None, None, []
    if (folder / FILE_NAME).exists():
        try:
            file = RunFile.read(folder)
        except DamagedRunFile as error:
            remarks.append(error.message)
    try:
        contents = Contents.read(folder)
    except WorldGaugeError as error:
        remarks.append(error.message)
    return file, contents, remarks


def _place(path: Path | None) -> str:
    """An absolute path as text, or the URL it is a copy of; bytes that are no text are written as escapes."""
    return "" if path is None else url_of(path) or readable(os.path.realpath(path))
