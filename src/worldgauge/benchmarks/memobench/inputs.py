"""What a model is given: first frame, prompt and, for models that take one, the camera path at the model's length."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import numpy as np
import typer
from PIL import Image

from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.benchmarks.memobench.data.importer import INPUTS
from worldgauge.benchmarks.memobench.formulas.camera_control import resample_indices
from worldgauge.benchmarks.memobench.presets import ModelKind, preset
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.model_inputs import WrittenInputs, choose_cases, write_each
from worldgauge.core.reading_pictures import read_picture
from worldgauge.core.registry import unknown_name
from worldgauge.verbs import CaseNames, DataSet, Where, parse_size, parse_tags, print_left_out, say

INDEX = "inputs.jsonl"

app = typer.Typer()


@app.command()
def inputs(
    data: DataSet,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; also takes the model's frames.")],
    kind: Annotated[str, typer.Option("--for", help="Kind of model: i2v, ci2v or 3d.")] = "i2v",
    size: Annotated[str, typer.Option("--size", help="Width and height of the video, as WxH.")] = "512x512",
    frames: Annotated[int, typer.Option("--frames", "-n", min=2, help="Frames of one clip.")] = 49,
    like: Annotated[
        str, typer.Option("--preset", help="A model of the paper instead of --for, --size and --frames: 'Wan2.2'.")
    ] = "",
    without_frame: Annotated[
        bool, typer.Option("--without-frame", help="Camera and text alone, no first frame (Table S9).")
    ] = False,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="So many clips, always the same ones (Table S9: 50).")
    ] = None,
    where: Where = None,
    case: CaseNames = None,
) -> None:
    """Write first frames, prompts and camera paths, one folder per clip.

    A clip whose frames or camera are not on disk is left out and listed in left_out.jsonl.

    worldgauge inputs memobench --data MemoBench --for ci2v --size 832x480 --frames 81 -o out
    worldgauge inputs memobench --data MemoBench --preset Wan2.2 --without-frame --sample 50 -o ablation
    """
    chosen, pixels = cast(ModelKind, kind), parse_size(size)
    if like:
        known = preset(like)
        chosen, pixels, frames = known.kind, known.size, known.frames
    chosen_tags = parse_tags(where or ())
    made = write_inputs(
        data,
        out,
        chosen,
        pixels,
        frames,
        with_frame=not without_frame,
        sample=sample,
        where=chosen_tags,
        names=case or (),
    )
    print_left_out(made, out)
    say(f"{len(made.entries)} cases for {chosen} models at {pixels[0]}x{pixels[1]}, {frames} frames: {out / INDEX}")


def write_inputs(
    data: Path,
    out: Path,
    kind: ModelKind,
    size: tuple[int, int],
    frames: int,
    *,
    with_frame: bool = True,
    sample: int | None = None,
    where: Mapping[str, str] | None = None,
    names: Sequence[str] = (),
) -> WrittenInputs:
    """Write `first.png`, `prompt.txt` and `camera.npz` per case below `out/inputs`, and `inputs.jsonl` that lists them.

    Only cases of these `names` with the tags `where`; a case that cannot be written is left out with the reason.
    An entry's `output` is the folder below `out` in which the model's frames are looked for. The image is resized to
    `size` without keeping its shape, as the reference is when frames are compared; intrinsics are scaled alike. Image-
    to-video models get no camera: the prompt tells them how to move. Without its frame an entry has no `image`.
    """
    if kind not in get_args(ModelKind):
        raise unknown_name("kind of MemoBench model", kind, list(get_args(ModelKind)))
    if frames < 2:
        raise WorldGaugeError(f"a clip needs two frames, not {frames}")
    if not with_frame and kind == "i2v":
        raise WorldGaugeError(
            "an image-to-video model without its frame has the prompt alone", "leave out one: --for ci2v or 3d"
        )
    cases = fixed_cases(choose_cases(read_dataset(data), names, where), sample)
    written = write_each(cases, lambda case: _write_case(case, out, kind, size, frames, with_frame))
    lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in written.entries)
    (out / INDEX).write_text(lines, "utf-8")
    written.write_left_out(out)
    return written


def fixed_cases(cases: list[Case], sample: int | None) -> list[Case]:
    """So many cases, in their order, always the same ones of a data set; all of them where there are fewer.

    >>> [case.id for case in fixed_cases([Case(id=name) for name in "abcd"], 2)]
    ['c', 'd']
    """
    if sample is None or sample >= len(cases):
        return cases
    drawn = sorted(cases, key=lambda case: hashlib.sha256(case.id.encode()).digest())[:sample]
    kept = {case.id for case in drawn}
    return [case for case in cases if case.id in kept]


def output_folder(case: Case) -> Path:
    """Where the official layout keeps a clip's frames.

    >>> output_folder(Case(id="ZenGarden_010", tags={"data_type": "synthetic", "scene": "ZenGarden"})).as_posix()
    'Synthetic/ZenGarden/ZenGarden_010/frames'
    """
    if case.tags.get("data_type") == "real":
        return Path("Real") / case.id.removeprefix("real_") / "frames"
    return Path("Synthetic") / case.tags.get("scene", "") / case.id / "frames"


def resampled_camera(path: CameraPath, frames: int, size: tuple[int, int], source: tuple[int, int]) -> CameraPath:
    """The path at `frames` frames, as the metric will compare it, with intrinsics for pictures of `size`."""
    indices = resample_indices(len(path), frames)
    intrinsics = None
    if path.intrinsics is not None:
        scale = np.diag([size[0] / source[0], size[1] / source[1], 1.0])
        intrinsics = scale @ path.intrinsics[indices]
    return CameraPath(path.poses[indices], intrinsics, size)


def _write_case(
    case: Case, out: Path, kind: ModelKind, size: tuple[int, int], frames: int, with_frame: bool
) -> dict[str, Any]:
    if case.condition.image is None:
        raise WorldGaugeError("the clip's frames are not on disk", "download the data set's frames")
    image = read_picture(case.path(case.condition.image))
    source = image.size
    # Read before anything is written: a case that is left out has no folder.
    camera = None if kind == "i2v" else resampled_camera(_camera(case, kind), frames, size, source)
    folder = out / INPUTS / case.id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prompt.txt").write_text(case.condition.prompt + "\n", "utf-8")
    entry: dict[str, Any] = {"case": case.id, "prompt": case.condition.prompt}
    if with_frame:
        image.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(folder / "first.png")
        entry["image"] = (folder / "first.png").relative_to(out).as_posix()
    entry |= {"frames": frames, "size": list(size), "output": output_folder(case).as_posix()}
    if camera is not None:
        camera.save(folder / "camera.npz")
        entry["camera"] = (folder / "camera.npz").relative_to(out).as_posix()
    return entry


def _camera(case: Case, kind: ModelKind) -> CameraPath:
    try:
        return case.camera()
    except NotApplicable as error:
        told = f"the clip has no camera path on disk, which a {kind} model is given"
        raise WorldGaugeError(told, "download the data set's camera files") from error
