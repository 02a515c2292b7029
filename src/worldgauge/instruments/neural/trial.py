"""Asking a network something of the largest size it will see, so that a lack of memory shows before the first case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from worldgauge.core.errors import Outcome

_ASKED: dict[str, Callable[[Any, Any], Any]] = {
    "flow": lambda network, frames: list(network.stacks_in_place(frames, [(0, 1)] * len(frames))),
    "perceptual_distance": lambda network, frames: network.distances(frames, frames),
    "prompt_reward": lambda network, frames: network.rewards(["a trial"] * len(frames), frames),
    "text_image": lambda network, frames: network.similarities(frames, ["a trial"] * len(frames)),
    "image_embedding": lambda network, frames: network.embeddings(frames),
    "embedding": lambda network, frames: network.embeddings(frames),
    "aesthetic": lambda network, frames: network.scores(frames),
    "image_quality": lambda network, frames: network.scores(frames),
    "style_features": lambda network, frames: network.grams(frames),
    "image_depth": lambda network, frames: network.depths(frames),
}


def try_out(network: Any, width: int, height: int) -> None:
    """One stack of noise through a network of a known seat; what refuses the size is not asked for it later either."""
    ask = _ASKED.get(network.seat)
    if ask is None:
        return
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 256, (height, width, 3), np.uint8) for _ in range(max(2, network.batch))]
    try:
        ask(network, frames)
    except Outcome:
        return
    finally:
        network.forget()
