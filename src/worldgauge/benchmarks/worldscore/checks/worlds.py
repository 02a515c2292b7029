"""What one world needs: pictures, prompts, objects, layouts, and in the dynamic half masks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from worldgauge.benchmarks.worldscore.data.mask_files import SUFFIXES, read_mask
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.phrase_matching import asked_objects
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading_pictures import read_picture


def world_faults(world: WorldSpec, folder: Path, *, masks: bool = True) -> Iterator[str]:
    """What is wrong with a world, one text each. Without `masks` those of a dynamic world are not asked for."""
    size = None
    try:
        picture = read_picture(folder / world.image)
        size = picture.size
        if picture.mode not in ("RGB", "L"):
            yield f"picture {world.image} has mode {picture.mode}: the style metric takes RGB or grey ones"
    except WorldGaugeError as error:
        yield str(error)
    if world.visual_movement == "static":
        yield from _static_faults(world)
        return
    yield from _dynamic_faults(world)
    if masks:
        yield from _mask_faults(world, folder, size)


def _static_faults(world: WorldSpec) -> Iterator[str]:
    for layout in world.camera_path:
        if layout not in LAYOUTS:
            yield f"layout '{layout}' has no camera path"
    scenes = world.scenes + 1
    for number, prompt in enumerate(world.prompt_list[:scenes]):
        if not prompt.strip():
            yield f"the prompt of scene {number} is empty"
    for number, content in enumerate(world.content_list[:scenes]):
        objects = asked_objects(content)
        if not objects:
            yield f"scene {number} names no object"
        elif len(set(objects)) < len(objects):
            yield f"scene {number} names an object twice: object control cannot reach 100"


def _dynamic_faults(world: WorldSpec) -> Iterator[str]:
    if world.camera_path != ("fixed",):
        yield f"the camera of a dynamic world is fixed, here '{' '.join(world.camera_path)}'"
    if not world.prompt.strip():
        yield "the prompt is empty"
    if not world.objects:
        yield "no object is named that should move"


def _mask_faults(world: WorldSpec, folder: Path, size: tuple[int, int] | None) -> Iterator[str]:
    if not world.masks:
        yield "it has no mask: motion accuracy cannot be measured"
    for name in world.masks:
        if Path(name).suffix not in SUFFIXES:
            yield f"mask {name} does not end in {' or '.join(SUFFIXES)}: the released code does not take it"
        try:
            mask = read_mask(folder / name)
        except WorldGaugeError as error:
            yield str(error)
            continue
        if size is not None and (mask.shape[1], mask.shape[0]) != size:
            yield f"mask {name} is {mask.shape[1]}x{mask.shape[0]}, its picture {size[0]}x{size[1]}"
        if not mask.any():
            yield f"mask {name} is empty"
        elif mask.all():
            yield f"mask {name} fills the picture"
