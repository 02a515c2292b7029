"""The network as what corrects the flow along edges."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.instruments.neural.networks.correlation import Correlation, pixel_grid
from worldgauge.instruments.neural.networks.droid.keyframes import Encoded
from worldgauge.instruments.neural.networks.droid.network import DIVISOR, RADIUS, DroidNetwork, normalised
from worldgauge.instruments.neural.stacks import index_stacks

Numbers = NDArray[np.int64]


class Encoder:
    """A network on a device: frames in, what it keeps of them out."""

    def __init__(self, network: DroidNetwork, device: str = "cpu", dtype: str = "float32", batch: int = 8) -> None:
        self.network = network.to(device).eval()
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.batch = batch

    def numerics(self) -> AbstractContextManager[Any]:
        if self.dtype == torch.float32:
            return nullcontext()
        mixed: AbstractContextManager[Any] = torch.autocast(self.device.type, self.dtype)
        return mixed

    def encoded(self, frames: Sequence[NDArray[np.uint8]]) -> Encoded:
        """All frames (H, W, 3), each once, in stacks of one size."""
        parts: list[tuple[Tensor, Tensor, Tensor]] = []
        for rows, own in index_stacks(len(frames), self.batch):
            # An array's order in memory would choose the convolutions' way of summing, and so the last digits.
            stack = torch.as_tensor(np.stack([frames[row] for row in rows])).to(self.device).contiguous()
            with self.numerics():
                images = normalised(stack)
                hidden, lead = self.network.context(images)
                found = self.network.features(images), hidden, self.network.update.gru.lead(lead)
            parts.append(tuple(part[:own].to(self.dtype) for part in found))
        return Encoded(*(torch.cat(column) for column in zip(*parts, strict=True)))


class NetworkMatcher:
    """Follows `graph.Matcher`. Correlations of lasting edges are kept, those of others are made when asked for."""

    def __init__(self, encoder: Encoder, encoded: Encoded) -> None:
        self.encoder, self.encoded = encoder, encoded
        self._kept: Correlation | None = None

    def begin(self, sources: Numbers, targets: Numbers, lasting: bool) -> Tensor:
        if lasting:
            new = self._correlation(sources, targets)
            if self._kept is not None:
                # One level after the other, so that only one is there twice.
                for level, old in enumerate(self._kept.volumes):
                    new.volumes[level] = torch.cat((old, new.volumes[level]))
                    self._kept.volumes[level] = old[:0]
            self._kept = new
        return self.encoded.hidden[sources]

    def kept(self, rows: Numbers) -> None:
        if not len(rows):
            self._kept = None
        elif self._kept is not None:
            for level, volume in enumerate(self._kept.volumes):
                self._kept.volumes[level] = volume[rows]

    def match(
        self, state: Tensor, sources: Numbers, targets: Numbers, rows: Numbers, places: Tensor, motion: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """As the protocol says; of lasting edges it is always asked about all."""
        correlation = self._kept or self._correlation(sources, targets)
        members = _members(sources).to(places.device)
        update = self.encoder.network.update
        with self.encoder.numerics():
            edge = update(state, self.encoded.gates[sources], correlation.lookup(places), motion)
            damping = update.damping(edge.hidden, members)
        return edge.hidden.to(state.dtype), edge.delta, edge.weight, damping

    def movement(self, before: int, after: int) -> float:
        """About how far the picture moved between two frames, px of the feature map, by a single update."""
        pair = np.array([before]), np.array([after])
        hidden = self.encoded.hidden[pair[0]]
        places = pixel_grid(hidden)
        with self.encoder.numerics():
            windows = self._correlation(*pair).lookup(places)
            motion = places.new_zeros(1, 4, *places.shape[2:])
            edge = self.encoder.network.update(hidden, self.encoded.gates[pair[0]], windows, motion)
        return float(edge.delta.norm(dim=1).mean())

    def _correlation(self, sources: Numbers, targets: Numbers) -> Correlation:
        features = self.encoded.features
        return Correlation(features[sources], features[targets], RADIUS, DIVISOR)


def _members(sources: Numbers) -> Tensor:
    """(M, E): one row per source frame, which takes the mean of its edges."""
    rows, of, counts = np.unique(sources, return_inverse=True, return_counts=True)
    shares = np.zeros((len(rows), len(sources)), np.float32)
    shares[of, np.arange(len(sources))] = 1 / counts[of]
    return torch.from_numpy(shares)
