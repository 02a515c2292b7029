"""`worldgauge worldolympiad times`: timestamps of generated clips."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import AsJson, print_json, print_note, print_table, say

app = typer.Typer(help="Write and check chunk timestamps.")


@app.command()
def write(
    inputs: Annotated[Path, typer.Argument(help="Folder that 'worldgauge inputs worldolympiad' wrote.")],
    fit: Annotated[
        bool, typer.Option("--fit", help="Deal out the frames a clip has by share, where it is of another length.")
    ] = False,
) -> None:
    """Write the timestamp file of every generated video that is there.

    worldgauge worldolympiad times write out
    """
    from worldgauge.benchmarks.worldolympiad.data.timestamp_files import write_timestamps
    from worldgauge.benchmarks.worldolympiad.inputs.lengths import shares
    from worldgauge.benchmarks.worldolympiad.inputs.write import INDEX
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.core.reading import read_json_lines
    from worldgauge.core.video import Video

    written = absent = 0
    refused = []
    for _, entry in read_json_lines(inputs / INDEX, missing="write it with 'worldgauge inputs worldolympiad'"):
        video = inputs / entry["output"]
        if not video.is_file():
            absent += 1
            continue
        frames = [int(one["frames"]) for one in entry["chunks"]]
        try:
            if fit:
                frames = shares(frames, Video(video).info.frames)
            write_timestamps(video, frames, [one["interval"] for one in entry["chunks"]])
            written += 1
        except WorldGaugeError as error:
            refused.append(str(error))
    for reason in refused:
        print_note(reason)
    say(f"{written} timestamp files, {len(refused)} refused, {absent} videos not there yet")
    if refused:
        raise typer.Exit(1)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Timestamp files.")],
    prompts: Annotated[Path | None, typer.Option("--prompts", help="prompt.json; else the one beside a file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Hold timestamp files against their videos and prompts; of a whole tree 'worldolympiad check' tells more.

    worldgauge worldolympiad times check general/c1/longlive_gen_c1_chunk_timestamps.json
    """
    from worldgauge.benchmarks.worldolympiad.data.chunk_times import SUFFIX
    from worldgauge.benchmarks.worldolympiad.data.timestamp_files import problems_of
    from worldgauge.benchmarks.worldolympiad.data.tree import PROMPTS

    rows = []
    for file in files:
        video = file.with_name(file.name.removesuffix(SUFFIX) + ".mp4")
        asked = prompts or file.with_name(PROMPTS)
        found = problems_of(file, video if video.is_file() else None, asked if asked.is_file() else None)
        rows += [{"file": str(file), "kind": kind, "says": says} for kind, says in found]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(["file", "kind", "says"], [list(row.values()) for row in rows])
    else:
        say(f"{len(files)} files in order")
    if rows:
        raise typer.Exit(1)
