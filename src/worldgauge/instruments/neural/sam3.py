"""SAM 3 as an instrument: all masks that a phrase may mean in a frame (Carion et al., 2025)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
class Sam3Instrument(NeuralInstrument):
    """What both sides of SAM 3 have in common: one file of weights, and phrases in CLIP's byte pairs."""

    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")

    batch: int = 1

    @property
    def weights(self) -> tuple[str, ...]:
        return (NETWORK, WORDS)

    def words(self, known: int) -> ClipWords:
        """The vocabulary; the network knows so many words."""
        file = self.weight_files()[WORDS]
        words = ClipWords(file)
        if words.size > known:
            raise WorldGaugeError(
                f"{file.name} makes {words.size} words, {NETWORK} knows {known}",
                "give the vocabulary that belongs to the weights",
            )
        return words


def phrase_tokens(
    words: ClipWords, phrases: Sequence[str], longest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token numbers (N, longest), and how many of each row are its phrase's: what follows the end is filling."""
    tokens = words.tokens(phrases, longest, "keep_end")
    return tokens, (tokens == words.size - 1).argmax(1) + 1


@dataclass(frozen=True)
class Sam3(Sam3Instrument):
    """Every mask in a frame that a phrase may mean, with its score, by SAM 3's picture side."""

    seat: ClassVar[str] = "segmenter"
    name: ClassVar[str] = "sam3"
    memory: ClassVar[float] = 8.0

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.sam3 import Segmenter, sam3_from

        file = self.weight_files()[NETWORK]
        network = sam3_from(read_state(file), config_beside(file))
        words = self.words(network.config.text_config.vocab_size)
        return Segmenter(network, device, self.dtype, self.batch), words

    def segment(
        self, frames: NDArray[np.uint8], phrases: Sequence[str], threshold: float
    ) -> list[tuple[NDArray[np.bool_], NDArray[np.float32]]]:
        """Per RGB frame (H, W, 3) the masks (K, H, W) that its phrase may mean, and the score, above the threshold, of
        each: that of the query times that of the phrase being there at all."""
        segmenter, words = self.network
        tokens, lengths = phrase_tokens(words, phrases, segmenter.longest_text)
        found: list[tuple[NDArray[np.bool_], NDArray[np.float32]]] = segmenter.segment(
            frames, tokens, lengths, threshold
        )
        return found


@dataclass(frozen=True)
class Sam3Video(Sam3Instrument):
    """Everything in a clip that a phrase means, followed through it, by SAM 3's side for videos at 1008 px.

    It keeps to the authors' own settings. Code that runs SAM 3 through another package, at another size and with that
    package's rules, is another instrument.
    """

    seat: ClassVar[str] = "phrase_follower"
    name: ClassVar[str] = "sam3_video"
    memory: ClassVar[float] = 12.0

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.sam3_video import PhraseFollowing, sam3_video_from

        file = self.weight_files()[NETWORK]
        network = sam3_video_from(read_state(file), config_beside(file))
        words = self.words(network.config.detector_config.text_config.vocab_size)
        return PhraseFollowing(network, device, self.dtype), words

    def followed_phrase(
        self, frames: Sequence[NDArray[np.uint8]], phrase: str
    ) -> Iterator[dict[int, tuple[NDArray[np.bool_], float]]]:
        """Frame by frame the objects that a phrase means, by a number they keep: mask (H, W) and score."""
        network, words = self.network
        tokens, lengths = phrase_tokens(words, [phrase], network.longest_text)
        yield from network.followed(frames, phrase, tokens[0], int(lengths[0]))
