"""DROID-SLAM as an instrument: camera poses of a clip (Teed and Deng, 2021), without compiled extensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import invert
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.pocket.poses import LensSource, Trajectory, usual_lens

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.droid.matching import Encoder
    from worldgauge.instruments.neural.networks.droid.tracker import Tracked

WEIGHTS = "droid_slam"
STRIDE = 8
SMALLEST_SIDE = 128
"""Px at the size the network sees; its coarsest correlation has then two pixels a side."""


@dataclass(frozen=True)
class DroidSlam(NeuralInstrument):
    """Camera poses by DROID-SLAM: every frame placed by dense flow between keyframes that are adjusted together."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "droid_slam"
    memory: ClassVar[float] = 16.0
    whole_frames: ClassVar[bool] = True
    tried_with: ClassVar[dict[str, Any]] = {"area": 128 * 172}

    area: int = 512 * 512
    """Px that a frame has where the network sees it; its sides are then cut to multiples of 8."""
    focal: float = 0.0
    """Px of the frame, whatever its size, where the case tells no lens; 0: 60 degrees across the longer side."""
    centre: float = 0.0
    """Px from the left and from above, likewise; 0: the middle of the frame."""
    filter_threshold: float = 0.01
    """Px of the feature map by which a frame must differ from the last one taken; the authors' demonstration: 2.4."""
    keyframe_threshold: float = 4.0
    """Px by which two keyframes must be apart."""
    second_start: bool = False
    """Whether the flow is read a second way too, and the better reading kept: the authors' tracker begins with equal
    depths and can take a camera that advances over level ground for one that sinks and tilts."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        across, down = (side - side % STRIDE for side in self._resized(width, height))
        if min(across, down) < SMALLEST_SIDE:
            raise Unscored(f"{self.name} would see {across}x{down} px; it needs {SMALLEST_SIDE} px on each side")
        return across, down

    def build(self, device: str) -> Encoder:
        from worldgauge.instruments.neural.networks.droid.matching import Encoder
        from worldgauge.instruments.neural.networks.droid.network import droid_from

        network = droid_from(read_state(self.weight_files()[WEIGHTS]))
        return Encoder(network, device, self.dtype, self.batch)

    def trajectory(self, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Trajectory:
        """Poses of RGB frames (H, W, 3) as the tracker leaves them: the first is the identity but for a last step."""
        size = frames[0].shape[1], frames[0].shape[0]
        self.working_size(*size)
        source: LensSource = "given" if lens else "assumed"
        lens = lens or self.assumed_lens(size)
        found = self._tracked([self.prepared(frame) for frame in frames], self.intrinsics(lens))
        if found is None:
            raise Unscored("no two frames differ by enough to place a camera")
        world_to_camera, points = found.filled.poses.cpu().numpy(), found.points.cpu().numpy().astype(np.float64)
        if not (np.isfinite(world_to_camera).all() and np.isfinite(found.errors.cpu().numpy()).all()):
            raise Unscored("DROID-SLAM diverged: its poses are not finite")
        # Px of the feature map to px of the frame.
        unit = STRIDE / self._scale(*size)
        return Trajectory(
            poses=invert(world_to_camera),
            lens=lens,
            lens_source=source,
            confidence=found.filled.weights.double().cpu().numpy(),
            residual=unit * found.filled.misses.double().nan_to_num(0.0).cpu().numpy(),
            distance=unit * found.errors.cpu().numpy() / np.maximum(points, 1.0),
            sightings=points,
            moves=True,
            placed=np.ones(len(world_to_camera), bool),
            pairs=found.pairs,
        )

    def _tracked(self, frames: list[NDArray[np.uint8]], intrinsics: tuple[float, ...]) -> Tracked | None:
        import torch

        from worldgauge.instruments.neural.networks.droid.matching import NetworkMatcher
        from worldgauge.instruments.neural.networks.droid.tracker import Rules, Tracker

        encoder: Encoder = self.network
        rules = Rules(
            filter_threshold=self.filter_threshold,
            keyframe_threshold=self.keyframe_threshold,
            second_start=self.second_start,
        )
        with torch.inference_mode():
            encoded = encoder.encoded(frames)
            lens = torch.tensor(intrinsics, dtype=torch.float32, device=encoder.device) / STRIDE
            tracker = Tracker(encoded, lens, NetworkMatcher(encoder, encoded), rules)
            for number in range(len(frames)):
                tracker.track(number)
            return tracker.finish(len(frames))

    def assumed_lens(self, size: tuple[int, int]) -> Lens:
        usual = usual_lens(size)
        return Lens(self.focal or usual.focal, (self.centre, self.centre) if self.centre else usual.centre, size)

    def intrinsics(self, lens: Lens) -> tuple[float, float, float, float]:
        """fx, fy, cx, cy in px of the frame as it is seen; each side has its own scale, for it was cut to whole px."""
        (width, height), (across, down) = lens.size, self._resized(*lens.size)
        x, y = across / width, down / height
        return lens.focal * x, lens.focal * y, lens.centre[0] * x, lens.centre[1] * y

    def prepared(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        import cv2

        height, width = frame.shape[:2]
        across, down = self.working_size(width, height)
        # Two channels exchanged or not: OpenCV treats each by itself.
        return np.asarray(cv2.resize(frame, self._resized(width, height)), np.uint8)[:down, :across]

    def _scale(self, width: int, height: int) -> float:
        return math.sqrt(self.area / (height * width))

    def _resized(self, width: int, height: int) -> tuple[int, int]:
        scale = self._scale(width, height)
        return int(width * scale), int(height * scale)
