"""Filling what moves with what is seen there at other times: as the released code does it, and by the camera's motion.

As released, pixels are taken from the same place of other frames, whatever the camera did in between: with a moving
camera wrong background is pasted in. The nearest frame that shows the pixel counts, the earlier of two at the same
distance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.scenes import Frames, Masks, Scene

Images = NDArray[np.uint8]
NEAR_BLACK = 8
"""A source pixel with no channel above this is not used."""
INPAINT_RADIUS = 3


def fill_background(frames: Images, masks: NDArray[np.bool_]) -> tuple[Images, NDArray[np.bool_]]:
    """Frames (T, H, W, 3) with the masked (T, H, W) pixels filled, and where nothing could be taken: inpainted."""
    if len(frames) != len(masks):
        raise ValueError(f"{len(frames)} frames and {len(masks)} masks")
    count, pixels = len(frames), masks[0].size if len(masks) else 0
    usable = (~masks & (frames > NEAR_BLACK).any(axis=-1)).reshape(count, pixels)
    given, filled = frames.reshape(count, pixels, 3), frames.copy()
    left = np.zeros(masks.shape, bool)
    for index in range(count):
        own, missing = filled[index].reshape(pixels, 3), np.flatnonzero(masks[index])
        for offset in range(1, count):
            for source in (index - offset, index + offset):
                if 0 <= source < count and len(missing):
                    take = usable[source, missing]
                    own[missing[take]] = given[source, missing[take]]
                    missing = missing[~take]
            if not len(missing):
                break
        left[index].reshape(pixels)[missing] = True
        if len(missing):
            filled[index] = inpainted(filled[index], left[index])
    return filled, left


def fill_by_camera(frames: Frames, masks: Masks, scene: Scene) -> tuple[list[Images], float]:
    """Frames (H, W, 3) with the masked (H, W) pixels filled by a static scene as each camera sees it, and the share of
    these pixels that nobody has seen: inpainted. `scene` is made of the frames without what is masked.

    Source: a house variant of the released fill.
    """
    filled, marked, unseen = [], 0, 0
    for index, (frame, mask) in enumerate(zip(frames, masks, strict=True)):
        done = np.array(frame, np.uint8)
        if mask.any():
            height, width = mask.shape
            lens = scene.cameras.intrinsics[index] * np.array(
                [[width / scene.cameras.size[0]], [height / scene.cameras.size[1]], [1.0]]
            )
            picture, covered = scene.render(scene.cameras.in_scene(index), lens, (width, height))
            seen = mask & (covered > 0.5)
            done[seen] = np.clip(np.rint(picture[seen] * 255), 0, 255).astype(np.uint8)
            hidden = mask & ~seen
            if hidden.any():
                done = inpainted(done, hidden)
            marked, unseen = marked + int(mask.sum()), unseen + int(hidden.sum())
        filled.append(done)
    return filled, unseen / marked if marked else 0.0


def inpainted(image: Images, missing: NDArray[np.bool_]) -> Images:
    """Telea's inpainting of the marked pixels."""
    import cv2

    found: Images = np.asarray(
        cv2.inpaint(image, missing.astype(np.uint8) * 255, INPAINT_RADIUS, cv2.INPAINT_TELEA), np.uint8
    )
    return found
