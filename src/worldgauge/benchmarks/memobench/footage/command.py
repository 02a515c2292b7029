"""`worldgauge memobench footage`: a user's own videos into the official layout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import StorePath, default_store, say


def footage(
    folder: Annotated[Path, typer.Argument(help="Folder of videos or frame folders; footage.csv describes them.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Data folder to write.")],
    sheet: Annotated[Path | None, typer.Option(help="The table, if it is not footage.csv in the folder.")] = None,
    convention: Annotated[str, typer.Option(help="Of camera files; 'worldgauge cameras list' names them.")] = "opencv",
    smoothing: Annotated[float, typer.Option(min=0, max=100, help="Window over the path, frames; 0: none.")] = 2.0,
    fov: Annotated[
        float | None, typer.Option(help="Horizontal field of view, degrees, for camera files without intrinsics.")
    ] = None,
    box: Annotated[str, typer.Option(help="Where targets are in first frames, shares.")] = "0.35,0.35,0.65,0.65",
    fps: Annotated[float, typer.Option(min=1, help="Frames per second of frame folders.")] = 30.0,
    first: Annotated[int, typer.Option("--first-number", min=274, help="Number of the first clip.")] = 1001,
    use: Annotated[list[str] | None, typer.Option(help="Another estimator: poses=NAME.")] = None,
    device: Annotated[str, typer.Option(help="Where the estimator runs: cpu, cuda, ...")] = "cpu",
    store: StorePath = None,
) -> None:
    """Own clips as real clips of the data set: frames, camera path (from a file beside each video, else estimated),
    smoothed, and keyframes (given, else found from the path).

    footage.csv has a column `video` and any of prompt, subject, poses, exit, reenter, box, category, process.

    worldgauge memobench footage my_videos -o my_data
    worldgauge run mymodel -b memobench --data my_data
    """
    from worldgauge.benchmarks.memobench.data.cases import read_dataset
    from worldgauge.benchmarks.memobench.footage.cameras import Estimator
    from worldgauge.benchmarks.memobench.footage.sheet import parse_box, read_shots
    from worldgauge.benchmarks.memobench.footage.write import Choices, write_footage
    from worldgauge.engine.definitions import choose_seats
    from worldgauge.engine.perception import Loaded
    from worldgauge.engine.store import Store
    from worldgauge.functional.camera_conventions import convention as known

    known(convention)
    seats = choose_seats("pocket", use or ())
    estimator = Estimator(seats, Loaded(seats, device), Store(store or default_store()))
    choices = Choices(convention, smoothing, fov, parse_box(box), fps, first)
    entries = write_footage(read_shots(folder, sheet), out, choices, estimator, progress=say)
    for entry in entries:
        keyframes = f"gone from {entry['exit']}, back from {entry['reenter']} ({entry['keyframes']})"
        say(f"{entry['number']:03d}  {Path(entry['video']).name}: {keyframes}; poses {entry['poses']}")
    say(f"{len(read_dataset(out))} clips in {out}")
