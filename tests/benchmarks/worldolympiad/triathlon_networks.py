"""Tiny networks of all seats that the three tracks need, included by a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.functional.lens import Lens
from worldgauge.functional.scenes import SceneCameras
from worldgauge.instruments.pocket.poses import Trajectory


@dataclass(frozen=True)
class TinyBoxes(Instrument):
    """One thing in the upper left corner."""

    seat: ClassVar[str] = "phrase_follower"
    name: ClassVar[str] = "tiny_boxes"

    def followed_phrase(
        self, frames: Sequence[np.ndarray], phrase: str
    ) -> Iterator[Mapping[int, tuple[np.ndarray, float]]]:
        for frame in frames:
            mask = np.zeros(frame.shape[:2], bool)
            mask[3:12, 3:15] = True
            yield {1: (mask, 0.9)}


@dataclass(frozen=True)
class TinyLikeness(Instrument):
    """Between 0.2 and 0.4, by the corner of a frame."""

    seat: ClassVar[str] = "text_image"
    name: ClassVar[str] = "tiny_likeness"
    most_tokens: ClassVar[int] = 77

    def similarities(self, frames: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        return 20 + frames[:, -6:-2, -6:-2].reshape(len(frames), -1).mean(axis=1) / 12.5

    def tokens_of(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


@dataclass(frozen=True)
class TinyPath(Instrument):
    """Walks forward and turns, the more the brighter the corner."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "tiny_path"

    def trajectory(self, frames: Sequence[np.ndarray], lens: Lens | None = None) -> Trajectory:
        count, corner = len(frames), float(np.asarray(frames[0])[-4, -4].mean()) / 250
        height, width = np.asarray(frames[0]).shape[:2]
        angles = np.radians(np.linspace(0, 20 + 10 * corner, count))
        poses = np.tile(np.eye(4), (count, 1, 1))
        poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angles)
        poses[:, 0, 2], poses[:, 2, 0] = np.sin(angles), -np.sin(angles)
        poses[:, 2, 3], poses[:, 0, 3] = np.linspace(0, 4, count), np.linspace(0, 1 - corner, count)
        own = lens or Lens(float(width), (width / 2, height / 2), (width, height))
        zeros, ones = np.zeros(count), np.ones(count)
        return Trajectory(
            poses, own, "assumed", ones, zeros, zeros[1:], np.full(count - 1, 50.0), True, np.ones(count, bool)
        )


@dataclass(frozen=True, eq=False)
class TinyScene:
    """One colour on every side."""

    cameras: SceneCameras
    colour: np.ndarray

    def render(self, world_to_camera: Any, intrinsics: Any, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        shape = (size[1], size[0])
        return np.broadcast_to(self.colour, (*shape, 3)).astype(np.float32), np.ones(shape, np.float32)


@dataclass(frozen=True)
class TinyReconstruction(Instrument):
    """A scene in the colour of the corner."""

    seat: ClassVar[str] = "reconstruction"
    name: ClassVar[str] = "tiny_reconstruction"

    def reconstruct(
        self,
        frames: Sequence[np.ndarray],
        cameras: SceneCameras,
        *,
        masks: Any = None,
        sources: Any = None,
        name: str = "",
    ) -> TinyScene:
        return TinyScene(cameras, np.asarray(frames[0])[-4, -4].astype(np.float64) / 255)


for made in (TinyBoxes, TinyLikeness, TinyPath, TinyReconstruction):
    INSTRUMENTS.add(made.name, made, f"triathlon_networks:{made.__name__}")
