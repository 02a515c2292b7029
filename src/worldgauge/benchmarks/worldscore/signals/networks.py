"""What is asked of networks without a weight-free counterpart: objects, text, quality, perceptual distance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from worldgauge.core.stacks import in_stacks
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

    def ask(frames: Sequence[Image], contents: Sequence[str]) -> list[str]:
        objects = [asked_objects(content) for content in contents]
        asked = [k for k, of_frame in enumerate(objects) if of_frame]
        captions = [detector_caption(objects[k]) for k in asked]
        found = in_stacks(detector, detector.phrases, [frames[k] for k in asked], captions)
        lines = {k: "\n".join(phrases) for k, phrases in zip(asked, found, strict=True)}
        return [lines.get(k, "") for k in range(len(contents))]

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

    def ask(frames: Sequence[Image], prompts: Sequence[str]) -> list[float]:
        rows = in_stacks(network, network.similarities, [squashed(frame) for frame in frames], prompts)
        return [float(row) for row in rows]

    return {name: np.array(found) for name, found in _asked(clip, case, "prompt_list", ask).items()}


def _asked(
    clip: Clip, case: Case, name: str, ask: Callable[[Sequence[Image], Sequence[str]], list[T]]
) -> dict[Protocol, list[T]]:
    """The answers for every anchor under both protocols; a question is asked once."""
    entries = list(zip(scenes_of(case, name), entered_of(case, name), strict=True))
    frames = list(anchors_of(clip, case))
    questions = [(frame, entry) for frame, (entry, _) in zip(frames, entries, strict=True)]
    others = [k for k, (entry, other) in enumerate(entries) if other != entry]
    questions += [(frames[k], entries[k][1]) for k in others]
    answers = ask(*zip(*questions, strict=True))
    released = answers[: len(entries)]
    again = dict(zip(others, answers[len(entries) :], strict=True))
    return {"released": released, "paper": [again.get(k, answer) for k, answer in enumerate(released)]}


@signal(version=1, reads=("video", "case"), seat="image_quality", cost=0.5)
def anchor_qualities(clip: Clip, case: Case, network: ImageScore) -> Arrays:
    """No-reference quality, 0 to 1, of the frames at the ends of the layouts, squashed to 512x512."""
    return {"score": _scores(clip, case, network)}


@signal(version=1, reads=("video", "case"), seat="aesthetic", cost=0.5)
def anchor_aesthetics(clip: Clip, case: Case, network: ImageScore) -> Arrays:
    """Aesthetic score, 1 to 10, of the frames at the ends of the layouts, squashed to 512x512."""
    return {"score": _scores(clip, case, network)}


def _scores(clip: Clip, case: Case, network: ImageScore) -> NDArray[np.float64]:
    frames = [squashed(frame) for frame in anchors_of(clip, case)]
    return np.array(in_stacks(network, network.scores, frames), np.float64)


@signal(version=3, needs=(predicted_frames(),), seat="perceptual_distance", cost=1.0)
def prediction_distances(clip: Clip, predicted: Arrays, network: ImageDistance) -> Arrays:
    """Perceptual distance of predicted to real frames, one number per prediction: `distance`.

    How the released code feeds its network, red and blue exchanged, is a parameter of the official instrument.
    """
    frames = clip.frames()
    real = [frames[dropped] for _, dropped, _ in dropped_frames(len(frames))]
    return {"distance": np.array(in_stacks(network, network.distances, predicted["frames"], real), np.float64)}
