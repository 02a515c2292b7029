"""Scenes of Gaussians by Depth Anything 3 (Lin and others, 2025), through its authors' package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from worldgauge.core.errors import Unscored
from worldgauge.functional.gaussians import Gaussians
from worldgauge.functional.pose import invert
from worldgauge.functional.scenes import Frames, Masks, SceneCameras
from worldgauge.instruments.authors.depth_anything_3 import DepthAnything3
from worldgauge.instruments.gaussian_scene import GaussianScene, Rasteriser, chosen

COEFFICIENTS = 9
"""Of the spherical harmonics that the network gives."""


@dataclass(frozen=True)
class DepthAnything3Scene(DepthAnything3):
    """Depth Anything 3 nested: cameras and a Gaussian for each pixel of the frames, in one pass.

    Cameras are in metres, Gaussians in the network's own unit; the factor between them goes along.
    """

    seat: ClassVar[str] = "reconstruction"
    name: ClassVar[str] = "depth_anything_3_scene"
    file: ClassVar[str] = "depth_anything_3_nested"
    layout: ClassVar[str] = "da3nested-giant-large"
    memory: ClassVar[float] = 40.0
    needs: ClassVar[tuple[str, ...]] = ("e3nn",)

    rasteriser: Rasteriser = "torch"
    """Who draws the pictures: this package in PyTorch, or gsplat where it is installed."""

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"gaussians": True}

    def unavailable(self) -> str | None:
        import importlib.util

        if self.rasteriser == "gsplat" and importlib.util.find_spec("gsplat") is None:
            return "gsplat is not installed; install it, or draw with rasteriser=torch"
        if importlib.util.find_spec("torch") is None:
            return "torch is not installed; install the extra 'worldgauge[models]'"
        return super().unavailable()

    def load(self, device: str) -> None:
        super().load(device)
        self.__dict__["_device"] = device

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def reconstruct(
        self,
        frames: Frames,
        cameras: SceneCameras,
        *,
        masks: Masks | None = None,
        sources: Sequence[int] | None = None,
        name: str = "",
    ) -> GaussianScene:
        """The scene of RGB frames (H, W, 3); the network finds the cameras itself."""
        stack, view = self.prepared(list(frames))
        count, (width, height) = len(stack), view.size
        total = count * width * height
        expected = {
            "poses": ("<f8", (count, 4, 4)),
            "intrinsics": ("<f8", (count, 3, 3)),
            "depth": ("<f8", (count,)),
            "confidence": ("<f8", (count,)),
            "factor": ("<f8", ()),
            "means": ("<f4", (total, 3)),
            "quaternions": ("<f4", (total, 4)),
            "scales": ("<f4", (total, 3)),
            "opacities": ("<f4", (total,)),
            "harmonics": ("<f4", (total, COEFFICIENTS, 3)),
        }
        found = self._network().answer({"frames": stack}, {}, expected)
        self._check(found)
        frame = np.repeat(np.arange(count), width * height)
        gaussians = Gaussians(
            found["means"], found["quaternions"], found["scales"], found["opacities"], found["harmonics"], frame
        )
        if problem := gaussians.problem():
            raise Unscored(f"{self.name}: {problem}")
        own = SceneCameras(
            invert(found["poses"]), found["intrinsics"], (width, height), True, True, float(found["factor"])
        )
        kept = chosen(gaussians, own, masks, sources)
        if not len(kept):
            raise Unscored("the scene has no Gaussian")
        return GaussianScene(own, kept, self.rasteriser, self.__dict__.get("_device", "cpu"))
