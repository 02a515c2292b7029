"""Pictures of a clip's static scene: the eight views and the meta-view that a judge sees, and nothing else is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.background_fill import fill_by_camera
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import RECONSTRUCTION_FRAMES, spread
from worldgauge.benchmarks.worldolympiad.formulas.splat_views import (
    SIDE,
    Views,
    meta_view,
    render_lens,
    shown_pixels,
    splat_views,
)
from worldgauge.benchmarks.worldolympiad.signals.objects import moving_boxes, view_masks
from worldgauge.benchmarks.worldolympiad.signals.scene_inputs import (
    camera_path,
    camera_source,
    cameras_of,
    filled_frames,
    filled_pass,
    frames_of,
    masks_of,
    plain_pass,
)
from worldgauge.benchmarks.worldolympiad.signals.self_motion import motion_masks
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, ChosenInstruments, SignalUse, signal
from worldgauge.functional.scenes import Scene, SceneCameras
from worldgauge.signals.poses import poses
from worldgauge.signals.seats import OnePassReconstruction, ReconstructionInstrument

Images = NDArray[np.uint8]
Camera = tuple[NDArray[np.float64], NDArray[np.float64]]
Dynamic = Literal["fill", "drop"]
"""What moves is filled with pixels of other frames before the scene is rebuilt, or left out of the scene."""
NETWORK_SIDE = 504
"""Px of the longer side in which the released code measures lenses; its render has 512."""
_MADE: dict[str, Any] = {"version": 3, "reads": ("video",), "seat": "reconstruction", "cost": 1.0, "dense": 12.0}


def scene_needs(use: SignalUse, chosen: ChosenInstruments) -> tuple[SignalUse, ...]:
    """Masks and cameras of a scene, or the pass it is made of."""
    drop = dict(use.parameters).get("dynamic") == "drop"
    source = camera_source(chosen)
    boxes = view_masks() if drop and source != "film" else moving_boxes()
    if source == "pass":
        return boxes, plain_pass() if drop else filled_pass()
    return boxes, camera_path("plain" if drop else "filled", chosen, use.of)


def _house_needs(use: SignalUse, chosen: ChosenInstruments) -> tuple[SignalUse, ...]:
    return motion_masks(), camera_path("house", chosen, use.of)


@signal(**_MADE, needs=(moving_boxes(), poses()), needs_by=scene_needs)
def scene_views(
    clip: Clip, boxes: Arrays, path: Arrays, instrument: ReconstructionInstrument, *, dynamic: Dynamic = "fill"
) -> Arrays:
    """The views a judge sees of the static scene, rebuilt from 32 of the 64 frames in which things were followed.

    A network that sees views rebuilds a scene without what moves from 32 frames of the clip itself, as the paper says.

    `pictures` are nine PNG files one after the other, `ends` (9,) where each ends: eight views of the path, then the
    meta-view; read them with `unpacked_views`. `shown` (8,) are numbers of the views among the `views` of the whole
    path, which are not drawn; `meta_frame` is the frame whose camera is farthest from the origin, `frames` (N,) those
    the scene is made of, and `covered` (9,) the share of each picture that shows anything.
    """
    scene, taken = released_scene(clip, boxes, path, instrument, dynamic)
    return drawn(scene, taken)


@signal(**_MADE, needs=(motion_masks(), poses()), needs_by=_house_needs)
def house_scene_views(clip: Clip, moving: Arrays, path: Arrays, instrument: ReconstructionInstrument) -> Arrays:
    """As `scene_views`, of 32 frames of the clip; what moves is found by its motion, and filled by the static scene as
    each camera sees it."""
    numbers = moving["frames"].tolist()
    frames = frames_of(clip, numbers, instrument)
    masks = masks_of(moving, (frames.shape[2], frames.shape[1]))
    cameras, name = cameras_of(path, numbers, frames), clip.video.path.stem
    marked = masks if masks.any() else None
    if marked is None or getattr(instrument, "shows_behind", False):
        return drawn(instrument.reconstruct(frames, cameras, masks=marked, name=name), numbers)
    from worldgauge.instruments.pocket.point_splat import PointSplat

    filled, _ = fill_by_camera(frames, masks, PointSplat().reconstruct(frames, cameras, masks=masks))
    return drawn(instrument.reconstruct(filled, cameras, name=name), numbers)


def released_scene(
    clip: Clip, boxes: Arrays, path: Arrays, instrument: ReconstructionInstrument, dynamic: Dynamic = "fill"
) -> tuple[Scene, list[int]]:
    """The scene of 32 frames and their numbers. `path` is where their cameras are, or the pass that found them."""
    if "world_to_camera" in path:
        masks = masks_of(boxes, boxes["size"].tolist()) if dynamic == "drop" else None
        found: OnePassReconstruction = instrument  # type: ignore[assignment]  # its own pass is at hand
        marked = masks if masks is not None and masks.any() else None
        return found.scene_of(path, masks=marked), path["frames"].tolist()
    if dynamic == "fill":
        frames, taken = filled_frames(clip, boxes, instrument)
        marked = None
    else:
        numbers = boxes["frames"].tolist()
        taken = [numbers[k] for k in spread(len(numbers), RECONSTRUCTION_FRAMES)]
        frames = frames_of(clip, taken, instrument)
        masks = masks_of(boxes, (frames.shape[2], frames.shape[1]))[spread(len(numbers), RECONSTRUCTION_FRAMES)]
        marked = masks if masks.any() else None
    cameras = cameras_of(path, taken, frames)
    return instrument.reconstruct(frames, cameras, masks=marked, name=clip.video.path.stem), taken


def drawn(scene: Scene, frames: Sequence[int]) -> Arrays:
    """The nine pictures of a scene that are judged."""
    cameras = scene.cameras.scaled(NETWORK_SIDE)
    path = path_of(cameras)
    index, farthest = meta_camera(cameras)
    pictures, covered = [], []
    for pose, lens in [*(camera_at(path, k) for k in path.judged), farthest]:
        colours, alpha = scene.render(pose, lens, (SIDE, SIDE))
        pictures.append(_packed(shown_pixels(colours)))
        covered.append(float(alpha.mean()))
    return {
        "pictures": np.concatenate(pictures),
        "ends": np.cumsum([len(one) for one in pictures]),
        "shown": np.array(path.judged),
        "views": np.array(len(path.focal)),
        "meta_frame": np.array(frames[index]),
        "frames": np.array(frames, np.int64),
        "covered": np.array(covered),
    }


def path_of(cameras: SceneCameras) -> Views:
    """The released path through a scene."""
    return splat_views(cameras.world_to_camera, cameras.intrinsics, cameras.is_metric, cameras.factor)


def camera_at(path: Views, number: int) -> Camera:
    """World-to-camera (4, 4) and lens (3, 3) of one view of a path."""
    return path.world_to_camera[number], _render_lens(path.focal[number])


def meta_camera(cameras: SceneCameras) -> tuple[int, Camera]:
    """Which camera the meta-view is seen from, and how."""
    index, pose = meta_view(cameras.world_to_camera, cameras.is_metric, cameras.factor)
    _, focal = render_lens(cameras.intrinsics)
    return index, (pose, _render_lens(focal[index]))


def _render_lens(focal: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([[focal[0], 0, SIDE / 2], [0, focal[1], SIDE / 2], [0, 0, 1.0]])


def unpacked_views(arrays: Arrays) -> Images:
    """(9, 512, 512, 3) RGB: the eight views, then the meta-view."""
    import cv2

    files = np.split(arrays["pictures"], arrays["ends"][:-1])
    return np.stack([np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR), np.uint8)[..., ::-1] for file in files])


def _packed(picture: Images) -> NDArray[np.uint8]:
    import cv2

    return np.asarray(cv2.imencode(".png", picture[..., ::-1])[1], np.uint8).ravel()
