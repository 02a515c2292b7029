"""Does one static scene explain the frames? Rebuilt from every second of 32 frames, it is held against the others."""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.photometric import LaidOver, distance_compared, laid_over, likeness
from worldgauge.benchmarks.worldolympiad.formulas.splat_views import shown_pixels
from worldgauge.benchmarks.worldolympiad.signals.fitted_path import fitted_path
from worldgauge.benchmarks.worldolympiad.signals.scene_inputs import cameras_of, frames_of, masks_of
from worldgauge.benchmarks.worldolympiad.signals.self_motion import motion_masks
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.signals.seats import ImageDistance, ReconstructionInstrument

SIDE = 416
"""Px of the longer side at which frames are compared, at most."""


@signal(
    version=1,
    reads=("video",),
    needs=(motion_masks(), fitted_path()),
    seat="reconstruction",
    kept=False,
    cost=0.6,
    dense=12.0,
)
def odd_pictures(clip: Clip, moving: Arrays, path: Arrays, instrument: ReconstructionInstrument) -> Arrays:
    """Every odd one of 32 frames and its picture from a scene of the even ones, laid over it.

    `frames` (F,) are the numbers, `covered` (F,) how much of what stands still the scene covers in each. Of those of
    which it covers enough, `counted` (F,): `seen` (C, H, W, 3) the frame, `shown` (C, H, W, 3) what is shown in its
    place and `compared` (C, H, W) where. `doubt` is that of `fitted_path`: along a wrong path the pictures are wrong,
    so it need not be trusted. Unscored where fewer than half of the frames count.
    """
    from worldgauge.functional.masks import resize_mask
    from worldgauge.media.resize import resize

    numbers = moving["frames"].tolist()
    frames = frames_of(clip, numbers, instrument)
    masks = masks_of(moving, (frames.shape[2], frames.shape[1]))
    even, odd = list(range(0, len(numbers), 2)), list(range(1, len(numbers), 2))
    scene = instrument.reconstruct(
        frames,
        cameras_of(path, numbers, frames),
        masks=masks if masks.any() else None,
        sources=even,
        name=clip.video.path.stem,
    )
    shrink = min(1.0, SIDE / max(frames.shape[1:3]))
    width, height = round(frames.shape[2] * shrink), round(frames.shape[1] * shrink)
    seen, found = list[np.ndarray](), list[LaidOver]()
    for k in odd:
        cameras = scene.cameras
        lens = cameras.intrinsics[k] * np.array([[width / cameras.size[0]], [height / cameras.size[1]], [1.0]])
        colours, alpha = scene.render(cameras.in_scene(k), lens, (width, height))
        seen.append(resize(frames[k], (width, height), "area"))
        found.append(laid_over(seen[-1], shown_pixels(colours), alpha > 0.5, resize_mask(masks[k], height, width)))
    counted = np.array([one.counts for one in found], bool)
    if 2 * counted.sum() < len(odd) or not len(odd):
        raise Unscored(
            f"the scene covers too little of {len(odd) - counted.sum()} of {len(odd)} frames", code=TOO_FEW_FRAMES
        )
    return {
        "frames": np.array([numbers[k] for k in odd], np.int64),
        "covered": np.array([one.covered for one in found]),
        "counted": counted,
        "seen": np.stack([frame for frame, counts in zip(seen, counted, strict=True) if counts]),
        "shown": np.stack([one.shown for one in found if one.counts]),
        "compared": np.stack([one.compared for one in found if one.counts]),
        "doubt": path["doubt"],
    }


@signal(version=2, reads=(), needs=(odd_pictures(),), cost=0.05)
def photometric_errors(drawn: Arrays) -> Arrays:
    """Structural similarity and PSNR of every odd one of 32 frames with its picture from a scene of the even ones.

    `ssim`, `psnr`, `covered` (F,) of the frames with numbers `frames` (F,): over the pixels that the scene covers and
    that do not move by themselves. A frame of which the scene covers too little has NaN.
    """
    pairs = zip(drawn["seen"], drawn["shown"], drawn["compared"], strict=True)
    found = [likeness(*pair) for pair in pairs]
    return _of_all(drawn, ssim=[one.ssim for one in found], psnr=[one.psnr for one in found])


@signal(version=1, reads=(), needs=(odd_pictures(),), seat="perceptual_distance", cost=0.3)
def photometric_distances(drawn: Arrays, network: ImageDistance) -> Arrays:
    """Perceptual distance of every odd one of 32 frames to its picture from a scene of the even ones.

    `distance`, `covered` (F,) of the frames with numbers `frames` (F,), per pixel that is compared; NaN for a frame of
    which the scene covers too little.
    """
    whole = in_stacks(network, network.distances, drawn["shown"], drawn["seen"])
    pairs = zip(whole, drawn["compared"], strict=True)
    return _of_all(drawn, distance=[distance_compared(float(one), where) for one, where in pairs])


def _of_all(drawn: Arrays, **values: list[float]) -> Arrays:
    """Values of the frames that count, NaN for the others."""
    columns = {name: np.full(len(drawn["frames"]), np.nan) for name in values}
    for name, known in values.items():
        columns[name][drawn["counted"]] = known
    return {**{name: drawn[name] for name in ("frames", "covered", "doubt")}, **columns}
