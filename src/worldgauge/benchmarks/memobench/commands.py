"""`worldgauge memobench`: MemoBench's own files, question banks and analyses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.benchmarks.memobench.analyses.breakdown_command import breakdown
from worldgauge.benchmarks.memobench.analyses.commands import AnswerFolders, SplitChoice, joint, tables
from worldgauge.benchmarks.memobench.footage.command import footage
from worldgauge.benchmarks.memobench.human.commands import agreement, review, survey
from worldgauge.benchmarks.memobench.official.command import leaderboard
from worldgauge.benchmarks.memobench.pictures import radar, strip
from worldgauge.benchmarks.memobench.printing import show_rows
from worldgauge.benchmarks.memobench.question_commands import answers, filter_questions
from worldgauge.benchmarks.memobench.question_commands import app as question_banks
from worldgauge.core.run_folder import Run
from worldgauge.verbs import AsJson, StorePath, Unofficial, default_store, parse_size, say

app = typer.Typer(help="MemoBench: official files, question banks, analyses of runs.")

VERBS = (leaderboard, answers, review, survey, agreement, tables, joint, strip, radar, breakdown, footage)
for verb in VERBS:
    app.command()(verb)
app.command("filter")(filter_questions)
app.add_typer(question_banks, name="questions")

DEPTH_SAMPLES = "depth-samples"
"""The sweep that looks at other frames than the run did."""
Runs = Annotated[list[Path], typer.Argument(help="Run folders of the benchmark.", show_default=False)]
DataSet = Annotated[Path, typer.Argument(help="The released data set, or a folder with cases.jsonl.")]


@app.command()
def files(
    runs: Runs,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")],
    unofficial: Unofficial = False,
) -> None:
    """Write the official files: the 48-column table per model, ors_scores.csv where a segmenter was asked, and
    leaderboard.csv for all; bounds.csv tells what its scores could be with the clips that have none.

    Runs that are not official are refused with the reasons.
    """
    from worldgauge.benchmarks.memobench.official.files import write_files

    for file in write_files(_open(runs), out, allow_unofficial=unofficial):
        say(str(file))


@app.command()
def trajectories(
    data: DataSet,
    by: Annotated[str, typer.Option(help="Tags to group by, with commas between.")] = "data_type,motion",
    by_camera: Annotated[
        bool, typer.Option("--by-camera", help="Tell the kind of path from the camera files, not from the prompts.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Camera statistics of a set of cases: clips, rotation, frames out of view (the columns of Table S2)."""
    from dataclasses import asdict

    from worldgauge.benchmarks.memobench.analyses.trajectories import statistics_by_camera, trajectory_statistics
    from worldgauge.benchmarks.memobench.data.cases import read_dataset
    from worldgauge.core.case_file import FILE_NAME, read_cases

    own = data.is_file() or (data / FILE_NAME).is_file()
    cases = read_cases(data) if own else read_dataset(data)
    rows = statistics_by_camera(cases) if by_camera else trajectory_statistics(cases, tuple(by.split(",")))
    show_rows([asdict(row) for row in rows], as_json, digits=1)


@app.command()
def phases(runs: Runs, split: SplitChoice = "all", as_json: AsJson = False) -> None:
    """Fidelity in the visible and the back phase, and the drop between them (Table S6)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import phase_drop

    show_rows(phase_drop(_open(runs), split), as_json)


@app.command()
def gated(
    runs: Runs,
    threshold: Annotated[
        str, typer.Option(help="Least rotation of the reference camera, degrees; several with commas between.")
    ] = "90",
    measure: Annotated[str, typer.Option(help="net, path or reach.")] = "net",
    whole: Annotated[bool, typer.Option("--all-columns", help="All 14 columns of the leaderboard.")] = False,
    vqa: AnswerFolders = None,
    split: SplitChoice = "all",
    as_json: AsJson = False,
) -> None:
    """Means over the clips whose reference camera turns enough (Table S5)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import GATED, MEASURES, motion_gated
    from worldgauge.benchmarks.memobench.analyses.run_scores import LEADERBOARD, read_answer_folders
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.core.registry import unknown_name

    if measure not in MEASURES:
        raise unknown_name("measure", measure, list(MEASURES))
    try:
        thresholds = [float(part) for part in threshold.split(",")]
    except ValueError as error:
        raise WorldGaugeError(f"--threshold {threshold}: not degrees", "write for example 60,90,120") from error
    answered = read_answer_folders(vqa) if vqa is not None else None
    columns = LEADERBOARD if whole else GATED
    show_rows(motion_gated(_open(runs), thresholds, measure, columns, split, answered), as_json)


@app.command()
def strata(
    runs: Runs,
    metric: Annotated[str, typer.Option(help="Metric id of the benchmark.")] = "ORS",
    split: SplitChoice = "all",
    as_json: AsJson = False,
) -> None:
    """A metric by the target's size and by the rotation at which it comes back."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import stratified

    show_rows(stratified(_open(runs), metric, split), as_json)


@app.command()
def cameras(runs: Runs, split: SplitChoice = "all", as_json: AsJson = False) -> None:
    """Camera error and control per model and pooled; are recorded rotations those of the camera files (Table S8)?"""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import camera_validation

    show_rows(camera_validation(_open(runs), split), as_json)


@app.command()
def failures(runs: Runs, as_json: AsJson = False) -> None:
    """How many clips show each kind of failure on the target's return (Table S10)."""
    from worldgauge.benchmarks.memobench.analyses.paper_tables import failure_counts

    show_rows(failure_counts(_open(runs)), as_json)


@app.command()
def sensitivity(
    runs: Runs,
    parameter: Annotated[
        str, typer.Option(help="top-share, identity, temperature, depth-samples, coverage or coverage-strict.")
    ] = "top-share",
    sample: Annotated[
        int | None, typer.Option(min=2, help="So many pairs of model and clip, always the same (Table S7: 200).")
    ] = None,
    split: SplitChoice = "all",
    store: StorePath = None,
    device: Annotated[str, typer.Option(help="Where the depth network runs: cpu, cuda, ...")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Sweep a parameter: means, and Kendall's tau of clips against the default with its p-value (Tables S3 and S7).

    All but depth-samples use stored signals alone.
    """
    from worldgauge.benchmarks.memobench.analyses.depth_samples import by_depth_samples
    from worldgauge.benchmarks.memobench.analyses.sensitivity import SWEEPS, sweep
    from worldgauge.core.registry import unknown_name

    if parameter == DEPTH_SAMPLES:
        rows = by_depth_samples(_open(runs), store or default_store(), device, sample, split)
    elif parameter in SWEEPS:
        rows = sweep(_open(runs), store or default_store(), SWEEPS[parameter], sample, split)
    else:
        raise unknown_name("parameter", parameter, [*SWEEPS, DEPTH_SAMPLES])
    show_rows(rows, as_json)


@app.command()
def wordings(
    runs: Runs,
    split: SplitChoice = "all",
    store: StorePath = None,
    device: Annotated[str, typer.Option(help="Where the segmenter runs: cpu, cuda, ...")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Object reappearance under five wordings of the phrase; the run's segmenter is asked anew (Table S4)."""
    from worldgauge.benchmarks.memobench.analyses.wordings import by_wording

    show_rows(by_wording(_open(runs), store or default_store(), device, split=split), as_json)


@app.command()
def floors(
    data: DataSet,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the three submissions.")],
    frames: Annotated[int | None, typer.Option("--frames", "-n", min=2, help="Frames; else the reference's.")] = None,
    size: Annotated[str, typer.Option("--size", help="Width and height, as WxH; else the reference's.")] = "",
) -> None:
    """Write the true video as a model's submission, and two that stand still: on the first and on the last frame.

    worldgauge memobench floors MemoBench --frames 81 --size 832x480 -o floors
    worldgauge run floors/true-video -b memobench --data MemoBench
    """
    from worldgauge.benchmarks.memobench.data.cases import read_dataset
    from worldgauge.benchmarks.memobench.data.floors import write_floors

    made = write_floors(read_dataset(data), out, frames, parse_size(size) if size else None)
    for name, clips in made.items():
        say(f"{clips} clips: {out / name}")


@app.command()
def presets(as_json: AsJson = False) -> None:
    """How the paper's ten models were run (Table S1); `worldgauge inputs memobench --preset NAME` takes them."""
    from worldgauge.benchmarks.memobench.presets import presets as known

    rows = [
        {
            "model": preset.name,
            "kind": preset.kind,
            "size": f"{preset.size[0]}x{preset.size[1]}",
            "fps": preset.fps,
            "frames": preset.frames,
            "note": preset.note,
        }
        for preset in known().values()
    ]
    show_rows(rows, as_json)


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
