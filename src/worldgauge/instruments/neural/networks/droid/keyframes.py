"""What is known of the frames of a clip while it is tracked: features of all, poses and depths of keyframes."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from worldgauge.instruments.neural.networks.droid.motions import identity
from worldgauge.instruments.neural.networks.droid.projection import frame_distances, reprojected

LEAST_DEPTH = 0.001
"""Inverse depths are kept above this."""
AT_ONCE = 16
"""Frames that are placed between keyframes at a time; there is room for them behind the keyframes."""


class Encoded(NamedTuple):
    """What the network keeps of a stack of frames, at an eighth of their size."""

    features: Tensor
    """(N, 128, h, w): compared with those of other frames."""
    hidden: Tensor
    """(N, 128, h, w): the first state of an edge that leaves the frame."""
    gates: Tensor
    """(N, 384, h, w): the context's share of the gates of such edges."""


class Keyframes:
    """Slots for frames; the slots in use come first, in the order of time."""

    def __init__(self, encoded: Encoded, intrinsics: Tensor) -> None:
        """`intrinsics` (fx, fy, cx, cy) in px of the feature maps."""
        count, _, height, width = encoded.features.shape
        slots = count + AT_ONCE + 1
        self.encoded = encoded
        self.intrinsics = intrinsics
        self.frames: list[int] = []
        """The frame of each slot in use."""
        self.times: list[float] = []
        """The time each slot was taken at. It stays when a keyframe is dropped and the one after it moves up, as in the
        authors' code of 2022; frames between keyframes are placed by it."""
        self.poses = identity(slots, intrinsics)
        """World-to-camera, double precision."""
        self.depths = torch.ones(slots, height, width, device=intrinsics.device)
        """Inverse ones."""

    def __len__(self) -> int:
        return len(self.frames)

    def append(self, frame: int) -> None:
        self.frames.append(frame)
        self.times.append(float(frame))

    def drop(self, slot: int) -> None:
        """Forget the last keyframe but one; the last takes its slot."""
        self.poses[slot], self.depths[slot] = self.poses[slot + 1], self.depths[slot + 1]
        del self.frames[slot], self.times[slot + 1]

    def reproject(self, sources: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        return reprojected(self.poses, self.depths, self.intrinsics, sources, targets)

    def distances(self, sources: Tensor, targets: Tensor, turning: float) -> Tensor:
        device = self.depths.device
        pairs = sources.to(device), targets.to(device)
        return frame_distances(self.poses, self.depths, self.intrinsics, *pairs, turning).cpu()

    def normalise(self) -> None:
        """Give the mean inverse depth the value 1: a single camera does not know lengths, and damping must."""
        count = len(self)
        scale = self.depths[:count].mean()
        self.depths[:count] /= scale
        self.poses[:count, :3, 3] *= scale.double()

    def keep_positive(self) -> None:
        self.depths.clamp_(min=LEAST_DEPTH)
