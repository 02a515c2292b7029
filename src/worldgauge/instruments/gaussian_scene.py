"""A scene of Gaussians, drawn by our own PyTorch code or, where the user asks for it and has it, by gsplat."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.functional.gaussians import Gaussians
from worldgauge.functional.scenes import Floats, Masks, Picture, SceneCameras

if TYPE_CHECKING:
    from worldgauge.functional.gaussian_pictures import Cloud

Rasteriser = Literal["torch", "gsplat"]


@dataclass(frozen=True)
class GaussianReconstruction(Instrument):
    """What instruments have in common whose scenes are Gaussians."""

    seat: ClassVar[str] = "reconstruction"
    modules: ClassVar[tuple[str, ...]] = ("torch",)

    rasteriser: Rasteriser = "torch"
    """Who draws: this package in PyTorch, or gsplat, which must be installed and compiles itself at first use."""

    def unavailable(self) -> str | None:
        if self.rasteriser == "gsplat" and importlib.util.find_spec("gsplat") is None:
            return "gsplat is not installed; install it, or draw with rasteriser=torch"
        return super().unavailable()

    def load(self, device: str) -> None:
        self.__dict__["_device"] = device

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def _scene(
        self,
        gaussians: Gaussians,
        cameras: SceneCameras,
        masks: Masks | None,
        sources: Sequence[int] | None,
    ) -> GaussianScene:
        kept = chosen(gaussians, cameras, masks, sources)
        if not len(kept):
            raise Unscored("the scene has no Gaussian")
        return GaussianScene(cameras, kept, self.rasteriser, self.__dict__.get("_device", "cpu"))


def chosen(
    gaussians: Gaussians,
    cameras: SceneCameras,
    masks: Masks | None,
    sources: Sequence[int] | None,
) -> Gaussians:
    """The Gaussians that were seen in the frames `sources` and not where a mask of their frame says."""
    if masks is None and sources is None:
        return gaussians
    if gaussians.frame is None:
        raise Unscored("nobody knows which frame a Gaussian was seen in, so none can be left out")
    kept = np.ones(len(gaussians), bool) if sources is None else np.isin(gaussians.frame, np.asarray(sources))
    for index, mask in enumerate(masks if masks is not None else ()):
        own = np.flatnonzero(kept & (gaussians.frame == index))
        kept[own[_inside(gaussians.means[own], cameras, index, mask)]] = False
    return gaussians.only(kept)


def _inside(
    means: NDArray[np.float32], cameras: SceneCameras, index: int, mask: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which places a camera sees within a mask of its frame."""
    pose, lens = cameras.in_scene(index), cameras.intrinsics[index]
    seen = means @ pose[:3, :3].T + pose[:3, 3]
    z = np.maximum(seen[:, 2], 1e-6)
    height, width = mask.shape
    x = (lens[0, 0] * seen[:, 0] / z + lens[0, 2]) * width / cameras.size[0]
    y = (lens[1, 1] * seen[:, 1] / z + lens[1, 2]) * height / cameras.size[1]
    column, row = (np.clip(at, 0, side - 1).astype(int) for at, side in ((x, width), (y, height)))
    return np.asarray(mask[row, column] & (seen[:, 2] > 0))


@dataclass(frozen=True, eq=False)
class GaussianScene:
    """Gaussians and the cameras that saw them."""

    cameras: SceneCameras
    gaussians: Gaussians
    rasteriser: Rasteriser = "torch"
    device: str = "cpu"

    def render(
        self, world_to_camera: Floats, intrinsics: Floats, size: tuple[int, int]
    ) -> tuple[Picture, NDArray[np.float32]]:
        import torch

        with torch.inference_mode():
            pose, lens = (
                torch.tensor(matrix, dtype=torch.float32, device=self.device)
                for matrix in (world_to_camera, intrinsics)
            )
            if self.rasteriser == "gsplat":
                colours, covered = self._by_gsplat(pose, lens, size)
            else:
                from worldgauge.functional.gaussian_pictures import draw

                colours, covered = draw(self._cloud(), pose, lens, size)
            return colours.cpu().numpy(), covered.cpu().numpy()

    def _cloud(self) -> Cloud:
        """The Gaussians on the device; brought there once."""
        import torch

        from worldgauge.functional.gaussian_pictures import Cloud

        if "_there" not in self.__dict__:
            names = ("means", "quaternions", "scales", "opacities", "harmonics")
            tensors = [torch.from_numpy(np.ascontiguousarray(getattr(self.gaussians, name))) for name in names]
            self.__dict__["_there"] = Cloud(*(tensor.float().to(self.device) for tensor in tensors))
        found: Cloud = self.__dict__["_there"]
        return found

    def _by_gsplat(self, pose: Any, lens: Any, size: tuple[int, int]) -> tuple[Any, Any]:
        rasterization = importlib.import_module("gsplat").rasterization
        cloud = self._cloud()
        colours, covered, _ = rasterization(
            means=cloud.means,
            quats=cloud.quaternions,
            scales=cloud.scales,
            opacities=cloud.opacities,
            colors=cloud.harmonics,
            viewmats=pose[None],
            Ks=lens[None],
            width=size[0],
            height=size[1],
            packed=False,
            sh_degree=self.gaussians.degree,
        )
        return colours[0], covered[0, ..., 0]
