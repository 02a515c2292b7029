"""`worldgauge worldscore bounds`."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name
from worldgauge.verbs import AsJson, StepLines, parse_size, print_json, print_note, print_table, say

if TYPE_CHECKING:
    from worldgauge.benchmarks.worldscore.bounds.material import Material


def bounds(
    videos: Annotated[
        Path | None, typer.Argument(help="Folder of real videos, such as OpenVid's. None: gauge blocks.")
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", help="Data set whose pictures are paired.")] = None,
    models: Annotated[
        list[Path] | None, typer.Option("--model", help="Run of a model, for the z rule; repeatable.")
    ] = None,
    protocol: Annotated[str, typer.Option("--protocol", help="paper or released.")] = "paper",
    instruments: Annotated[str, typer.Option("--instruments", help="Instrument set.")] = "pocket",
    use: Annotated[list[str] | None, typer.Option("--use", help="Another instrument for a seat: flow=dis.")] = None,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:N or mps, for networks.")] = "auto",
    blocks: Annotated[int, typer.Option("--blocks", help="How many gauge blocks, where no videos are given.")] = 32,
    seed: Annotated[int, typer.Option("--seed", help="Of the first block.", min=0)] = 2000,
    frames: Annotated[int, typer.Option("--frames", "-n", help="Frames from one picture to another: 5, 9, 17.")] = 5,
    size: Annotated[str | None, typer.Option("--size", help="Size of the paired pictures; else the videos'.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write; a run takes it with --benchmark.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Derive the raw values that score 0 and 100 for the instruments you have, as C.8 of the paper does.

    worldgauge worldscore bounds -o mybounds

    worldgauge worldscore bounds OpenVid --data WorldScore-Dataset --use interpolation=mine --model runs/a --model
    runs/b -o mybounds

    worldgauge run mymodel -b mybounds --data WorldScore-Dataset --protocol paper
    """
    from worldgauge.benchmarks.worldscore.bounds.derive import derive
    from worldgauge.benchmarks.worldscore.bounds.files import as_json as whole
    from worldgauge.benchmarks.worldscore.bounds.files import write_bounds
    from worldgauge.benchmarks.worldscore.bounds.runs import models_of_runs
    from worldgauge.benchmarks.worldscore.bounds.way import Way

    if protocol not in get_args(Protocol):
        raise unknown_name("protocol", protocol, list(get_args(Protocol)))
    if data is not None and videos is None:
        raise WorldGaugeError("--data gives pictures for pairs, but no videos are given", "name a folder of videos too")
    way = Way(protocol, "pocket" if instruments == "auto" else instruments, tuple(use or ()), device)
    given = models_of_runs(models or (), way)
    with _material(videos, data, None if size is None else parse_size(size), blocks, seed) as material:
        derived = derive(material, way, given, frames, StepLines())
    if out is not None:
        write_bounds(derived, out)
    if as_json:
        print_json(whole(derived))
        return
    header = ("column", "scores 0", "scores 100", "rests on", "how", "instruments")
    rows = [
        [
            row.column,
            *(("-", "-") if row.source is None else (f"{row.source[0]:g}", f"{row.source[1]:g}")),
            f"{row.counted} of {row.of}",
            row.how,
            ", ".join(row.instruments),
        ]
        for row in derived.rows
    ]
    print_table(header, rows, [1, 2])
    print_table(
        ("motionless camera on", "degrees", "units"),
        [[row.layout, f"{row.rotation:.4g}", f"{row.translation:.4g}"] for row in derived.cameras],
        [1, 2],
    )
    for row in derived.rows:
        if row.reason:
            print_note(f"{row.column}: {row.reason}")
    if out is not None:
        say(f"bounds.toml, bounds.json and benchmark.toml: {out}; give it to a run with -b {out}")


@contextlib.contextmanager
def _material(
    videos: Path | None, data: Path | None, size: tuple[int, int] | None, blocks: int, seed: int
) -> Iterator[Material]:
    if videos is not None:
        from worldgauge.benchmarks.worldscore.bounds.material import from_videos

        yield from_videos(videos, data, size)
        return
    from worldgauge.benchmarks.worldscore.bounds.from_blocks import bound_blocks, from_blocks

    chosen = bound_blocks(blocks, seed)
    with tempfile.TemporaryDirectory(prefix="worldgauge-bounds-") as folder:
        yield from_blocks(Path(folder), chosen)
