"""What scenes and camera scores rest on: which frames are read, the masks of these frames, and where their cameras are.

An instrument that follows a film is given the whole clip, and 32 of its poses are taken. One that sees views is given
32 frames, as the released code does: of a clip 32 of the 64 in which moving things were followed, filled; by the text
of the paper 32 of the clip as it is; of the reference always 32 as they are. Where the network that rebuilds the scene
is also the one that finds the cameras, one pass over these frames gives both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.background_fill import fill_background
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import RECONSTRUCTION_FRAMES, spread
from worldgauge.benchmarks.worldolympiad.signals.objects import moving_boxes
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, ChosenInstruments, SignalUse, signal
from worldgauge.functional.masks import decode_masks, resize_mask
from worldgauge.functional.pose import invert
from worldgauge.functional.scenes import SceneCameras
from worldgauge.signals.poses import PosesInstrument, path_arrays, poses, trajectory_of
from worldgauge.signals.seats import OnePassReconstruction

Images = NDArray[np.uint8]
Material = Literal["filled", "plain", "house"]
"""32 of the 64 frames in which things were followed, filled; 32 of the clip as it is; the same for our own columns,
which ask the pose instrument alone."""
LONGEST_SIDE = 640
"""Px; larger frames are shrunk, unless the instrument wants whole ones."""
VIEWS = FrameSpec.uniform(RECONSTRUCTION_FRAMES)
"""32 frames from first to last: with 32 no half is ever rounded, so this is the released rule."""
_GAUSSIANS = 160.0
"""Rough bytes of the Gaussian of a pixel."""
_PASS: dict[str, Any] = {
    "version": 1, "reads": ("video",), "seat": "reconstruction", "kept": False, "waits": False, "cost": 1.0,
    "dense": _GAUSSIANS, "most_frames": RECONSTRUCTION_FRAMES,
}  # fmt: skip
_VIEWED: dict[str, Any] = {
    "version": 1, "reads": ("video",), "seat": "poses", "cost": 0.5, "dense": 12.0,
    "most_frames": RECONSTRUCTION_FRAMES,
}  # fmt: skip


@signal(**_PASS, needs=(moving_boxes(),))
def filled_pass(clip: Clip, boxes: Arrays, network: OnePassReconstruction) -> Arrays:
    """One pass of the network of the released code over 32 of the 64 frames in which moving things were filled.

    The camera path of these frames, as the `poses` signal has it, their numbers `frames` (N,), and what the instrument
    makes the scene of. Held while the clip is looked at, and never stored: it has a Gaussian for each pixel.
    """
    frames, numbers = filled_frames(clip, boxes, network)
    return {**network.one_pass(frames), "frames": np.array(numbers, np.int64)}


@signal(**_PASS, frames=VIEWS)
def plain_pass(clip: Clip, network: OnePassReconstruction) -> Arrays:
    """As `filled_pass`, over 32 frames of the clip as they are."""
    frames, numbers = plain_frames(clip, network)
    return {**network.one_pass(frames), "frames": np.array(numbers, np.int64)}


@signal(**_VIEWED, needs=(moving_boxes(),))
def filled_view_cameras(clip: Clip, boxes: Arrays, network: PosesInstrument) -> Arrays:
    """The camera path of 32 of the 64 frames in which moving things were filled, by a network that sees views.

    As the `poses` signal, of the frames with the numbers `frames` (N,) alone.
    """
    return _seen(network, *filled_frames(clip, boxes, network), clip.size)


@signal(**_VIEWED, frames=VIEWS)
def plain_view_cameras(clip: Clip, network: PosesInstrument) -> Arrays:
    """As `filled_view_cameras`, of 32 frames of the clip as they are: so the reference is always read."""
    return _seen(network, *plain_frames(clip, network), clip.size)


def _pass_of(use: SignalUse, chosen: ChosenInstruments) -> tuple[SignalUse, ...]:
    return (plain_pass() if dict(use.parameters)["material"] == "plain" else filled_pass(),)


@signal(version=1, reads=(), needs=(filled_pass(),), needs_by=_pass_of, cost=0.001)
def pass_cameras(passed: Arrays, *, material: Literal["filled", "plain"] = "filled") -> Arrays:
    """The camera path that the pass for the scene found on its way."""
    return {name: passed[name] for name in ("poses", "metric_scale", "intrinsics", "size", "moves", "frames")}


def camera_source(chosen: ChosenInstruments) -> Literal["film", "views", "pass"]:
    """How cameras are found under the chosen instruments: from the whole film, from views, or in the scene's pass."""
    finder = _first(chosen, poses, plain_view_cameras, filled_view_cameras)
    scene = _first(chosen, filled_pass, plain_pass)
    if finder is None:
        # A run is opened again in which nothing but scenes was asked for.
        return "pass" if getattr(scene, "cameras_by", "") else "film"
    if getattr(finder, "reads", "film") != "views":
        return "film"
    return "pass" if _same_network(scene, finder) else "views"


def _first(chosen: ChosenInstruments, *signals: Any) -> Any:
    return next(filter(None, (chosen.instrument(one.name) for one in signals)), None)


def _same_network(scene: Any, finder: Any) -> bool:
    if getattr(scene, "cameras_by", "") != finder.name:
        return False
    return all(scene.parameters.get(name) == value for name, value in finder.parameters.items())


def camera_path(material: Material, chosen: ChosenInstruments, of: str = "video") -> SignalUse:
    """The signal that holds the camera path of a clip, or of its reference, under the chosen instruments."""
    source = camera_source(chosen)
    if source == "film":
        return poses()
    if of == "reference" or material == "house" or (material == "plain" and source == "views"):
        return plain_view_cameras()
    return pass_cameras(material=material) if source == "pass" else filled_view_cameras()


def _compared(use: SignalUse, chosen: ChosenInstruments) -> tuple[SignalUse, ...]:
    return (camera_path(dict(use.parameters)["material"], chosen, use.of),)


@signal(version=1, reads=(), needs=(poses(),), needs_by=_compared, cost=0.001)
def compared_cameras(path: Arrays, *, material: Material = "filled") -> Arrays:
    """The poses that are compared, at most 32: all of an instrument that sees views, 32 of the poses of a film.

    `poses` (N, 4, 4) as in the `poses` signal, `frames` (N,) which frames of the clip these are, `metric_scale` as
    there.
    """
    chosen = spread(len(path["poses"]), RECONSTRUCTION_FRAMES)
    numbers = path["frames"][chosen] if "frames" in path else np.array(chosen, np.int64)
    scale = {"metric_scale": path["metric_scale"]} if "metric_scale" in path else {}
    return {"poses": path["poses"][chosen], "frames": numbers, **scale}


def filled_frames(clip: Clip, boxes: Arrays, instrument: object) -> tuple[Images, list[int]]:
    """32 of the frames in which things were followed, filled with pixels of the others, and their numbers."""
    numbers = boxes["frames"].tolist()
    frames = frames_of(clip, numbers, instrument)
    filled, _ = fill_background(frames, masks_of(boxes, (frames.shape[2], frames.shape[1])))
    taken = spread(len(numbers), RECONSTRUCTION_FRAMES)
    return filled[taken], [numbers[k] for k in taken]


def plain_frames(clip: Clip, instrument: object) -> tuple[Images, list[int]]:
    """32 frames of a clip as they are, and their numbers."""
    numbers = VIEWS.indices(clip.count)
    return frames_of(clip, numbers, instrument), numbers


def _seen(network: PosesInstrument, frames: Images, numbers: list[int], size: tuple[int, int]) -> Arrays:
    path = path_arrays(trajectory_of(network, list(frames)), (frames.shape[2], frames.shape[1]), size)
    return {**path, "frames": np.array(numbers, np.int64)}


def frames_of(clip: Clip, numbers: Sequence[int], instrument: object) -> Images:
    """The frames (N, H, W, 3) of these numbers at the size the instrument works with."""
    if len(numbers) < 2:
        raise InvalidVideo("a scene needs two frames")
    spec = FrameSpec.at(*numbers)
    return np.stack(
        list(clip.frames(spec if getattr(instrument, "whole_frames", False) else spec.within(LONGEST_SIDE)))
    )


def masks_of(packed: Arrays, size: tuple[int, int]) -> NDArray[np.bool_]:
    """(F, H, W) masks of a signal that packs them, for frames of this width and height."""
    width, height = packed["size"].tolist()
    masks = decode_masks(packed["mask_runs"], packed["mask_starts"], height, width)
    return np.stack([resize_mask(mask, size[1], size[0]) for mask in masks])


def poses_at(path: Arrays, numbers: Sequence[int]) -> NDArray[np.float64]:
    """The poses (N, 4, 4) of these frames, of a path that has all frames of its clip or those it names."""
    if "frames" not in path:
        return np.asarray(path["poses"][list(numbers)])
    place = {number: row for row, number in enumerate(path["frames"].tolist())}
    return np.asarray(path["poses"][[place[number] for number in numbers]])


def cameras_of(path: Arrays, numbers: Sequence[int], frames: Images) -> SceneCameras:
    """The cameras of these frames as a camera path has them."""
    size = frames.shape[2], frames.shape[1]
    lens = np.tile(scaled_lens(path, size), (len(numbers), 1, 1))
    return SceneCameras(invert(poses_at(path, numbers)), lens, size, bool(path["moves"]))


def scaled_lens(path: Arrays, size: tuple[int, int]) -> NDArray[np.float64]:
    """The lens (3, 3) of a camera path for frames of this size."""
    width, height = path["size"].tolist()
    return np.asarray(path["intrinsics"] * np.array([[size[0] / width], [size[1] / height], [1.0]]))
