"""`worldgauge inputs worldscore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.inputs.cameras import CameraType
from worldgauge.benchmarks.worldscore.inputs.prompts import ModelKind
from worldgauge.benchmarks.worldscore.inputs.write import INDEX, write_inputs
from worldgauge.core.registry import unknown_name
from worldgauge.verbs import DataSet, Where, parse_size, parse_tags, say

app = typer.Typer()


@app.command()
def inputs(
    data: DataSet,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; also takes the model's frames.")],
    kind: Annotated[str, typer.Option("--for", help="Kind of model: i2v, t2v, 3d or 4d.")] = "i2v",
    size: Annotated[str, typer.Option("--size", help="Width and height of the video, as WxH.")] = "512x512",
    frames: Annotated[int, typer.Option("--frames", "-n", min=2, help="Frames of one clip.")] = 49,
    where: Where = None,
    speed: Annotated[float, typer.Option("--speed", help="Length unit of the camera path, for 3D models.")] = 1.0,
    camera_type: Annotated[
        str, typer.Option("--camera-type", help="For 3D models: tensor, pytorch3d, pytorch3d_tensor or blender.")
    ] = "tensor",
    protocol: Annotated[
        str,
        typer.Option("--protocol", help="released, or paper: layouts that stay in their scene keep its prompt."),
    ] = "released",
) -> None:
    """Write pictures, prompts and camera paths, one folder per world, in the layout the model must fill.

    worldgauge inputs worldscore --data WorldScore-Dataset --for i2v --size 720x480 --frames 49 -o out
    """
    if kind not in get_args(ModelKind):
        raise unknown_name("kind of model", kind, list(get_args(ModelKind)))
    if protocol not in get_args(Protocol):
        raise unknown_name("protocol", protocol, list(get_args(Protocol)))
    entries = write_inputs(
        data,
        out,
        cast(ModelKind, kind),
        parse_size(size),
        frames,
        where=parse_tags(where or ()),
        speed=speed,
        camera_type=cast(CameraType, camera_type),
        protocol=cast(Protocol, protocol),
    )
    say(f"{len(entries)} cases for {kind} models at {size}: {out / INDEX}")
