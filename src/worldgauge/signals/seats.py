"""What the seats offer that have no signal of their own here: the protocols networks and their stand-ins follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


class ImageScore(Protocol):
    """What the seats `aesthetic` and `image_quality` offer."""

    def score(self, image: Image) -> float:
        """A number for one RGB frame (H, W, 3)."""


class ImageDistance(Protocol):
    """What the seat `perceptual_distance` offers."""

    def distance(self, image: Image, reference: Image, *, unsigned: bool = False) -> float:
        """How unlike two RGB frames of one size look; 0 for equal ones.

        `unsigned`: the levels go in as [0, 1], as some codes feed networks that were trained on [-1, 1].
        """


class PromptReward(Protocol):
    """What the seat `prompt_reward` offers."""

    def reward(self, prompt: str, image: Image) -> float:
        """How well a frame answers a prompt; unbounded."""


class ImageEmbedding(Protocol):
    """What the seat `image_embedding` offers."""

    def embed(self, image: Image) -> NDArray[np.float32]:
        """One unit vector (D,) for a whole frame."""


class DetectorInstrument(Protocol):
    """What the seat `detector` offers."""

    def phrases(self, image: Image, caption: str) -> list[str]:
        """The phrases of the caption found in an RGB image, each with its confidence: `lamp(0.51)`."""


class SegmenterInstrument(Protocol):
    """What the seat `segmenter` offers."""

    def segment(
        self, image: Image, phrase: str, threshold: float
    ) -> tuple[NDArray[np.bool_], Sequence[float] | NDArray[np.float32]]:
        """Masks (K, H, W) of everything in an RGB image that the phrase may mean, and the score, above the threshold,
        of each."""


class TextImageInstrument(Protocol):
    """What the seat `text_image` offers."""

    def similarity(self, image: Image, text: str) -> float:
        """100 times the cosine of an RGB image and a text, not below 0."""


class TaggerInstrument(Protocol):
    """What the seat `tagger` offers."""

    def nouns(self, phrase: str) -> set[str]:
        """The nouns and names of a phrase, each one word of it."""


class StyleFeaturesInstrument(Protocol):
    """What the seat `style_features` offers."""

    def features(self, image: Image) -> Sequence[NDArray[np.float32]]:
        """Feature maps (C, h, w), one per layer, of an RGB image (H, W, 3)."""


class InterpolationInstrument(Protocol):
    """What the seat `interpolation` offers."""

    def between(self, before: Image, after: Image) -> Image:
        """The RGB frame halfway between two (H, W, 3)."""


class ImageDepthInstrument(Protocol):
    """What the seat `image_depth` offers."""

    def depth(self, image: Image) -> NDArray[np.float32]:
        """Depth (h, w) of one RGB frame (H, W, 3), of any scale and offset."""
