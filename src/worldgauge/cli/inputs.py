"""`worldgauge inputs`: write what a model needs to take part in a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def inputs(
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark: worldscore or memobench.")],
    data: Annotated[Path, typer.Option("--data", envvar="WORLDGAUGE_DATA", help="Folder of the data set.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; also takes the model's frames.")],
    kind: Annotated[
        str, typer.Option("--for", help="Kind of model: i2v, t2v, 3d or 4d; for memobench i2v, ci2v or 3d.")
    ] = "i2v",
    size: Annotated[str, typer.Option("--size", help="Width and height of the video, as WxH.")] = "512x512",
    frames: Annotated[int, typer.Option("--frames", "-n", min=2, help="Frames of one clip.")] = 49,
    where: Annotated[
        list[str] | None, typer.Option("--where", help="Only cases with this tag: style=stylized.")
    ] = None,
    speed: Annotated[float, typer.Option("--speed", help="Length unit of the camera path, for 3D models.")] = 1.0,
    camera_type: Annotated[
        str, typer.Option("--camera-type", help="For 3D models: tensor, pytorch3d, pytorch3d_tensor or blender.")
    ] = "tensor",
) -> None:
    """Write conditioning images, prompts and camera paths, one folder per case, in the layout the model must fill.

    worldgauge inputs worldscore --data WorldScore-Dataset --for i2v --size 720x480 --frames 49 -o out
    """
    from typing import cast, get_args

    from worldgauge.benchmarks.worldscore.cameras import CameraType
    from worldgauge.benchmarks.worldscore.model_inputs import INDEX, write_inputs
    from worldgauge.benchmarks.worldscore.prompts import ModelKind
    from worldgauge.cli.options import parse_tags
    from worldgauge.core.registry import unknown_name

    if benchmark == "memobench":
        from worldgauge.benchmarks.memobench import model_inputs

        made = model_inputs.write_inputs(data, out, cast(model_inputs.ModelKind, kind), parse_size(size), frames)
        typer.echo(f"{len(made)} cases for {kind} models at {size}: {out / model_inputs.INDEX}")
        return
    if benchmark != "worldscore":
        raise unknown_name("benchmark with model inputs", benchmark, ["worldscore", "memobench"])
    if kind not in get_args(ModelKind):
        raise unknown_name("kind of model", kind, list(get_args(ModelKind)))
    entries = write_inputs(
        data,
        out,
        cast(ModelKind, kind),
        parse_size(size),
        frames,
        where=parse_tags(where or ()),
        speed=speed,
        camera_type=cast(CameraType, camera_type),
    )
    typer.echo(f"{len(entries)} cases for {kind} models at {size}: {out / INDEX}")


def parse_size(text: str) -> tuple[int, int]:
    """
    >>> parse_size("720x480")
    (720, 480)
    """
    from worldgauge.core.errors import WorldGaugeError

    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdigit() and height.isdigit() and int(width) > 0 and int(height) > 0):
        raise WorldGaugeError(f"size '{text}' is not WxH", "write for example 720x480")
    return int(width), int(height)
