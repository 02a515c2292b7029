"""What `python -m bench.neural` needs of this benchmark: cases for made clips, and the released code's order of calls.

For a clip of 81 frames whose target is gone from frame 27 to 49, with a reference of 300: 26 decodes for flow, 21 for
aesthetics, 21 for quality, 10 for identity, 8 for depth, 5 for the reward, 3 for the revisit, 164 for pixels and as
many of the reference; every network sees one row at a time, but LPIPS 16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.formulas.smoothness import forward_sampled_error
from worldgauge.core.case import Case, Condition, Phases, Reference
from worldgauge.core.frames import FrameSpec
from worldgauge.media.frame_folder import frame_files, read_image
from worldgauge.media.resize import resize
from worldgauge.signals.phases import MAX_SIDE

METRICS = [
    *("MotionSmoothness", "AestheticScore", "ImageQuality", "ObjIdentityMean", "GeoConsistencyMean", "GTRevisitSim"),
    *("ImageRewardScore", "GT_ALL_PSNR", "GT_ALL_SSIM", "GT_ALL_LPIPS"),
]
SMALL = (
    "phase_warp_errors=raft_large:value_range=unit,padding=right_bottom,batch=2",
    "phase_depth_similarity=depth_anything_v2_small:batch=2",
)
"""The official ones in smaller stacks, to see on a CPU that everything runs."""
PLAIN: tuple[str, ...] = ()
"""Every network is in torch's own default already."""
GONE, BACK = 27 / 81, 49 / 81
PROMPT = "First person view sees a red fox(subject) running right. Observer turns round and sees the fox again."
Network = Callable[[str], Any]
Timed = Callable[[str, Callable[[], Any]], Any]
Frame = NDArray[np.uint8]


def cases(folder: Path, clips: Mapping[str, Path], references: Mapping[str, Path]) -> list[Case]:
    """A case for each clip, with its reference."""
    found = []
    for name in clips:
        count = len(frame_files(references[name]))
        phases = Phases(gone=round(GONE * count), back=round(BACK * count))
        reference = Reference(video=str(references[name]), phases=phases)
        case = Case(id=name, condition=Condition(prompt=PROMPT), reference=reference, tags={"data_type": "synthetic"})
        found.append(case.at(folder))
    return found


def original(network: Network, timed: Timed, case: Case, clip: Path) -> None:
    """One clip as the released code goes over it; `network` gives the instrument of a signal for single rows."""
    ours, theirs = frame_files(clip), frame_files(case.path(case.reference.video or ""))
    count = len(ours)
    gone, back = round(GONE * count), round(BACK * count)

    def shown(index: int) -> Frame:
        frame = read_image(ours[index])
        size = FrameSpec().within(MAX_SIDE).output_size(frame.shape[1], frame.shape[0])
        return resize(frame, size, "area")

    def truth(index: int, like: Frame) -> Frame:
        place = round(index * (len(theirs) - 1) / (count - 1))
        return resize(read_image(theirs[place]), (like.shape[1], like.shape[0]), "area")

    def flow() -> None:
        for start, stop in ((0, gone), (back, count)):
            for index in range(start, stop - 4, 4):
                first, second = shown(index), shown(index + 4)
                field = network("phase_warp_errors").flows([first, second], [(0, 1)])[0]
                forward_sampled_error(first, second, field)

    def taste() -> None:
        for index in range(0, count, 4):
            network("frame_aesthetics").scores([shown(index)])

    def quality() -> None:
        for index in range(0, count, 4):
            network("frame_qualities").scores([shown(index)])

    def identity() -> None:
        for index in (0, *np.linspace(back, count - 1, 9).astype(int)):
            network("anchor_similarities").embeddings([shown(int(index))])

    def depth() -> None:
        for start, stop in ((0, gone), (back, count)):
            first, second, third = np.linspace(start, stop - 1, 3).astype(int)
            for index in (first, second, second, third):
                network("phase_depth_similarity").depths([shown(int(index))])

    def reward() -> None:
        for index in np.linspace(0, count - 1, 5).astype(int):
            network("prompt_rewards").rewards([case.condition.prompt], [shown(int(index))])

    def revisit() -> None:
        for index in np.linspace(back, count - 1, 3).astype(int):
            place = round(int(index) * (len(theirs) - 1) / (count - 1))
            for frame in (shown(int(index)), read_image(theirs[place])):
                network("revisit_similarities").embeddings([frame])

    def pixels() -> None:
        # Each phase, then the whole clip.
        for start, stop in ((0, gone + 1), (gone, back + 1), (back, count), (0, count)):
            pairs = []
            for index in range(start, stop):
                frame = shown(index)
                other = truth(index, frame)
                plain_psnr(frame, other)
                plain_ssim(frame, other)
                pairs.append((frame, other))
            lpips = network("phase_perceptual_distances")
            for first in range(0, len(pairs), 16):
                frames, others = zip(*pairs[first : first + 16], strict=True)
                lpips.distances(list(frames), list(others))

    for part in (flow, taste, quality, identity, depth, reward, revisit, pixels):
        timed(part.__name__, part)


def plain_psnr(frame: Frame, other: Frame) -> float:
    """As one writes it down; our own is written for speed."""
    return float(10 * np.log10(255.0**2 / np.mean((frame.astype(np.float32) - other.astype(np.float32)) ** 2)))


def plain_ssim(frame: Frame, other: Frame) -> float:
    """The same of structural similarity."""
    import cv2

    x, y = (cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float64) for image in (frame, other))

    def blur(values: NDArray[np.float64]) -> Any:
        return cv2.GaussianBlur(values, (11, 11), 1.5)

    mean_x, mean_y = blur(x), blur(y)
    spread = blur(x * x) - mean_x**2 + blur(y * y) - mean_y**2
    shared = blur(x * y) - mean_x * mean_y
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    similarity = (2 * mean_x * mean_y + c1) * (2 * shared + c2) / ((mean_x**2 + mean_y**2 + c1) * (spread + c2))
    return float(similarity.mean())
