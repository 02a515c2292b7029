"""LPIPS as an instrument: how different two frames look (Zhang et al., 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import Frames, height_and_width
from worldgauge.instruments.neural.read_state import read_state

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.lpips import PictureDistances


@dataclass(frozen=True)
class Lpips(NeuralInstrument):
    """Distance of two frames of one size; 0 for equal ones."""

    seat: ClassVar[str] = "perceptual_distance"
    fast: ClassVar[dict[str, Any]] = {"tf32": "on"}
    backbone: ClassVar[Literal["alex", "vgg"]]
    trunk: ClassVar[str]
    """Id of the classifier's weights; those of the heads have the instrument's name."""
    smallest_side: ClassVar[int]
    """Px; below it a layer has no output."""

    value_range: Literal["signed", "unit"] = "signed"
    """What a byte becomes: -1 to 1, as the network was trained, or 0 to 1, which it was not made for."""
    order: Literal["rgb", "bgr"] = "rgb"
    """Order in which the network sees the channels; it was trained on RGB."""
    normalisation: Literal["lpips", "torchmetrics"] = "lpips"
    """How lengths of features are kept from zero: by 1e-10 beside the length, or by 1e-8 beside its square."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.trunk, self.name)

    def build(self, device: str) -> PictureDistances:
        from worldgauge.instruments.neural.networks import lpips
        from worldgauge.instruments.neural.networks.filled import filled

        files = self.weight_files()
        state = {name: value for part in self.weights for name, value in read_state(files[part]).items()}
        network = filled(partial(lpips.build, self.backbone), state, f"LPIPS ({self.backbone})", lpips.rename)
        how = (self.value_range, self.order, self.normalisation)
        return lpips.PictureDistances(network, *how, device, self.dtype, self.batch, self.tf32)

    def distances(self, images: Frames, references: Frames) -> NDArray[np.float32]:
        """RGB frames (N, H, W, 3), each with one of its size, to (N,)."""
        shapes = [np.shape(frames[0]) if len(frames) else () for frames in (images, references)]
        if len(images) != len(references) or shapes[0] != shapes[1]:
            told = [(len(frames), *shape) for frames, shape in zip((images, references), shapes, strict=True)]
            raise WorldGaugeError(f"{self.name}: frames of shape {told[0]} against {told[1]}", "resize them")
        height, width = height_and_width(images)
        if min(height, width) < self.smallest_side:
            raise Unscored(f"frames of {width}x{height} px; {self.name} needs {self.smallest_side} px on each side")
        found: NDArray[np.float32] = self.network.distances(images, references)
        return found


@dataclass(frozen=True)
class LpipsAlex(Lpips):
    """How different two frames look to AlexNet."""

    name: ClassVar[str] = "lpips_alex"
    backbone: ClassVar[Literal["alex", "vgg"]] = "alex"
    trunk: ClassVar[str] = "alexnet"
    smallest_side: ClassVar[int] = 31
    memory: ClassVar[float] = 0.6
    rate: ClassVar[float | None] = 2780.0


@dataclass(frozen=True)
class LpipsVgg(Lpips):
    """How different two frames look to VGG16."""

    name: ClassVar[str] = "lpips_vgg"
    backbone: ClassVar[Literal["alex", "vgg"]] = "vgg"
    trunk: ClassVar[str] = "vgg16"
    smallest_side: ClassVar[int] = 16
    memory: ClassVar[float] = 6.0
