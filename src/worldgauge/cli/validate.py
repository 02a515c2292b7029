"""`worldgauge validate`: is the submission complete and readable?"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.api.building import default_out, open_videos
from worldgauge.cli import options as o
from worldgauge.cli.exits import FAULTS
from worldgauge.cli.plan import print_why
from worldgauge.core.benchmark import Benchmark
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.official import official_uses
from worldgauge.core.run_file import FILE_NAME as RUN_FILE
from worldgauge.core.submission import Submission, folders_in_words
from worldgauge.engine.contents import check_again
from worldgauge.engine.continuing import identity_of, is_about
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.job import nothing_matched
from worldgauge.engine.possible import possible_metrics, why_not
from worldgauge.engine.validating import Validation, validate_videos
from worldgauge.engine.writing import Busy
from worldgauge.verbs import AsJson, StepLines, print_json, say

app = typer.Typer()
_SILENT = 3.0
"""Seconds after which the first line of progress is printed: most submissions are looked through by then."""


@app.command()
def validate(
    videos: o.Videos,
    benchmark: o.BenchmarkName = None,
    data: o.Data = None,
    protocol: o.ProtocolName = None,
    instruments: o.InstrumentSet = "auto",
    out: o.Out = None,
    full: Annotated[bool, typer.Option("--full", help="Decode every frame, not only the first.")] = False,
    why: o.Why = False,
    as_json: AsJson = False,
) -> None:
    """Check that every case has a readable video, and say what is wrong with the others.

    Exit code 1 if anything is, 2 if not one case has a video. A clip that is shorter than the benchmark requires is
    remarked on: it is readable, and the benchmark's own columns count it as worst.

    Metrics that the cases or the instruments do not allow are counted too; they are nobody's fault.
    """
    progress = StepLines(after=_SILENT)
    opened, submission = open_videos(videos, benchmark, data)
    left_out = _left_out(opened, protocol, instruments)
    _update_run_folder(opened, submission, protocol, out, progress)
    found = validate_videos(opened, submission, protocol, full, progress)
    if as_json:
        print_json(_as_json(found, submission, left_out))
    else:
        say(f"{found.readable} of {found.cases} cases have a readable video")
        for case_id in found.missing:
            say(f"missing  {case_id}")
        for case_id, reason in found.invalid.items():
            say(f"invalid  {case_id}: {reason}")
        for case_id, remark in found.remarks.items():
            say(f"remark   {case_id}: {remark}")
        for name in found.unknown:
            say(f"ignored  {name}: belongs to no case")
        if submission.left_out:
            say(f"left out {folders_in_words(submission.left_out)}")
        print_why(left_out, why)
    if len(found.missing) == found.cases:
        raise nothing_matched([case.id for case in opened.cases], submission)
    if found.missing or found.invalid:
        raise typer.Exit(FAULTS)


def _as_json(found: Validation, submission: Submission, left_out: dict[str, str]) -> dict[str, Any]:
    return {
        "cases": found.cases,
        "readable": found.readable,
        "missing": found.missing,
        "invalid": found.invalid,
        "remarks": found.remarks,
        "unknown_videos": found.unknown,
        "left_out": submission.left_out,
        "not_computable": left_out,
    }


def _update_run_folder(
    benchmark: Benchmark, submission: Submission, protocol: str | None, out: Path | None, progress: StepLines
) -> None:
    """Where the videos have a run folder, write down there what is there now."""
    chosen = protocol or benchmark.file.protocols[0]
    folder, identity = out or default_out(benchmark, submission, chosen), identity_of(benchmark, submission, chosen)
    if (folder / RUN_FILE).is_file() and is_about(folder, identity):
        # A run that is writing looks for itself.
        with contextlib.suppress(Busy):
            check_again(folder, benchmark.cases, submission, progress)
    elif out is not None:
        raise WorldGaugeError(f"{out} is not the run folder of these videos", "leave --out away")


def _left_out(benchmark: Benchmark, protocol: str | None, instruments: str) -> dict[str, str]:
    """Metrics of the benchmark, or of all there are, that no case can have here, each with the reason."""
    chosen = protocol or benchmark.file.protocols[0]
    seats = choose_seats(instruments, (), official_uses(benchmark.file, chosen), benchmark.file.namespace)
    uses = benchmark.metrics(chosen)
    if uses:
        return why_not(resolve(uses, seats), benchmark.cases)
    return dict(possible_metrics(benchmark.cases, seats).excluded)
