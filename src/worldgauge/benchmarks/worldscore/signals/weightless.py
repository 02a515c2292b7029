"""What is read off a clip with instruments that need no weights: flow, motion, style, predicted frames.

Each signal covers both protocols, so that switching protocol perceives nothing anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.flow_cycle import cycle_error, median_magnitude, printed_cycle_error
from worldgauge.benchmarks.worldscore.formulas.image_fit import crop_and_resize
from worldgauge.benchmarks.worldscore.formulas.interpolation_error import (
    colour_ssim,
    dropped_frames,
    squared_error,
    wrapped_squared_error,
)
from worldgauge.benchmarks.worldscore.formulas.motion_regions import (
    contrast_or_nan,
    grow,
    loses_an_odd_side,
    printed_contrast,
)
from worldgauge.benchmarks.worldscore.formulas.object_masks import cut_mask
from worldgauge.benchmarks.worldscore.formulas.style_gram import matrix_distance, matrix_mse
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import (
    anchor_frames,
    entered_scenes,
    frames_per_layout,
)
from worldgauge.core.case import Case
from worldgauge.core.case_parts import object_masks
from worldgauge.core.clip import Clip, Frames
from worldgauge.core.device_arrays import beside, gathered, is_on_device
from worldgauge.core.errors import InvalidVideo, NotApplicable, Unscored, WorldGaugeError
from worldgauge.core.frames import FrameSpec
from worldgauge.core.reading_pictures import read_picture
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.signals.flow import flow_fields, ways_of
from worldgauge.signals.seats import InterpolationInstrument, MaskFollower, StyleFeaturesInstrument

Image = NDArray[np.uint8]
ONE_PER_SCENE = "give a text for the scene of the image, then one per layout"


def layouts_of(case: Case) -> list[str]:
    """The camera layouts of a case; none for cases of another benchmark."""
    return list(case.extras.get("camera_path", ()))


def scenes_of(case: Case, name: str) -> list[str]:
    """A list of the case's record with one entry per scene: `prompt_list` or `content_list`. What a record has beyond
    its camera path is not looked at; one that has less cannot be measured."""
    given = case.extras.get(name)
    if not given:
        raise NotApplicable(f"the case has no {name}")
    if not (isinstance(given, (list, tuple)) and all(isinstance(entry, str) for entry in given)):
        raise Unscored(f"{name} of the case is no list of texts", ONE_PER_SCENE, OF_THE_CASE)
    scenes = (len(layouts_of(case)) or 1) + 1
    if len(given) < scenes:
        told = f"{name} has {len(given)} entries, the camera path asks for {scenes}"
        raise Unscored(told, ONE_PER_SCENE, OF_THE_CASE)
    return list(given[:scenes])


def entered_of(case: Case, name: str) -> list[str]:
    """The same list with the entry of the scene that a layout stays in, where it leads to no new one."""
    entries, layouts = scenes_of(case, name), layouts_of(case)
    return entered_scenes(entries, layouts) if layouts else entries


def frames_of_layout(case: Case, count: int) -> int:
    """Frames of one layout in a clip of `count` frames; a clip that cannot be cut into its layouts is invalid."""
    scenes = len(layouts_of(case)) or 1
    frames = frames_per_layout(scenes, count)
    if frames is None:
        raise InvalidVideo(f"{count} frames cannot be cut into {scenes} layouts", f"make {scenes} n + 1 frames")
    return frames


def anchors_of(clip: Clip, case: Case) -> Frames:
    """The first frame and the last of every layout; a case without layouts is one scene."""
    return clip.frames(FrameSpec.at(*anchor_numbers(case, clip.count)))


def anchor_numbers(case: Case, count: int) -> list[int]:
    """Which frames of a clip of `count` frames the anchors are."""
    return anchor_frames(len(layouts_of(case)) or 1, frames_of_layout(case, count))


@signal(version=2, reads=(), needs=(flow_fields(),), cost=0.02)
def flow_cycles(fields: Iterable[Arrays]) -> Arrays:
    """How far pixels land from their start after going to the next frame and back, px; one number per pair.

    `released`: the way back cut like the points that set out; `paper`: read from the whole field. NaN where no point is
    left.
    """
    released, printed, finite = list[Any](), list[Any](), list[Any]()
    for stack in fields:
        if is_on_device(stack["forward"]):
            from worldgauge.benchmarks.worldscore.formulas import flow_on_device
            from worldgauge.functional.on_device import all_finite
            from worldgauge.instruments.neural.networks.on_device import launching

            ways = stack["forward"], stack["backward"]
            with launching(ways[0].device):
                finite.append(all_finite(*ways))
                released.append(flow_on_device.cycle_errors(*ways))
                printed.append(flow_on_device.printed_cycle_errors(*ways))
            continue
        for forward, backward in ways_of([stack]):
            released.append(_or_nan(partial(cycle_error, forward, backward)))
            printed.append(_or_nan(partial(printed_cycle_error, forward, backward)))
    return _brought_here(finite, released=released, paper=printed)


def _brought_here(finite: list[Any], **numbers: list[Any]) -> dict[str, NDArray[np.float64]]:
    """Numbers per pair as arrays; raises where a vector of a field on a GPU was no number.

    All come at once, and last: an answer from a GPU waits for everything that was launched before it was asked.
    """
    found = gathered([part for column in numbers.values() for part in column] + finite)
    columns = found.reshape(len(numbers) + bool(finite), -1)
    if not columns[len(numbers) :].all():
        raise WorldGaugeError("a flow vector is not finite")
    return dict(zip(numbers, columns, strict=False))


def _or_nan(call: Callable[[], float]) -> float:
    try:
        return call()
    except Unscored:
        return float("nan")


@signal(version=1, reads=(), needs=(flow_fields(),), cost=0.01)
def motion_medians(fields: Iterable[Arrays]) -> Arrays:
    """`median`: median length of the flow to the next frame, px; one number per pair."""
    medians, finite = list[Any](), list[Any]()
    for stack in fields:
        if is_on_device(stack["forward"]):
            from worldgauge.benchmarks.worldscore.formulas import flow_on_device
            from worldgauge.functional.on_device import all_finite

            finite.append(all_finite(stack["forward"]))
            medians.append(flow_on_device.median_magnitudes(stack["forward"]))
        else:
            medians += [median_magnitude(forward) for forward, _ in ways_of([stack])]
    return _brought_here(finite, median=medians)


@signal(
    version=1,
    reads=("video", "case"),
    requires=("object_masks",),
    seat="mask_follower",
    kept=False,
    cost=0.3,
    dense=2.0,
)
def object_regions(clip: Clip, case: Case, follower: MaskFollower) -> Arrays:
    """Where the objects that were asked to move are in each frame, (N, H, W) booleans.

    `released`: followed from the first-frame masks as they are, squashed onto the clip. `paper`: from the masks cut
    like the picture.
    """
    from worldgauge.benchmarks.worldscore.data.mask_files import read_mask

    frames = clip.frames()
    masks = [read_mask(file) for file in mask_files_of(case)]
    cut = [cut_mask(mask, clip.size) for mask in masks]
    squashed = np.stack(list(follower.followed(frames, masks)))
    if all(map(np.array_equal, masks, cut)):
        return {"released": squashed, "paper": squashed}
    return {"released": squashed, "paper": np.stack(list(follower.followed(frames, cut)))}


@signal(version=3, reads=(), needs=(object_regions(), flow_fields()), cost=0.02)
def object_motion(regions: Arrays, fields: Iterable[Arrays]) -> Arrays:
    """Flow of consecutive frames inside and outside the objects that were asked to move; one number per pair.

    `released`: longest vector inside the mask, grown, minus longest outside; NaN where the object is lost or fills the
    view, and where the field lost the last row or column of frames with an odd side. `paper`: the mask not grown, and 0
    for a side without a pixel.
    """
    released, printed, finite = list[Any](), list[Any](), list[Any]()
    # The mask of a pair is that of its first frame. Where a follower gave fewer than frames the rest is left out.
    masks = zip(regions["released"][:-1], regions["paper"][:-1], strict=True)
    for stack in fields:
        if is_on_device(stack["forward"]):
            of_code, of_paper = _contrasts_on_device(stack["forward"], masks)
            released, printed, finite = released + of_code, printed + of_paper, [*finite, _all_numbers(stack)]
            continue
        for (forward, _), (squashed, cut) in zip(ways_of([stack]), masks, strict=False):
            height, width = forward.shape[:2]
            odd = loses_an_odd_side((height, width), squashed.shape)
            released.append(float("nan") if odd else contrast_or_nan(forward, grow(squashed)))
            printed.append(printed_contrast(forward, cut[:height, :width] if odd else cut))
    return _brought_here(finite, released=released, paper=printed)


def _contrasts_on_device(forward: Any, masks: Iterator[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """The same for fields on a GPU, as many masks as there are fields."""
    from worldgauge.benchmarks.worldscore.formulas import flow_on_device as device

    released, printed = list[Any](), list[Any]()
    for field, both in zip(forward, masks, strict=False):
        squashed, cut = (beside(mask, forward) for mask in both)
        height, width = field.shape[:2]
        odd = loses_an_odd_side((height, width), squashed.shape)
        released.append(field.new_tensor(float("nan")) if odd else device.contrast_or_nan(field, device.grow(squashed)))
        printed.append(device.printed_contrast(field, cut[:height, :width] if odd else cut))
    return released, printed


def _all_numbers(stack: Arrays) -> Any:
    from worldgauge.functional.on_device import all_finite

    return all_finite(stack["forward"])


def mask_files_of(case: Case) -> list[Path]:
    """First-frame masks of what should move: one per object, or the target's."""
    files = object_masks(case)
    if not files and case.reference.target is not None and case.reference.target.mask is not None:
        files = [case.reference.target.mask]
    if not files:
        raise NotApplicable("the case has no masks of moving objects")
    return [case.path(file) for file in files]


@signal(version=1, reads=("video", "case"), requires=("image",), seat="style_features", cost=0.05)
def anchor_styles(clip: Clip, case: Case, style: StyleFeaturesInstrument) -> Arrays:
    """Style of the frames at the ends of the layouts.

    `released`: per later anchor, the Gram difference to the input image as it was cut for the clip, mean squares summed
    over layers. `paper`: per layout, Frobenius norm between its first and its last frame, summed over layers.
    """
    pictures = [*anchors_of(clip, case), input_image(case, clip.size)]
    *anchors, given = in_stacks(style, style.grams, pictures)
    released = [sum(map(matrix_mse, later, given)) for later in anchors[1:]]
    paper = [sum(map(matrix_distance, end, start)) for start, end in pairwise(anchors)]
    return {"released": np.array(released), "paper": np.array(paper)}


def input_image(case: Case, size: tuple[int, int]) -> Image:
    """The case's picture as a model of that video size got it: centre crop, (H, W, 3) RGB."""
    if case.condition.image is None:
        raise NotApplicable("the case has no picture")
    file = case.path(case.condition.image)
    picture = read_picture(file)
    if picture.mode not in ("RGB", "L"):
        raise WorldGaugeError(f"{file} has mode {picture.mode}", "save it as RGB")
    return np.asarray(crop_and_resize(picture, size).convert("RGB"))


@signal(version=1, seat="interpolation", kept=False, cost=0.2, dense=3.0)
def predicted_frames(clip: Clip, interpolation: InterpolationInstrument) -> Arrays:
    """Every other frame predicted from its two neighbours: `frames` (P, H, W, 3) uint8."""
    frames = clip.frames()
    triples = dropped_frames(len(frames))
    befores, afters = [frames[a] for a, _, _ in triples], [frames[b] for _, _, b in triples]
    return {"frames": np.stack(in_stacks(interpolation, interpolation.between, befores, afters))}


@signal(version=2, needs=(predicted_frames(),), cost=0.04)
def prediction_errors(clip: Clip, predicted: Arrays) -> Arrays:
    """Predicted against real frames, one number per prediction.

    `mse`, `mse_wrapped`: squared 8-bit levels, true and modulo 256; `ssim`, `ssim_full_range`: over all channels, in
    the pair's own range of values and in the whole one.
    """
    frames = clip.frames()
    pairs = [(predicted["frames"][i], frames[dropped]) for i, (_, dropped, _) in enumerate(dropped_frames(len(frames)))]
    return {
        "mse": np.array([squared_error(ours, real) for ours, real in pairs]),
        "mse_wrapped": np.array([wrapped_squared_error(ours, real) for ours, real in pairs]),
        "ssim": np.array([colour_ssim(ours, real) for ours, real in pairs]),
        "ssim_full_range": np.array([colour_ssim(ours, real, full_range=True) for ours, real in pairs]),
    }
