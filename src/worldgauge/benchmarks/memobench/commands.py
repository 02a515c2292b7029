"""`worldgauge memobench`: MemoBench's own files, question banks and analyses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.benchmarks.memobench.official.command import leaderboard
from worldgauge.benchmarks.memobench.printing import show_rows
from worldgauge.benchmarks.memobench.question_commands import answers, filter_questions, questions
from worldgauge.core.run_folder import Run
from worldgauge.verbs import AsJson, StorePath, default_store, say

app = typer.Typer(help="MemoBench: official files, question banks, analyses of runs.")

for verb in (leaderboard, questions, answers):
    app.command()(verb)
app.command("filter")(filter_questions)

Runs = Annotated[list[Path], typer.Argument(help="Run folders of the benchmark.", show_default=False)]
DataSet = Annotated[Path, typer.Argument(help="The released data set, or a folder with cases.jsonl.")]


@app.command()
def files(runs: Runs, out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")]) -> None:
    """Write the official files: the 48-column table per model, ors_scores.csv where a segmenter was asked, and
    leaderboard.csv for all."""
    from worldgauge.benchmarks.memobench.official.files import write_files

    for file in write_files(_open(runs), out):
        say(str(file))


@app.command()
def trajectories(
    data: DataSet,
    by: Annotated[str, typer.Option(help="Tags to group by, with commas between.")] = "data_type,motion",
    as_json: AsJson = False,
) -> None:
    """Camera statistics of a set of cases: clips, rotation, frames out of view (the columns of Table S2)."""
    from dataclasses import asdict

    from worldgauge.benchmarks.memobench.analyses.trajectories import trajectory_statistics
    from worldgauge.benchmarks.memobench.data.cases import read_dataset
    from worldgauge.core.case_file import FILE_NAME, read_cases

    own = data.is_file() or (data / FILE_NAME).is_file()
    cases = read_cases(data) if own else read_dataset(data)
    show_rows([asdict(row) for row in trajectory_statistics(cases, tuple(by.split(",")))], as_json, digits=1)


@app.command()
def phases(runs: Runs, as_json: AsJson = False) -> None:
    """Fidelity in the visible and the back phase, and the drop between them (Table S6)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import phase_drop

    show_rows(phase_drop(_open(runs)), as_json)


@app.command()
def gated(
    runs: Runs,
    threshold: Annotated[
        str, typer.Option(help="Least rotation of the reference camera, degrees; several with commas between.")
    ] = "90",
    measure: Annotated[str, typer.Option(help="net, path or reach.")] = "net",
    whole: Annotated[bool, typer.Option("--all-columns", help="Every leaderboard column a run can have.")] = False,
    as_json: AsJson = False,
) -> None:
    """Means over the clips whose reference camera turns enough (Table S5)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import GATED, LEADERBOARD, MEASURES, motion_gated
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.core.registry import unknown_name

    if measure not in MEASURES:
        raise unknown_name("measure", measure, list(MEASURES))
    try:
        thresholds = [float(part) for part in threshold.split(",")]
    except ValueError as error:
        raise WorldGaugeError(f"--threshold {threshold}: not degrees", "write for example 60,90,120") from error
    show_rows(motion_gated(_open(runs), thresholds, measure, LEADERBOARD if whole else GATED), as_json)


@app.command()
def strata(
    runs: Runs,
    metric: Annotated[str, typer.Option(help="Metric id of the benchmark.")] = "ORS",
    as_json: AsJson = False,
) -> None:
    """A metric by the target's size and by the rotation at which it comes back."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import stratified

    show_rows(stratified(_open(runs), metric), as_json)


@app.command()
def cameras(runs: Runs, as_json: AsJson = False) -> None:
    """Camera error and control per model and pooled; are recorded rotations those of the camera files (Table S8)?"""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import camera_validation

    show_rows(camera_validation(_open(runs)), as_json)


@app.command()
def failures(runs: Runs, as_json: AsJson = False) -> None:
    """How many clips show each kind of failure on the target's return (Table S10)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import failure_counts

    show_rows(failure_counts(_open(runs)), as_json)


@app.command()
def sensitivity(
    runs: Runs,
    parameter: Annotated[str, typer.Option(help="top-share, temperature, coverage or coverage-strict.")] = "top-share",
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Sweep a parameter over stored signals: means and Kendall's tau against the default (Tables S3 and S7)."""
    from worldgauge.benchmarks.memobench.analyses.sensitivity import SWEEPS, sweep
    from worldgauge.core.registry import unknown_name

    if parameter not in SWEEPS:
        raise unknown_name("parameter", parameter, list(SWEEPS))
    show_rows(sweep(_open(runs), store or default_store(), SWEEPS[parameter]), as_json)


@app.command()
def wordings(
    runs: Runs,
    store: StorePath = None,
    device: Annotated[str, typer.Option(help="Where the segmenter runs: cpu, cuda, ...")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Object reappearance under five wordings of the phrase; the run's segmenter is asked anew (Table S4)."""
    from worldgauge.benchmarks.memobench.analyses.wordings import by_wording

    show_rows(by_wording(_open(runs), store or default_store(), device), as_json)


@app.command()
def published(
    runs: Annotated[list[Path] | None, typer.Argument(help="Runs to show as well.", show_default=False)] = None,
    table: Annotated[str, typer.Option("--table", help="One table: 2, 3, s2, ..., s10; else all eleven.")] = "",
    as_json: AsJson = False,
) -> None:
    """The paper's eleven tables as printed; runs beside them where that is fair, else apart with the reasons."""
    from worldgauge.core.published import published_tables
    from worldgauge.core.registry import unknown_name
    from worldgauge.report.beside_published import held_against
    from worldgauge.report.published_print import print_published
    from worldgauge.report.summary import summarise

    tables = {found.id.removeprefix("paper-table-"): found for found in published_tables("memobench")}
    if table and table.lower() not in tables:
        raise unknown_name("table", table, list(tables))
    summaries = [summarise(run) for run in _open(runs or ())]
    chosen = [tables[table.lower()]] if table else list(tables.values())
    print_published([held_against(each, summaries) for each in chosen], "json" if as_json else "terminal")


def _open(folders: Sequence[Path]) -> list[Run]:
    return [Run(folder) for folder in folders]
