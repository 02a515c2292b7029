"""`worldgauge worldscore`: WorldScore's official files, scores by subdomain, the published table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.core.run_folder import load_run
from worldgauge.verbs import AsJson, print_json, print_matrix, print_note, print_table

app = typer.Typer(help="WorldScore: official files, scores by subdomain, published numbers.")

RunFolder = Annotated[Path, typer.Argument(help="Run folder of the benchmark.", show_default=False)]


@app.command()
def files(
    run: RunFolder,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")],
    failures_as_zero: Annotated[
        bool, typer.Option("--failures-as-zero", help="Count failed metrics as 0, as the released code does.")
    ] = False,
) -> None:
    """Write evaluation.json per case, worldscore.json, worldscore_raw.json and the leaderboard's CSV row."""
    from worldgauge.benchmarks.worldscore.official.files import write_files

    result = write_files(load_run(run), out, failures_as_zero=failures_as_zero)
    print_table(["aspect", "score"], [[key, f"{value:.2f}"] for key, value in result.scores.items()], [1])
    for remark in result.remarks:
        print_note(remark)
    typer.echo(f"{len(result.evaluations)} evaluation.json and worldscore.json: {out}")


@app.command()
def breakdown(run: RunFolder, as_json: AsJson = False) -> None:
    """Scores by scene type, style, size of the world, category and kind of motion."""
    from worldgauge.benchmarks.worldscore.analyses.breakdown import breakdown as by_domain

    rows = by_domain(load_run(run))
    if as_json:
        print_json(rows)
        return
    header = list(dict.fromkeys(key for row in rows for key in row))
    header.sort(key=lambda name: name in ("static", "dynamic"))
    print_table(header, [[_cell(row.get(name)) for name in header] for row in rows], range(2, len(header)), keys=2)


@app.command()
def published(
    run: Annotated[Path | None, typer.Argument(help="A run to show as well.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """The paper's Table 2; a run beside it where that is fair, else in a block of its own with the reason."""
    from worldgauge.benchmarks.worldscore import MANIFEST
    from worldgauge.core.published import read_published
    from worldgauge.report.beside_published import why_not_beside_published
    from worldgauge.report.summary import summarise

    table = read_published(MANIFEST.folder).tables[0]
    reasons: list[str] = []
    rows = {name: dict(zip(table.columns, scores, strict=True)) for name, scores in table.rows.items()}
    own: dict[str, Any] = {}
    if run is not None:
        opened = load_run(run)
        reasons = why_not_beside_published(opened, "paper")
        summary = summarise(opened)
        scores = {key: score.value for key, score in (summary.metrics | summary.groups).items()}
        own = {column: scores.get(column) for column in table.columns}
        if not reasons:
            rows[opened.name] = own
    if as_json:
        print_json({"source": table.source, "note": table.note, "rows": rows, "run": own, "apart_because": reasons})
        return
    print_note(f"{table.source}: {table.note}")
    _print_scores(rows, table.columns)
    if run is not None and reasons:
        print_note("Not comparable with the table above: " + "; ".join(reasons))
        _print_scores({load_run(run).name: own}, table.columns)


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
    typer.echo(f"{len(path)} cameras in {target}: {out}")


def _print_scores(rows: dict[str, dict[str, Any]], columns: tuple[str, ...]) -> None:
    cells = [[name, *(_cell(scores.get(column)) for column in columns)] for name, scores in rows.items()]
    print_matrix(["model", *columns], cells)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
