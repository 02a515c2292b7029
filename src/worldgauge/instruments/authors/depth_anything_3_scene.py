"""Scenes of Gaussians by Depth Anything 3 (Lin and others, 2025), through its authors' package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.functional.gaussians import Gaussians
from worldgauge.functional.pose import invert
from worldgauge.functional.scenes import Frames, Masks, SceneCameras
from worldgauge.instruments.authors.depth_anything_3 import ALL_SKY, DepthAnything3
from worldgauge.instruments.gaussian_scene import GaussianScene, Rasteriser, chosen
from worldgauge.signals.poses import path_arrays

COEFFICIENTS = 9
"""Of the spherical harmonics that the network gives."""
_GAUSSIANS = ("means", "quaternions", "scales", "opacities", "harmonics")


@dataclass(frozen=True)
class DepthAnything3Scene(DepthAnything3):
    """Depth Anything 3 nested: cameras and a Gaussian for each pixel of the frames, in one pass.

    Cameras are in metres, Gaussians in the network's own unit; the factor between them goes along.
    """

    seat: ClassVar[str] = "reconstruction"
    name: ClassVar[str] = "depth_anything_3_scene"
    file: ClassVar[str] = "depth_anything_3_nested"
    layout: ClassVar[str] = "da3nested-giant-large"
    memory: ClassVar[float] = 16.0
    metric: ClassVar[bool] = True
    refusal: ClassVar[str] = ALL_SKY
    cameras_by: ClassVar[str] = "depth_anything_3_nested"
    """The instrument of camera paths that is the same network: one pass serves the scene and the camera."""
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
        return self.scene_of(self.one_pass(frames), masks=masks, sources=sources)

    def one_pass(self, frames: Frames) -> dict[str, NDArray[Any]]:
        """What one pass over RGB frames (H, W, 3) gives: Gaussians, cameras, and the camera path of the frames."""
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
        found = self.answered(stack, {}, expected)
        size = frames[0].shape[1], frames[0].shape[0]
        path = path_arrays(self.path_of(found, view, size, range(count), count), size, size)
        gaussians = {name: found[name] for name in _GAUSSIANS}
        return {
            **path, **gaussians, "world_to_camera": invert(found["poses"]), "lenses": found["intrinsics"],
            "picture": np.array([width, height]), "factor": found["factor"],
        }  # fmt: skip

    def scene_of(
        self, found: Mapping[str, NDArray[Any]], *, masks: Masks | None = None, sources: Sequence[int] | None = None
    ) -> GaussianScene:
        """The scene of a pass, without the Gaussians of what is marked by `masks`."""
        width, height = found["picture"].tolist()
        frame = np.repeat(np.arange(len(found["lenses"])), width * height)
        gaussians = Gaussians(**{name: found[name] for name in _GAUSSIANS}, frame=frame)
        if problem := gaussians.problem():
            raise Unscored(f"{self.name}: {problem}")
        own = SceneCameras(
            found["world_to_camera"], found["lenses"], (width, height), True, True, float(found["factor"])
        )
        kept = chosen(gaussians, own, masks, sources)
        if not len(kept):
            raise Unscored("the scene has no Gaussian")
        return GaussianScene(own, kept, self.rasteriser, self.__dict__.get("_device", "cpu"))
