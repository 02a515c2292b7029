"""Instruments included by a test, in the seats of networks that give numbers: levels of grey, and a known turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class StubAesthetic(Instrument):
    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "stub_aesthetic"

    def scores(self, frames: np.ndarray) -> np.ndarray:
        return np.asarray(frames.mean(axis=(1, 2, 3)) / 25.5)


@dataclass(frozen=True)
class StubQuality(Instrument):
    seat: ClassVar[str] = "image_quality"
    name: ClassVar[str] = "stub_quality"

    def scores(self, frames: np.ndarray) -> np.ndarray:
        return np.asarray(frames.mean(axis=(1, 2, 3)) / 255)


@dataclass(frozen=True)
class StubDistance(Instrument):
    seat: ClassVar[str] = "perceptual_distance"
    name: ClassVar[str] = "stub_distance"

    def distances(self, frames: np.ndarray, references: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(frames.astype(float) - references).mean(axis=(1, 2, 3)) / 255)


@dataclass(frozen=True)
class StubReward(Instrument):
    seat: ClassVar[str] = "prompt_reward"
    name: ClassVar[str] = "stub_reward"

    def rewards(self, prompts: Sequence[str], frames: np.ndarray) -> np.ndarray:
        return np.array([len(prompt) / 100 for prompt in prompts])


@dataclass(frozen=True)
class StubPoses(Instrument):
    """A pan of forty degrees."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "stub_poses"

    def trajectory(self, frames: Sequence[np.ndarray], lens: Any = None) -> Any:
        from worldgauge.functional.lens import Lens

        count = len(frames)
        poses, angles = np.tile(np.eye(4), (count, 1, 1)), np.radians(np.linspace(0, 40, count))
        poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angles)
        poses[:, 0, 2], poses[:, 2, 0] = np.sin(angles), -np.sin(angles)
        width, height = frames.size  # type: ignore[attr-defined]
        return SimpleNamespace(
            poses=poses, lens=lens or Lens(30.0, (width / 2, height / 2), (width, height)), lens_source="assumed",
            confidence=np.ones(count), residual=np.zeros(count), distance=np.zeros(count - 1),
            sightings=np.full(count - 1, 100.0), moves=False, placed=np.ones(count, bool), doubt="",
        )  # fmt: skip


for made in (StubAesthetic, StubQuality, StubDistance, StubReward, StubPoses):
    INSTRUMENTS.add(made.name, made, f"stub_scores:{made.__name__}")
