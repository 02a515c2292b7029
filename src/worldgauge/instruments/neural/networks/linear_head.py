"""The head that turns a vector into one number: five linear layers, no activation between them.

LAION's aesthetic predictor and ImageReward both have it. In training there is dropout after the first three layers;
it has a number and no parameter in the published files.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.layouts import shape_of

LAYERS = ("0", "2", "4", "6", "7")


class LinearHead(nn.Module):
    """(N, D) to (N,)."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        pairs = zip(LAYERS, widths, widths[1:], strict=False)
        self.layers = nn.ModuleDict({name: nn.Linear(before, after) for name, before, after in pairs})

    @classmethod
    def like(cls, state: Mapping[str, Tensor], network: str, prefix: str = "") -> LinearHead:
        """An unfilled one of the size that a checkpoint's entries below `prefix` have."""
        shapes = [shape_of(state, f"{prefix}layers.{name}.weight", network) for name in LAYERS]
        return cls((shapes[0][1], *(shape[0] for shape in shapes)))

    def forward(self, x: Tensor) -> Tensor:
        # One layer after the other: folding them into one would change the last bits.
        for layer in self.layers.values():
            x = layer(x)
        return x[:, 0]


def aesthetic_from(state: Mapping[str, Tensor]) -> LinearHead:
    """LAION's aesthetic predictor out of its file."""
    network = "the LAION aesthetic predictor"
    return filled(lambda: LinearHead.like(state, network), state, network)
