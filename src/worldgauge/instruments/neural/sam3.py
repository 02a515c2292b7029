"""SAM 3 as an instrument: all masks that a phrase may mean in a frame (Carion et al., 2025)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.pretrained import config_beside
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.neural.words import ClipWords

NETWORK, WORDS = "sam3", "clip_words"


@dataclass(frozen=True)
class Sam3(NeuralInstrument):
    """Every mask in a frame that a phrase may mean, with its score, by SAM 3's picture side."""

    seat: ClassVar[str] = "segmenter"
    name: ClassVar[str] = "sam3"
    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    memory: ClassVar[float] = 8.0

    batch: int = 1

    @property
    def weights(self) -> tuple[str, ...]:
        return (NETWORK, WORDS)

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.sam3 import Segmenter, sam3_from

        files = self.weight_files()
        network = sam3_from(read_state(files[NETWORK]), config_beside(files[NETWORK]))
        words = ClipWords(files[WORDS])
        if words.size > network.config.text_config.vocab_size:
            raise WorldGaugeError(
                f"{files[WORDS].name} makes {words.size} words, {NETWORK} knows "
                f"{network.config.text_config.vocab_size}",
                "give the vocabulary that belongs to the weights",
            )
        return Segmenter(network, device, self.dtype, self.batch), words

    def segment(
        self, frames: NDArray[np.uint8], phrases: Sequence[str], threshold: float
    ) -> list[tuple[NDArray[np.bool_], NDArray[np.float32]]]:
        """Per RGB frame (H, W, 3) the masks (K, H, W) that its phrase may mean, and the score, above the threshold, of
        each: that of the query times that of the phrase being there at all."""
        segmenter, words = self.network
        tokens = words.tokens(phrases, segmenter.longest_text, "keep_end")
        # The end token stands once in a row; what follows it is filling.
        lengths = (tokens == words.size - 1).argmax(1) + 1
        found: list[tuple[NDArray[np.bool_], NDArray[np.float32]]] = segmenter.segment(
            frames, tokens, lengths, threshold
        )
        return found
