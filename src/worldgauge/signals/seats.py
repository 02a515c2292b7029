"""What the seats offer that have no signal of their own here: the protocols networks and their stand-ins follow.

A stack in, a stack out: RGB frames (N, H, W, 3) of one size, and an answer for each of them that rests on it alone.
`core.stacks` walks a clip in stacks of an instrument's own size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.stacks import InStacks
from worldgauge.functional.perspective import Perspective
from worldgauge.functional.scenes import Frames, Masks, Scene, SceneCameras

Images = NDArray[np.uint8]
Numbers = NDArray[np.float32] | NDArray[np.float64]


class ImageScore(InStacks, Protocol):
    """What the seats `aesthetic` and `image_quality` offer."""

    def scores(self, frames: Images) -> Numbers:
        """A number per frame, (N,)."""


class ImageDistance(InStacks, Protocol):
    """What the seat `perceptual_distance` offers."""

    def distances(self, frames: Images, references: Images) -> Numbers:
        """How unlike each frame and its reference look, (N,); 0 for equal ones."""


class PromptReward(InStacks, Protocol):
    """What the seat `prompt_reward` offers."""

    def rewards(self, prompts: Sequence[str], frames: Images) -> Numbers:
        """How well each frame answers its prompt, (N,); unbounded."""


class ImageEmbedding(InStacks, Protocol):
    """What the seat `image_embedding` offers."""

    def embeddings(self, frames: Images) -> NDArray[np.float32]:
        """A unit vector per frame, (N, D)."""


class DetectorInstrument(InStacks, Protocol):
    """What the seat `detector` offers."""

    def phrases(self, frames: Images, captions: Sequence[str]) -> Sequence[Sequence[str]]:
        """Per frame the phrases of its caption found in it, each with its confidence: `lamp(0.51)`."""


class SegmenterInstrument(InStacks, Protocol):
    """What the seat `segmenter` offers."""

    def segment(
        self, frames: Images, phrases: Sequence[str], threshold: float
    ) -> Sequence[tuple[NDArray[np.bool_], Sequence[float] | NDArray[np.float32]]]:
        """Per frame the masks (K, H, W) of everything in it that its phrase may mean, and the score, above the
        threshold, of each."""


class MaskFollower(InStacks, Protocol):
    """What the seat `mask_follower` offers."""

    def followed(self, frames: Sequence[Images], masks: Sequence[NDArray[np.bool_]]) -> Iterator[NDArray[np.bool_]]:
        """Frame by frame where any of the objects is, (H, W). `frames` are RGB frames (H, W, 3) of one size; `masks`,
        one per object, show them in the first of them and are squashed onto it where they are of another size."""


class PhraseFollower(InStacks, Protocol):
    """What the seat `phrase_follower` offers."""

    def followed_phrase(
        self, frames: Sequence[Images], phrase: str
    ) -> Iterator[Mapping[int, tuple[NDArray[np.bool_], float]]]:
        """Frame by frame the objects that a phrase means, by a number they keep: mask (H, W) and score."""


class TextImageInstrument(InStacks, Protocol):
    """What the seat `text_image` offers."""

    def similarities(self, frames: Images, texts: Sequence[str]) -> Numbers:
        """100 times the cosine of each frame and its text, not below 0, (N,)."""


class TaggerInstrument(Protocol):
    """What the seat `tagger` offers."""

    def nouns(self, phrase: str) -> set[str]:
        """The nouns and names of a phrase, each one word of it."""


class PerspectiveInstrument(InStacks, Protocol):
    """What the seat `perspective` offers."""

    def views(self, frames: Images) -> Sequence[Perspective]:
        """Roll, pitch and vertical field of view of each frame, degrees; None for what cannot be told."""


class StyleFeaturesInstrument(InStacks, Protocol):
    """What the seat `style_features` offers."""

    def grams(self, frames: Images) -> tuple[Numbers, ...]:
        """Gram matrices (N, C, C) of feature maps, divided by the number of values in a map; one stack per layer."""


class InterpolationInstrument(InStacks, Protocol):
    """What the seat `interpolation` offers."""

    def between(self, befores: Images, afters: Images) -> Images:
        """The frame halfway between each two."""


class ImageDepthInstrument(InStacks, Protocol):
    """What the seat `image_depth` offers."""

    def depths(self, frames: Images) -> NDArray[np.float32]:
        """Depth (N, h, w), of any scale and offset."""


class ReconstructionInstrument(Protocol):
    """What the seat `reconstruction` offers."""

    def reconstruct(
        self,
        frames: Frames,
        cameras: SceneCameras,
        *,
        masks: Masks | None = None,
        sources: Sequence[int] | None = None,
        name: str = "",
    ) -> Scene:
        """A static scene of RGB frames (H, W, 3) of one size. `cameras` are known ones of these frames; who finds its
        own does not use them. Nothing marked by `masks` (H, W) becomes part of the scene. `sources` are the frames it
        is made of, all of them where nothing is said; it has the cameras of all. `name` is that of the clip's file."""


class OnePassReconstruction(ReconstructionInstrument, Protocol):
    """What an instrument of the seat `reconstruction` offers besides, where its pass finds the cameras too."""

    cameras_by: str
    """Name of the instrument of the seat `poses` that is the same network."""

    def one_pass(self, frames: Frames) -> Mapping[str, NDArray[Any]]:
        """What one pass gives: the camera path as the `poses` signal has it, and what `scene_of` needs."""

    def scene_of(
        self, found: Mapping[str, NDArray[Any]], *, masks: Masks | None = None, sources: Sequence[int] | None = None
    ) -> Scene:
        """The scene of a pass, as `reconstruct` gives it."""
