"""The convolutions of AlexNet and VGG, numbered as in torchvision's files; their classifiers are not needed here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from torch import Tensor, nn

from worldgauge.instruments.neural.state import Rename

Width = int | Literal["pool"]

VGG19_START: tuple[Width, ...] = (64, 64, "pool", 128, 128, "pool", 256)
"""The first five of VGG19's sixteen convolutions."""
VGG16: tuple[Width, ...] = (*VGG19_START, 256, 256, "pool", 512, 512, 512, "pool", 512, 512, 512)


class Trunk(nn.Module):
    """A chain of layers of which some outputs are kept; nothing runs beyond the last of them."""

    def __init__(self, layers: Sequence[nn.Module], taps: Sequence[int]) -> None:
        super().__init__()
        self.features = nn.Sequential(*layers[: max(taps) + 1])
        self.taps = frozenset(taps)

    def outputs(self, images: Tensor) -> list[Tensor]:
        """Outputs (N, C, h, w) of the layers at `taps`, for pictures (N, 3, H, W)."""
        kept = []
        for index, layer in enumerate(self.features):
            images = layer(images)
            if index in self.taps:
                kept.append(images)
        return kept


def alexnet() -> list[nn.Module]:
    """AlexNet's five convolutions and what stands between them."""
    return [
        *(nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(64, 192, 5, 1, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
        *(nn.Conv2d(192, 384, 3, 1, 1), nn.ReLU()),
        *(nn.Conv2d(384, 256, 3, 1, 1), nn.ReLU()),
        *(nn.Conv2d(256, 256, 3, 1, 1), nn.ReLU()),
    ]


def vgg(widths: Sequence[Width]) -> list[nn.Module]:
    """3x3 convolutions of the given widths, each rectified, and the halvings between them."""
    layers: list[nn.Module] = []
    channels = 3
    for width in widths:
        if width == "pool":
            layers.append(nn.MaxPool2d(2, 2))
        else:
            layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
            channels = width
    return layers


def without_rest(last: int) -> Rename:
    """Names of a classifier's file, without its classifier and the convolutions after number `last`."""

    def rename(name: str) -> str | None:
        number = re.fullmatch(r"features\.(\d+)\.(weight|bias)", name)
        beyond = number is not None and int(number[1]) > last
        return None if beyond or name.startswith("classifier.") else name

    return rename
