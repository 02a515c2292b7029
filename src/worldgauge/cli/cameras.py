"""`worldgauge cameras`: convert camera paths between conventions and plot them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.verbs import say

app = typer.Typer(no_args_is_help=True)

Source = Annotated[Path, typer.Argument(help="npz, npy, json (also camera_data.json) or COLMAP's images.txt.")]
From = Annotated[str, typer.Option("--from", help="Convention of the file; 'cameras list' names them.")]
To = Annotated[str, typer.Option("--to", help="Convention to write.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="File to write: npz, npy, json or txt (COLMAP).")]


@app.command()
def convert(source: Source, out: Out, origin: From, target: To) -> None:
    """Write a camera path in another convention.

    worldgauge cameras convert images.txt --from colmap --to opencv -o path.npz
    """
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.functional.camera_conventions import convert as change
    from worldgauge.media.camera_files import write_matrices

    if out.suffix.lower() == ".txt" and target != "colmap":
        raise WorldGaugeError("a txt file is COLMAP's images.txt", "write it with --to colmap")
    matrices = change(_matrices(source, origin), origin, target)
    write_matrices(out, matrices)
    say(f"{len(matrices)} cameras, {origin} to {target}: {out}")


@app.command()
def plot(source: Source, out: Out, origin: From = "opencv") -> None:
    """Draw a camera path from above and from the side, as SVG."""
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.functional.camera_conventions import to_opencv
    from worldgauge.report.camera_plot import camera_plot_svg

    if out.suffix.lower() != ".svg":
        raise WorldGaugeError(f"{out}: plots are written as SVG", "end the name with .svg")
    poses = to_opencv(_matrices(source, origin), origin)
    out.write_text(camera_plot_svg(poses), "utf-8")
    say(f"{len(poses)} cameras: {out}")


@app.command("list")
def list_conventions() -> None:
    """Name the conventions, those of benchmarks included."""
    from worldgauge.functional.camera_conventions import conventions
    from worldgauge.verbs import print_pairs

    print_pairs((name, convention.summary) for name, convention in conventions().items())


def _matrices(source: Path, origin: str) -> Any:
    """Matrices (N, 4, 4) of a file as it holds them. A format of a benchmark's own is read by the benchmark."""
    from worldgauge.core.cameras import CameraPath
    from worldgauge.core.manifest import by_ending
    from worldgauge.functional.camera_conventions import from_opencv
    from worldgauge.media.camera_files import SUFFIXES, read_matrices

    if source.suffix.lower() in SUFFIXES or not by_ending("camera_files", source.name):
        return read_matrices(source)
    # Such a reader answers in our own convention, whatever the file says; `--from opencv` takes it as it is.
    return from_opencv(CameraPath.load(source).poses, origin)
