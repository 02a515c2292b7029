"""`worldgauge inputs worldscore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.inputs.adapters import ADAPTERS
from worldgauge.benchmarks.worldscore.inputs.cameras import CameraType
from worldgauge.benchmarks.worldscore.inputs.presets import card_of, preset
from worldgauge.benchmarks.worldscore.inputs.prompts import CameraTold, ModelKind, usual_camera
from worldgauge.benchmarks.worldscore.inputs.write import INDEX, write_inputs
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name
from worldgauge.core.submission import Submission
from worldgauge.verbs import CaseNames, Where, parse_size, parse_tags, print_left_out, print_note, say

app = typer.Typer()


@app.command()
def inputs(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; also takes the model's frames.")],
    data: Annotated[
        Path | None, typer.Option("--data", envvar="WORLDGAUGE_DATA", help="Folder of the data set.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--preset", help="A model of the paper: 'worldgauge worldscore presets'. Other options beat it."),
    ] = None,
    kind: Annotated[str | None, typer.Option("--for", help="Kind of model: i2v (default), t2v, 3d or 4d.")] = None,
    size: Annotated[
        str | None, typer.Option("--size", help="Width and height of the video, as WxH; 512x512 unless told.")
    ] = None,
    frames: Annotated[
        int | None, typer.Option("--frames", "-n", min=2, help="Frames of one clip; 49 unless told.")
    ] = None,
    where: Where = None,
    case: CaseNames = None,
    camera: Annotated[
        str | None,
        typer.Option(
            "--camera", help="words, or matrices with prompts as they are: for models that take camera poses."
        ),
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="Length unit of the camera path, 1 unless told; for matrices.")
    ] = None,
    camera_type: Annotated[
        str | None,
        typer.Option("--camera-type", help="Of the matrices: tensor (default), pytorch3d, pytorch3d_tensor, blender."),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option("--protocol", help="released, or paper: layouts that stay in their scene keep its prompt."),
    ] = "released",
    card: Annotated[
        bool, typer.Option("--card", help="Write the model's card, submission.json; without --data nothing else.")
    ] = False,
    called: Annotated[
        str | None, typer.Option("--called", help="The model's name on its card; else the preset's or the folder's.")
    ] = None,
) -> None:
    """Write pictures, prompts and camera paths, one folder per world, in the layout the model must fill.

    worldgauge inputs worldscore --data WorldScore-Dataset --for i2v --size 720x480 --frames 49 -o out
    worldgauge inputs worldscore --data WorldScore-Dataset --preset WonderWorld --card -o out
    worldgauge inputs worldscore --for 3d --card --called MyModel -o out
    """
    known = preset(model) if model else None
    told_kind = kind or (known.kind if known else "i2v")
    told_type = camera_type or (known.camera_type if known else "tensor")
    for what, name, names in (
        ("kind of model", told_kind, get_args(ModelKind)),
        ("protocol", protocol, get_args(Protocol)),
        ("camera type", told_type, get_args(CameraType)),
        ("way to tell the camera", camera or "words", get_args(CameraTold)),
    ):
        if name not in names:
            raise unknown_name(what, name, list(names))
    if card:
        known_card = card_of(called or (known.name if known else out.resolve().name), cast(ModelKind, told_kind), known)
        say(f"card of {known_card.name}, to be completed: {Submission.write_card(out, known_card)}")
    if data is None:
        if card:
            return
        raise WorldGaugeError("inputs are written from the data set", "name its folder: --data FOLDER")
    told_size = parse_size(size) if size else known.size if known else (512, 512)
    told_camera = camera or usual_camera(cast(ModelKind, told_kind), cast(Protocol, protocol))
    # Another kind of camera than the model's own is not what its adapter starts from.
    adapter = (
        ADAPTERS.get(known.name) if known and told_type == known.camera_type and told_camera == "matrices" else None
    )
    written = write_inputs(
        data,
        out,
        cast(ModelKind, told_kind),
        told_size,
        frames or (known.frames if known else 49),
        where=parse_tags(where or ()),
        names=case or (),
        camera=cast(CameraTold, told_camera),
        speed=speed if speed is not None else known.camera_speed if known else 1.0,
        camera_type=cast(CameraType, told_type),
        adapter=adapter,
        protocol=cast(Protocol, protocol),
    )
    width, height = told_size
    print_left_out(written, out)
    if adapter is not None:
        print_note(f"{adapter.model} is handed {adapter.handed_as}: cameras_model.json of each world")
        print_note(f"not set: {'; '.join(adapter.not_set)}")
    count = len(written.entries)
    say(f"{count} cases for {told_kind} models at {width}x{height}, camera in {told_camera}: {out / INDEX}")
