"""`worldgauge worldscore`: WorldScore's official files and data set, comparisons of models, the published tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.benchmarks.worldscore.bounds.command import bounds
from worldgauge.benchmarks.worldscore.verbs.check import check
from worldgauge.benchmarks.worldscore.verbs.comparing import observations, subdomains, twins
from worldgauge.benchmarks.worldscore.verbs.consistency import consistency
from worldgauge.benchmarks.worldscore.verbs.curate import curate
from worldgauge.benchmarks.worldscore.verbs.examples import examples
from worldgauge.benchmarks.worldscore.verbs.presets import presets
from worldgauge.benchmarks.worldscore.verbs.study import study
from worldgauge.core.run_folder import Run
from worldgauge.verbs import AsJson, Unofficial, print_json, print_note, print_table, say

app = typer.Typer(help="WorldScore: data set, official files, bounds, comparisons of models, published numbers.")

for verb in (check, presets, consistency, observations, subdomains, twins, examples, study, curate, bounds):
    app.command()(verb)

RunFolder = Annotated[Path, typer.Argument(help="Run folder of the benchmark.", show_default=False)]


@app.command()
def files(
    run: RunFolder,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")],
    failures_as_zero: Annotated[
        bool, typer.Option("--failures-as-zero", help="Count failed metrics as 0, as the released code does.")
    ] = False,
    absent_as_zero: Annotated[
        bool, typer.Option("--absent-as-zero", help="Write 0 for aspects nobody measured, as the released code does.")
    ] = False,
    unofficial: Unofficial = False,
) -> None:
    """Write evaluation.json per case, worldscore.json, worldscore_raw.json, the leaderboard's CSV row, bounds.csv.

    A run that is not official is refused with the reasons.
    """
    from worldgauge.benchmarks.worldscore.official.files import write_files

    result = write_files(
        Run(run), out, failures_as_zero=failures_as_zero, absent_as_zero=absent_as_zero, allow_unofficial=unofficial
    )
    print_table(["aspect", "score"], [[key, _cell(value)] for key, value in result.scores.items()], [1])
    for remark in result.remarks:
        print_note(remark)
    say(f"{len(result.evaluations)} evaluation.json and worldscore.json: {out}")


@app.command()
def breakdown(run: RunFolder, as_json: AsJson = False) -> None:
    """Scores by scene type, style, size of the world, category and kind of motion."""
    from worldgauge.benchmarks.worldscore.analyses.breakdown import breakdown as by_domain

    rows = by_domain(Run(run))
    if as_json:
        print_json(rows)
        return
    header = list(dict.fromkeys(key for row in rows for key in row if key != "bounds"))
    header.sort(key=lambda name: name in ("static", "dynamic"))
    print_table(header, [[_cell(row.get(name)) for name in header] for row in rows], range(2, len(header)), keys=2)
    if any("bounds" in row for row in rows):
        print_note("some scores leave out clips that have none; --json has the bounds")


@app.command()
def published(
    run: Annotated[Path | None, typer.Argument(help="A run to show as well.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """The paper's Tables 2 and S5; a run beside it where that is fair, else in a block of its own with the reasons."""
    from worldgauge.core.published import published_tables
    from worldgauge.report.beside_published import held_against
    from worldgauge.report.published_print import print_published
    from worldgauge.report.summary import summarise

    summaries = [] if run is None else [summarise(Run(run))]
    # Only Table 2 is about models.
    held = [held_against(table, summaries if table.protocol else ()) for table in published_tables("worldscore")]
    print_published(held, "json" if as_json else "terminal")


@app.command()
def cameras(
    layouts: Annotated[str, typer.Argument(help="Layouts with commas between: pan_left,move_left,pull_out.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: npz, npy, json or txt (COLMAP).")],
    frames: Annotated[int, typer.Option("--frames", "-n", min=2, help="Frames per layout.")] = 49,
    speed: Annotated[float, typer.Option("--speed", help="Length unit: how far push_in goes.")] = 1.0,
    target: Annotated[str, typer.Option("--to", help="Convention to write.")] = "opencv",
) -> None:
    """Write the camera path of layouts, for example pan_left,move_left,pull_out."""
    from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path
    from worldgauge.functional.camera_conventions import from_opencv
    from worldgauge.media.camera_files import write_matrices

    path = layout_path(layouts.split(","), frames, speed)
    write_matrices(out, from_opencv(path.poses, target))
    say(f"{len(path)} cameras in {target}: {out}")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
