"""CLIP as an instrument: how well a frame fits a text, and one vector for a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.loaded import NeuralInstrument, shared
from worldgauge.instruments.neural.preparing import Frames
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.neural.words import ClipWords, LongText

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.clip_encoder import ClipEncoder
    from worldgauge.instruments.neural.networks.on_device import Tf32

WORDS = "clip_words"
OPENAI = "openai"


def clip_encoder(
    path: Path, activation: Literal["quick_gelu", "gelu"], device: str, dtype: str, batch: int, tf32: Tf32 = "default"
) -> ClipEncoder:
    """CLIP out of a file, the same object for all who ask for the same."""
    from worldgauge.instruments.neural.networks.clip import clip_from
    from worldgauge.instruments.neural.networks.clip_encoder import ClipEncoder

    def build() -> ClipEncoder:
        module = clip_from(read_state(path), activation, f"CLIP ({path.name})")
        return ClipEncoder(module, device, dtype, batch, tf32)

    return shared((ClipEncoder, path, path.stat().st_mtime_ns, activation, device, dtype, batch, tf32), build)


@dataclass(frozen=True)
class ClipInstrument(NeuralInstrument):
    """CLIP of OpenAI, or of another training with the same architecture."""

    checkpoint: ClassVar[str]
    """Id of OpenAI's weights; other trainings have their name behind it."""

    training: str = OPENAI
    """Who trained it on what: `openai`, or `laion2b` for OpenCLIP's."""
    activation: Literal["as_trained", "quick_gelu", "gelu"] = "as_trained"
    """OpenAI trained with the quick approximation of GELU, OpenCLIP with GELU. Some releases of open_clip run OpenAI's
    weights with GELU all the same."""

    @property
    def image_weights(self) -> str:
        return self.checkpoint if self.training == OPENAI else f"{self.checkpoint}_{self.training}"

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.image_weights,)

    def encoder(self, device: str) -> ClipEncoder:
        trained: Literal["quick_gelu", "gelu"] = "quick_gelu" if self.training == OPENAI else "gelu"
        activation = trained if self.activation == "as_trained" else self.activation
        return clip_encoder(
            self.weight_files()[self.image_weights], activation, device, self.dtype, self.batch, self.tf32
        )


@dataclass(frozen=True)
class ClipEmbedding(ClipInstrument):
    """One unit vector per frame: shorter side to 224 px by Pillow, centre crop, CLIP's picture side."""

    seat: ClassVar[str] = "image_embedding"

    def build(self, device: str) -> Any:
        return self.encoder(device)

    def embeddings(self, frames: Frames) -> NDArray[np.float32]:
        """RGB frames (N, H, W, 3) to unit vectors (N, D)."""
        from worldgauge.instruments.neural.networks.clip_encoder import unit

        return unit(self.network.images(frames))


@dataclass(frozen=True)
class ClipSimilarity(ClipInstrument):
    """100 times the cosine of a frame and a text, not below 0, as torchmetrics has CLIPScore; as published (Hessel et
    al., 2021) that is 2.5 times the cosine."""

    seat: ClassVar[str] = "text_image"
    modules: ClassVar[tuple[str, ...]] = ("torch", "transformers")

    long_text: LongText = "lose_end"
    """What becomes of a text of more than 77 tokens. `lose_end`: cut without an end token, as torchmetrics does it;
    all such texts then have one and the same vector. `keep_end`: cut before an end token."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.image_weights, WORDS)

    def build(self, device: str) -> Any:
        encoder, path = self.encoder(device), self.weight_files()[WORDS]
        words = shared((ClipWords, path, path.stat().st_mtime_ns), lambda: ClipWords(path))
        if words.size != encoder.module.end + 1:
            raise WorldGaugeError(
                f"{path.name} makes {words.size} words, {self.image_weights} knows {encoder.module.end + 1}",
                "give the vocabulary that belongs to the weights",
            )
        return encoder, words

    def similarities(self, frames: Frames, texts: Sequence[str]) -> NDArray[np.float64]:
        """RGB frames (N, H, W, 3), each with its text, to (N,)."""
        from worldgauge.instruments.neural.networks.clip_encoder import unit

        encoder, words = self.network
        different = sorted(set(texts))
        features = unit(encoder.texts(words.tokens(different, encoder.module.context, self.long_text)))
        own = features[[different.index(text) for text in texts]]
        cosines = np.sum(unit(encoder.images(frames)) * own, -1, dtype=np.float64)
        return np.maximum(100 * cosines, 0.0)

    def tokens_of(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has with its start and its end; what it does not take is lost."""
        _, words = self.network
        longest = 1 + max((len(text) for text in texts), default=0) + 1
        rows = words.tokens(list(texts), longest, "keep_end")
        return [int((row == words.size - 1).argmax()) + 1 for row in rows]

    @property
    def most_tokens(self) -> int:
        """Tokens of a text that the network takes."""
        return int(self.network[0].module.context)


@dataclass(frozen=True)
class ClipB32(ClipEmbedding):
    """One unit vector per frame, by CLIP ViT-B/32."""

    name: ClassVar[str] = "clip_b32"
    checkpoint: ClassVar[str] = "clip_b32"
    memory: ClassVar[float] = 0.9
    rate: ClassVar[float | None] = 2000.0


@dataclass(frozen=True)
class ClipB16Image(ClipEmbedding):
    """One unit vector per frame, by CLIP ViT-B/16."""

    name: ClassVar[str] = "clip_b16_image"
    checkpoint: ClassVar[str] = "clip_b16"
    memory: ClassVar[float] = 1.0


@dataclass(frozen=True)
class ClipL14Image(ClipEmbedding):
    """One unit vector per frame, by CLIP ViT-L/14."""

    name: ClassVar[str] = "clip_l14_image"
    checkpoint: ClassVar[str] = "clip_l14"
    memory: ClassVar[float] = 2.4


@dataclass(frozen=True)
class ClipRn50Image(ClipEmbedding):
    """One unit vector per frame, by CLIP RN50."""

    name: ClassVar[str] = "clip_rn50_image"
    version: ClassVar[int] = 2
    checkpoint: ClassVar[str] = "clip_rn50"
    memory: ClassVar[float] = 0.9


@dataclass(frozen=True)
class ClipB16(ClipSimilarity):
    """100 times the cosine of a frame and a text by CLIP ViT-B/16, not below 0."""

    name: ClassVar[str] = "clip_b16"
    checkpoint: ClassVar[str] = "clip_b16"
    memory: ClassVar[float] = 1.0
    rate: ClassVar[float | None] = 743.0


@dataclass(frozen=True)
class ClipB32Text(ClipSimilarity):
    """100 times the cosine of a frame and a text by CLIP ViT-B/32, not below 0."""

    name: ClassVar[str] = "clip_b32_text"
    checkpoint: ClassVar[str] = "clip_b32"
    memory: ClassVar[float] = 0.9


@dataclass(frozen=True)
class ClipL14Text(ClipSimilarity):
    """100 times the cosine of a frame and a text by CLIP ViT-L/14, not below 0."""

    name: ClassVar[str] = "clip_l14_text"
    checkpoint: ClassVar[str] = "clip_l14"
    memory: ClassVar[float] = 2.4


@dataclass(frozen=True)
class ClipRn50Text(ClipSimilarity):
    """100 times the cosine of a frame and a text by CLIP RN50, not below 0."""

    name: ClassVar[str] = "clip_rn50_text"
    version: ClassVar[int] = 2
    checkpoint: ClassVar[str] = "clip_rn50"
    memory: ClassVar[float] = 0.9
