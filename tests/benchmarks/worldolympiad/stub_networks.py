"""Instruments included by tests: a box in every frame, a likeness that tells the frame, a camera that walks on, and a
scene of one colour. What they say hangs on the corner that tells whose clip it is, so that no two models are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.core.reasons import POSE_NOT_TRUSTED
from worldgauge.functional.lens import Lens
from worldgauge.functional.scenes import SceneCameras
from worldgauge.instruments.pocket.poses import Trajectory


@dataclass(frozen=True)
class StubBoxes(Instrument):
    """One thing in the upper left corner."""

    seat: ClassVar[str] = "phrase_follower"
    name: ClassVar[str] = "stub_boxes"

    def followed_phrase(
        self, frames: Sequence[np.ndarray], phrase: str
    ) -> Iterator[Mapping[int, tuple[np.ndarray, float]]]:
        for frame in frames:
            mask = np.zeros(frame.shape[:2], bool)
            mask[3:12, 3:15] = True
            yield {1: (mask, 0.9)} if phrase == "red ball" else {}


@dataclass(frozen=True)
class StubLikeness(Instrument):
    """A hundredth of the grey, so that a mean over frames is easy to compute."""

    seat: ClassVar[str] = "text_image"
    name: ClassVar[str] = "stub_likeness"
    most_tokens: ClassVar[int] = 3

    def similarities(self, frames: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        return frames.reshape(len(frames), -1).mean(axis=1) / 10

    def tokens_of(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


@dataclass(frozen=True)
class StubPath(Instrument):
    """A camera that walks forward and turns, the more the brighter the corner; black clips are too much for it."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "stub_path"

    def trajectory(self, frames: Sequence[np.ndarray], lens: Lens | None = None) -> Trajectory:
        first, count = np.asarray(frames[0]), len(frames)
        if not first.any():
            raise Unscored("nothing to hold on to", code=POSE_NOT_TRUSTED)
        step = 1.5 * (1 + _corner(first) / 2)
        poses, turns, ones = np.tile(np.eye(4), (count, 1, 1)), np.radians(step * np.arange(count)), np.ones(count)
        poses[:, 0, 0] = poses[:, 2, 2] = np.cos(turns)
        poses[:, 0, 2], poses[:, 2, 0] = np.sin(turns), -np.sin(turns)
        poses[:, 2, 3] = 0.05 * np.arange(count)
        size = first.shape[1], first.shape[0]
        lens = Lens(50.0, (size[0] / 2, size[1] / 2), size)
        return Trajectory(poses, lens, "estimated", ones, 0 * ones, ones[1:], ones[1:], True, ones > 0)


@dataclass(frozen=True)
class StubDoubtedPath(StubPath):
    """The same path, for which nothing vouches."""

    name: ClassVar[str] = "stub_doubted_path"

    def trajectory(self, frames: Sequence[np.ndarray], lens: Lens | None = None) -> Trajectory:
        return replace(super().trajectory(frames, lens), doubt="it sways")


@dataclass(frozen=True, eq=False)
class StubScene:
    """One grey on every side."""

    cameras: SceneCameras
    grey: float

    def render(self, world_to_camera: Any, intrinsics: Any, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        shape = (size[1], size[0])
        return np.full((*shape, 3), self.grey, np.float32), np.ones(shape, np.float32)


@dataclass(frozen=True)
class StubReconstruction(Instrument):
    """A scene in the grey of the corner."""

    seat: ClassVar[str] = "reconstruction"
    name: ClassVar[str] = "stub_reconstruction"

    def reconstruct(
        self, frames: Sequence[np.ndarray], cameras: SceneCameras, *, masks: Any = None, sources: Any = None,
        name: str = "",
    ) -> StubScene:  # fmt: skip
        return StubScene(cameras, _corner(np.asarray(frames[0])))


def _corner(frame: np.ndarray) -> float:
    """From 0 to 1."""
    return float(frame[-4, -4].mean()) / 255


for made in (StubBoxes, StubLikeness, StubPath, StubDoubtedPath, StubReconstruction):
    INSTRUMENTS.add(made.name, made, f"stub_networks:{made.__name__}")
