"""ImageReward: how well a frame answers a prompt, as people preferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import Frames
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.neural.words import RewardWords

NETWORK, WORDS = "image_reward", "bert_words"


@dataclass(frozen=True)
class ImageRewardInstrument(NeuralInstrument):
    """Reward, unbounded, about 0 with deviation 1, of a frame for the first 35 tokens of a prompt."""

    seat: ClassVar[str] = "prompt_reward"
    name: ClassVar[str] = "image_reward"
    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    memory: ClassVar[float] = 2.5
    rate: ClassVar[float | None] = 224.0

    @property
    def weights(self) -> tuple[str, ...]:
        return (NETWORK, WORDS)

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.image_reward import RewardEncoder, image_reward_from

        files = self.weight_files()
        module = image_reward_from(read_state(files[NETWORK]))
        return RewardEncoder(module, device, self.dtype, self.batch, self.tf32), RewardWords(files[WORDS])

    def rewards(self, prompts: Sequence[str], frames: Frames) -> NDArray[np.float32]:
        """RGB frames (N, H, W, 3), each with its prompt, to (N,)."""
        encoder, words = self.network
        tokens, mask = words.tokens(prompts)
        found: NDArray[np.float32] = encoder.rewards(frames, tokens, mask)
        return found
