"""`worldgauge memobench`: MemoBench's own files, question banks and analyses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.benchmarks.memobench.analyses.breakdown_command import breakdown
from worldgauge.benchmarks.memobench.footage.command import footage
from worldgauge.benchmarks.memobench.official.command import leaderboard
from worldgauge.core.run_folder import Run
from worldgauge.verbs import AsJson, StorePath, default_store, print_json, print_table, say

app = typer.Typer(help="MemoBench: official files, question banks, analyses of runs.")

app.command()(leaderboard)
app.command()(breakdown)
app.command()(footage)

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
def questions(data: DataSet, as_json: AsJson = False) -> None:
    """Question banks of the data set: counts, what constant answers score, what passes on the curated failures."""
    from worldgauge.benchmarks.memobench.data import questions as module
    from worldgauge.core.errors import WorldGaugeError

    banks = list((module.read_banks(data) or module.read_banks(data / "data")).values())
    if not banks:
        raise WorldGaugeError(f"{data} has no question banks", f"name the folder that holds {module.FOLDER}")
    yes, no = (module.constant_baseline(banks, answer) for answer in ("yes", "no"))
    found = module.discrimination(banks)
    rows = module.statistics(banks)
    for row in rows:
        name = row["dimension"]
        row |= {"always yes": yes.get(name), "always no": no.get(name), "pass on failure": found["pass_rate"].get(name)}
    if as_json:
        print_json({"clips": len(banks), "dimensions": rows, "discrimination": found})
        return
    _print(rows, digits=1)
    say(
        f"{found['passed_on_failure']} of {found['questions']} questions pass on the failure clips; "
        f"{found['clips_without_a_failing_question']} of {found['clips']} clips have none that fails there"
    )


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
    _show([asdict(row) for row in trajectory_statistics(cases, tuple(by.split(",")))], as_json, digits=1)


@app.command()
def phases(runs: Runs, as_json: AsJson = False) -> None:
    """Fidelity in the visible and the back phase, and the drop between them (Table S6)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import phase_drop

    _show(phase_drop(_open(runs)), as_json)


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
    _show(motion_gated(_open(runs), thresholds, measure, LEADERBOARD if whole else GATED), as_json)


@app.command()
def strata(
    runs: Runs,
    metric: Annotated[str, typer.Option(help="Metric id of the benchmark.")] = "ORS",
    as_json: AsJson = False,
) -> None:
    """A metric by the target's size and by the rotation at which it comes back."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import stratified

    _show(stratified(_open(runs), metric), as_json)


@app.command()
def cameras(runs: Runs, as_json: AsJson = False) -> None:
    """Camera error and control per model and pooled; are recorded rotations those of the camera files (Table S8)?"""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import camera_validation

    _show(camera_validation(_open(runs)), as_json)


@app.command()
def failures(runs: Runs, as_json: AsJson = False) -> None:
    """How many clips show each kind of failure on the target's return (Table S10)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import failure_counts

    _show(failure_counts(_open(runs)), as_json)


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
    _show(sweep(_open(runs), store or default_store(), SWEEPS[parameter]), as_json)


@app.command()
def wordings(
    runs: Runs,
    store: StorePath = None,
    device: Annotated[str, typer.Option(help="Where the segmenter runs: cpu, cuda, ...")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Object reappearance under five wordings of the phrase; the run's segmenter is asked anew (Table S4)."""
    from worldgauge.benchmarks.memobench.analyses.wordings import by_wording

    _show(by_wording(_open(runs), store or default_store(), device), as_json)


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


def _show(rows: list[dict[str, Any]], as_json: bool, digits: int = 4) -> None:
    if as_json:
        print_json(rows)
    else:
        _print(rows, digits)


def _print(rows: list[dict[str, Any]], digits: int = 4) -> None:
    if not rows:
        say("no rows")
        return
    header = list(rows[0])
    cells = [[_cell(row[name], digits) for name in header] for row in rows]
    numeric = [i for i, name in enumerate(header) if not isinstance(rows[0][name], str)]
    # What stands before the first number says which row it is.
    print_table(header, cells, numeric=numeric, keys=max(min(numeric, default=1), 1))


def _cell(value: Any, digits: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
