"""Instruments included by tests: a box in every frame, a likeness that tells the frame, a camera that walks on, and a
scene of one colour. What they say hangs on the corner that tells whose clip it is, so that no two models are alike."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.core.reasons import POSE_NOT_TRUSTED
from worldgauge.functional.lens import Lens
from worldgauge.functional.scenes import SceneCameras
from worldgauge.instruments.authors.network import AuthorsPoses, Frames, View
from worldgauge.instruments.pocket.poses import Trajectory
from worldgauge.signals.poses import path_arrays


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


def bent(metres: float, degrees: float, rise: float, count: int, pitch: float = 0.0) -> np.ndarray:
    """(count, 4, 4) camera-to-world: a bend of this length that turns by so many degrees, rises and tilts."""
    share = np.linspace(0, 1, count)
    turn, tilt = np.radians(degrees) * share, np.radians(pitch) * share
    yaw, nod, poses = (np.tile(np.eye(size), (count, 1, 1)) for size in (3, 3, 4))
    yaw[:, 0, 0] = yaw[:, 2, 2] = np.cos(turn)
    yaw[:, 0, 2], yaw[:, 2, 0] = np.sin(turn), -np.sin(turn)
    nod[:, 1, 1] = nod[:, 2, 2] = np.cos(tilt)
    nod[:, 1, 2], nod[:, 2, 1] = -np.sin(tilt), np.sin(tilt)
    radius = np.radians(degrees)
    centres = np.stack([(1 - np.cos(turn)) / radius, -rise * share**2, np.sin(turn) / radius], axis=1)
    poses[:, :3, :3] = yaw @ nod
    poses[:, :3, 3] = centres * metres / np.linalg.norm(np.diff(centres, axis=0), axis=1).sum()
    return poses


@dataclass(frozen=True)
class StubNetwork(AuthorsPoses):
    """A network that answers in metres: the reference, whose corner is black, bends for 3 m, a clip for 1 m, and the
    scene lies at a depth of its own. Which poses of a bend of 48 frames it gives, the grey of the frames tells."""

    name: ClassVar[str] = "stub_network"
    metric: ClassVar[bool] = True
    environment: ClassVar[str] = "none"

    metres_away: float = 3.0

    def unavailable(self) -> str | None:
        return None

    def identity(self) -> dict[str, Any]:
        return {"name": self.name, "version": 1, "parameters": self.parameters}

    def load(self, device: str) -> None:
        return None

    def prepared(self, frames: Frames) -> tuple[np.ndarray, View]:
        height, width = frames[0].shape[:2]
        return np.stack([np.asarray(frame) for frame in frames]), View((1.0, 1.0), (width, height))

    def asked(self, stack: np.ndarray, maps: Sequence[int] = ()) -> dict[str, np.ndarray]:
        count = len(stack)
        log_pass(self.name, stack)
        whole = bent(1, 60, 0.6, 48, 5) if _corner(stack[0]) else bent(3, 25, 0.2, 48)
        return {
            "poses": whole[[number_of(frame) % 48 for frame in stack]],
            "intrinsics": np.tile([[50.0, 0, 32], [0, 50.0, 24], [0, 0, 1]], (count, 1, 1)),
            "depth": np.full(count, self.metres_away),
            "confidence": np.ones(count),
        }


@dataclass(frozen=True)
class StubNetworkWithoutMetres(StubNetwork):
    """The same, in units that nobody knows in metres."""

    name: ClassVar[str] = "stub_network_without_metres"
    metric: ClassVar[bool] = False


@dataclass(frozen=True)
class StubOnePass(StubNetwork):
    """The same network with a scene: one pass gives both."""

    seat: ClassVar[str] = "reconstruction"
    name: ClassVar[str] = "stub_one_pass"
    cameras_by: ClassVar[str] = "stub_network"

    def reconstruct(
        self, frames: Sequence[np.ndarray], cameras: SceneCameras, *, masks: Any = None, sources: Any = None,
        name: str = "",
    ) -> StubScene:  # fmt: skip
        return self.scene_of(self.one_pass(frames), masks=masks)

    def one_pass(self, frames: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        stack, view = self.prepared(list(frames))
        found = self.asked(stack)
        path = path_arrays(self.path_of(found, view, view.size, range(len(stack)), len(stack)), view.size, view.size)
        lenses = {"world_to_camera": np.linalg.inv(found["poses"]), "lenses": found["intrinsics"]}
        return {**path, **lenses, "grey": np.array(_corner(stack[0]))}

    def scene_of(self, found: Mapping[str, np.ndarray], *, masks: Any = None, sources: Any = None) -> StubScene:
        log_scene(masks)
        return StubScene(SceneCameras(found["world_to_camera"], found["lenses"], (64, 48)), float(found["grey"]))


@dataclass(frozen=True)
class StubFilm(StubPath):
    """A camera path of a whole film."""

    name: ClassVar[str] = "stub_film"

    def trajectory(self, frames: Sequence[np.ndarray], lens: Lens | None = None) -> Trajectory:
        log_pass(self.name, frames)
        return super().trajectory(frames, lens)


def log_pass(name: str, frames: Sequence[np.ndarray]) -> None:
    """Write down which frames a network was shown, and whether the bright thing in their corner was filled."""
    if "PASS_LOG" in os.environ:
        bright = [int(np.asarray(frame)[6:9, 6:12].mean()) > 240 for frame in frames]
        numbers = [tens_and_units(np.asarray(frame)) for frame in frames]
        _log(
            {
                "who": name,
                "numbers": numbers,
                "filled": not any(bright),
                "reference": not _corner(np.asarray(frames[0])),
            }
        )


def log_scene(masks: Any) -> None:
    if "PASS_LOG" in os.environ:
        _log({"who": "scene", "masks": 0 if masks is None else len(masks)})


def _log(line: dict[str, Any]) -> None:
    with Path(os.environ["PASS_LOG"]).open("a") as stream:
        stream.write(json.dumps(line) + "\n")


def tens_and_units(frame: np.ndarray) -> int:
    """The number that a frame of a counted film shows."""
    tens, units = (round((float(frame[20:28, at : at + 16].mean()) - 16) / 20) for at in (12, 36))
    return 10 * tens + units


def number_of(frame: np.ndarray) -> int:
    """The number of a frame of a made film, from the grey in its middle."""
    return round((float(frame[20:28, 24:40].mean()) - 16) / 4)


def _corner(frame: np.ndarray) -> float:
    """From 0 to 1."""
    return float(frame[-4, -4].mean()) / 255


MADE = (
    StubBoxes, StubLikeness, StubPath, StubFilm, StubDoubtedPath, StubNetwork, StubNetworkWithoutMetres, StubOnePass,
    StubReconstruction,
)  # fmt: skip
for made in MADE:
    INSTRUMENTS.add(made.name, made, f"stub_networks:{made.__name__}")
