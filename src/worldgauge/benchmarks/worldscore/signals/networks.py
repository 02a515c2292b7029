"""What is asked of networks without a weight-free counterpart: objects, text, quality, perceptual distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.image_fit import squashed
from worldgauge.benchmarks.worldscore.formulas.interpolation_error import dropped_frames
from worldgauge.benchmarks.worldscore.formulas.phrase_matching import asked_objects, detector_caption
from worldgauge.benchmarks.worldscore.signals.weightless import anchors_of, predicted_frames, scenes_of
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.signals.seats import DetectorInstrument, ImageDistance, ImageScore, TextImageInstrument

Image = NDArray[np.uint8]


@signal(version=1, reads=("video", "case"), requires=("extras.content_list",), seat="detector", cost=2.0)
def anchor_detections(clip: Clip, case: Case, detector: DetectorInstrument) -> Arrays:
    """Objects found at the ends of the layouts: `phrases`, one line per detection, one text per anchor."""
    contents = scenes_of(case, "content_list")
    found = []
    for frame, content in zip(anchors_of(clip, case), contents, strict=True):
        objects = asked_objects(content)
        found.append("\n".join(detector.phrases(frame, detector_caption(objects))) if objects else "")
    return {"phrases": np.array(found)}


@signal(version=1, reads=("video", "case"), requires=("extras.prompt_list",), seat="text_image", cost=0.5)
def anchor_text_similarities(clip: Clip, case: Case, network: TextImageInstrument) -> Arrays:
    """Likeness of the frames at the ends of the layouts to the prompts of their scenes."""
    prompts = scenes_of(case, "prompt_list")
    pairs = zip(anchors_of(clip, case), prompts, strict=True)
    return {"score": np.array([network.similarity(squashed(frame), prompt) for frame, prompt in pairs])}


@signal(version=1, reads=("video", "case"), seat="image_quality", cost=0.5)
def anchor_qualities(clip: Clip, case: Case, network: ImageScore) -> Arrays:
    """No-reference quality, 0 to 1, of the frames at the ends of the layouts, squashed to 512x512."""
    return {"score": np.array([network.score(squashed(frame)) for frame in anchors_of(clip, case)])}


@signal(version=1, reads=("video", "case"), seat="aesthetic", cost=0.5)
def anchor_aesthetics(clip: Clip, case: Case, network: ImageScore) -> Arrays:
    """Aesthetic score, 1 to 10, of the frames at the ends of the layouts, squashed to 512x512."""
    return {"score": np.array([network.score(squashed(frame)) for frame in anchors_of(clip, case)])}


@signal(version=1, needs=(predicted_frames(),), seat="perceptual_distance", cost=0.5)
def prediction_distances(clip: Clip, predicted: Arrays, network: ImageDistance) -> Arrays:
    """Perceptual distance of predicted to real frames, one number per prediction."""
    frames = clip.frames()
    pairs = [(predicted["frames"][i], frames[dropped]) for i, (_, dropped, _) in enumerate(dropped_frames(len(frames)))]
    return {"distance": np.array([network.distance(ours, real) for ours, real in pairs])}
