"""`worldgauge mbench script`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.verbs import AsJson, parse_size, print_json, print_note, print_table, say


def script(
    condition: Annotated[str, typer.Argument(help="A condition id: left_then_right_10s, right_360, static, ...")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for camera.npz and actions.json.")] = None,
    image: Annotated[Path | None, typer.Option("--image", help="First frame, for its size.")] = None,
    size: Annotated[str, typer.Option("--size", help="Size of the first frame instead, as WxH.")] = "1280x720",
    fov: Annotated[float, typer.Option("--fov", help="Horizontal field of view, degrees.")] = 60.0,
    box: Annotated[str, typer.Option("--box", help="Target in the first frame: x0,y0,x1,y1 in pixels.")] = "",
    depth: Annotated[float, typer.Option("--depth", help="Of the target, in median depths of the scene.")] = 1.0,
    wait: Annotated[float, typer.Option("--wait", help="Seconds to stand still at the farthest.")] = 0.0,
    turn: Annotated[float, typer.Option("--most-turn", help="Degrees per second.")] = 30.0,
    step: Annotated[float, typer.Option("--most-step", help="Median depths per second.")] = 0.5,
    margin: Annotated[float, typer.Option("--margin", help="Degrees by which the target is out of view.")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Write an action script: the least motion that hides the target, a wait, and the exact way back, at 16 fps."""
    from worldgauge.benchmarks.mbench.scripts.checker import check_script
    from worldgauge.benchmarks.mbench.scripts.files import write_script
    from worldgauge.benchmarks.mbench.scripts.script import Limits, View, build_script, no_anchor
    from worldgauge.core.reading_pictures import read_picture

    pixels = read_picture(image).size if image is not None else parse_size(size)
    view, limits = View(pixels, fov, _box(box), depth), Limits(turn, step, margin)
    made = build_script(condition, view, wait=wait, limits=limits)
    checked = check_script(made, view, limits)
    if out is not None:
        write_script(out, made, view)
    if as_json:
        told = {"amount": made.amount, "frames": len(made.poses), "actions": made.timed(), "faults": checked.faults}
        print_json(told)
        return
    rows = [[str(leg["verb"]), f"{leg['start']:.2f}", f"{leg['end']:.2f}"] for leg in made.timed()]
    print_table(["verb", "from s", "to s"], rows, [1, 2], keys=1)
    for fault in checked.faults:
        say(f"fault  {fault}")
    if note := no_anchor(made, view):
        print_note(f"{note}; --box says where the target is")
    say(f"{len(made.poses)} frames, {made.amount:.3f} at the farthest" + (f": {out}" if out is not None else ""))


def _box(text: str) -> tuple[float, float, float, float] | None:
    if not text:
        return None
    try:
        x0, y0, x1, y1 = (float(part) for part in text.split(","))
    except ValueError as error:
        raise WorldGaugeError(f"--box {text}: expected x0,y0,x1,y1", "four numbers with commas between") from error
    return x0, y0, x1, y1
