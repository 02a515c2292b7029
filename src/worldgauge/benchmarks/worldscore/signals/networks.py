"""What is asked of networks without a weight-free counterpart: objects, text, quality, perceptual distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.image_fit import squashed
from worldgauge.benchmarks.worldscore.formulas.interpolation_error import dropped_frames
from worldgauge.benchmarks.worldscore.formulas.phrase_matching import asked_objects, detector_caption, plain_phrase
from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.signals.weightless import anchors_of, entered_of, predicted_frames, scenes_of
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.signals.seats import (
    DetectorInstrument,
    ImageDistance,
    ImageScore,
    TaggerInstrument,
    TextImageInstrument,
)

Image = NDArray[np.uint8]
T = TypeVar("T")


@signal(version=2, reads=("video", "case"), requires=("extras.content_list",), seat="detector", cost=2.0)
def anchor_detections(clip: Clip, case: Case, detector: DetectorInstrument) -> Arrays:
    """Objects found at the ends of the layouts, one text per anchor and in it one line per detection.

    `released`: asked for by the entry of each scene; `paper`: by that of the scene a layout stays in.
    """

    def ask(frame: Image, content: str) -> str:
        objects = asked_objects(content)
        return "\n".join(detector.phrases(frame, detector_caption(objects))) if objects else ""

    return {name: np.array(found) for name, found in _asked(clip, case, "content_list", ask).items()}


@signal(
    version=1,
    reads=("case",),
    requires=("extras.content_list",),
    needs=(anchor_detections(),),
    seat="tagger",
    cost=0.0,
)
def anchor_nouns(case: Case, found: Arrays, tagger: TaggerInstrument) -> Arrays:
    """Nouns of the objects asked for and of what was detected: `phrase`, and under the same number its `nouns`."""
    asked = {item for content in scenes_of(case, "content_list") for item in asked_objects(content)}
    detected = {plain_phrase(line) for texts in found.values() for text in texts for line in str(text).splitlines()}
    # Word pieces are matched by their letters.
    phrases = sorted(asked | {phrase for phrase in detected if "##" not in phrase})
    nouns = [" ".join(sorted(tagger.nouns(phrase))) for phrase in phrases]
    return {"phrase": np.array(phrases, dtype=np.str_), "nouns": np.array(nouns, dtype=np.str_)}


@signal(version=2, reads=("video", "case"), requires=("extras.prompt_list",), seat="text_image", cost=0.5)
def anchor_text_similarities(clip: Clip, case: Case, network: TextImageInstrument) -> Arrays:
    """Likeness of the frames at the ends of the layouts to the prompts of their scenes.

    `released`: to the prompt of each scene; `paper`: to that of the scene a layout stays in.
    """

    def ask(frame: Image, prompt: str) -> float:
        return network.similarity(squashed(frame), prompt)

    return {name: np.array(found) for name, found in _asked(clip, case, "prompt_list", ask).items()}


def _asked(clip: Clip, case: Case, name: str, ask: Callable[[Image, str], T]) -> dict[Protocol, list[T]]:
    """The answers for every anchor under both protocols; a question is asked once."""
    released, paper = [], []
    entries = zip(scenes_of(case, name), entered_of(case, name), strict=True)
    for frame, (entry, other) in zip(anchors_of(clip, case), entries, strict=True):
        answer = ask(frame, entry)
        released.append(answer)
        paper.append(answer if other == entry else ask(frame, other))
    return {"released": released, "paper": paper}


@signal(version=1, reads=("video", "case"), seat="image_quality", cost=0.5)
def anchor_qualities(clip: Clip, case: Case, network: ImageScore) -> Arrays:
    """No-reference quality, 0 to 1, of the frames at the ends of the layouts, squashed to 512x512."""
    return {"score": np.array([network.score(squashed(frame)) for frame in anchors_of(clip, case)])}


@signal(version=1, reads=("video", "case"), seat="aesthetic", cost=0.5)
def anchor_aesthetics(clip: Clip, case: Case, network: ImageScore) -> Arrays:
    """Aesthetic score, 1 to 10, of the frames at the ends of the layouts, squashed to 512x512."""
    return {"score": np.array([network.score(squashed(frame)) for frame in anchors_of(clip, case)])}


@signal(version=3, needs=(predicted_frames(),), seat="perceptual_distance", cost=1.0)
def prediction_distances(clip: Clip, predicted: Arrays, network: ImageDistance) -> Arrays:
    """Perceptual distance of predicted to real frames, one number per prediction.

    `released`: red and blue exchanged and levels in [0, 1], as the code feeds its network; `paper`: as it was trained.
    """
    frames = clip.frames()
    pairs = [(predicted["frames"][i], frames[dropped]) for i, (_, dropped, _) in enumerate(dropped_frames(len(frames)))]
    return {
        "released": np.array([network.distance(*map(_exchanged, pair), unsigned=True) for pair in pairs]),
        "paper": np.array([network.distance(ours, real) for ours, real in pairs]),
    }


def _exchanged(image: Image) -> Image:
    return np.ascontiguousarray(image[..., ::-1])
