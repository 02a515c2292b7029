"""Metrics that rest on networks without a weight-free counterpart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.interpolation_error import predicted_numbers
from worldgauge.benchmarks.worldscore.formulas.phrase_matching import asked_objects, detection_rate
from worldgauge.benchmarks.worldscore.formulas.protocols import FAILED, Protocol
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import INTRA_LAYOUTS
from worldgauge.benchmarks.worldscore.signals.networks import (
    anchor_aesthetics,
    anchor_detections,
    anchor_nouns,
    anchor_qualities,
    anchor_text_similarities,
    prediction_distances,
)
from worldgauge.benchmarks.worldscore.signals.weightless import anchor_numbers, entered_of, layouts_of, scenes_of
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays


@metric(
    version=3,
    unit="share",
    higher_is_better=True,
    bounds=(FAILED, 1),
    needs=[anchor_detections(), anchor_nouns()],
    requires=["case"],
    formula=detection_rate,
)
def object_control(
    case: Case, found: Arrays, tagged: Arrays, *, protocol: Protocol = "released", first_scene: bool = True
) -> Measurement:
    """Mean share of the objects asked for in a scene that a detector finds at its end; `first_scene` counts frame 0.

    Of a scene that names no object the released code stores -100, which scores 0.
    """
    nouns = {
        str(phrase): set(str(words).split()) for phrase, words in zip(tagged["phrase"], tagged["nouns"], strict=True)
    }
    contents = scenes_of(case, "content_list") if protocol == "released" else entered_of(case, "content_list")
    try:
        scenes = [
            detection_rate(asked_objects(content), str(phrases).splitlines(), nouns.__getitem__)
            for content, phrases in zip(contents, found[protocol], strict=True)
        ]
    except NotApplicable as reason:
        if protocol == "paper":
            raise
        return Measurement(FAILED, reason=f"{reason}: the released code stores {FAILED:g}")
    return _of_anchors(case, scenes, 0 if first_scene else 1)


@metric(
    version=2, unit="", higher_is_better=True, bounds=(0, 100), needs=[anchor_text_similarities()], requires=["case"]
)
def clip_score(
    case: Case,
    similarities: Arrays,
    *,
    protocol: Protocol = "released",
    first_scene: bool = True,
    skip_intra: bool = True,
) -> Measurement:
    """Mean likeness of scene and prompt, times 100; `skip_intra`: not where the first layout stays in its scene."""
    if skip_intra and any(layout in INTRA_LAYOUTS for layout in layouts_of(case)[:1]):
        raise NotApplicable("the released code skips content alignment where the first layout stays in the scene")
    return _of_anchors(case, similarities[protocol], 0 if first_scene else 1)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[anchor_qualities()])
def image_quality(case: Case, qualities: Arrays) -> Measurement:
    """Mean no-reference quality of the frames at the ends of the layouts."""
    return _of_anchors(case, qualities["score"])


@metric(version=1, unit="", higher_is_better=True, bounds=(-5, 15), needs=[anchor_aesthetics()])
def aesthetics(case: Case, aesthetics: Arrays) -> Measurement:
    """Mean aesthetic score of the frames at the ends of the layouts."""
    return _of_anchors(case, aesthetics["score"])


@metric(version=3, unit="", higher_is_better=False, bounds=(0, 10), needs=[prediction_distances()])
def smoothness_lpips(case: Case, distances: Arrays) -> Measurement:
    """Mean perceptual distance of frames predicted from their neighbours."""
    return Measurement.from_curve(distances["distance"], frames=predicted_numbers)


def _of_anchors(case: Case, scores: Sequence[float] | NDArray[np.float64], first: int = 0) -> Measurement:
    """Mean over the anchors from number `first` on."""
    return Measurement.from_curve(scores[first:], frames=lambda count: anchor_numbers(case, count)[first:])
