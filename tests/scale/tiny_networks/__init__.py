"""To be included by tests of clusters: two tiny networks that look at every frame, and metrics that ask them."""

from __future__ import annotations

import numpy as np

from worldgauge import Arrays, Case, Clip, Manifest, Measurement, metric, signal

MANIFEST = Manifest(
    package=__name__,
    weights="weights.toml",
    instruments={"tiny_looks": ".net:TinyLooks", "tiny_quality": ".net:TinyQuality"},
)


@signal(version=1, seat="aesthetic")
def tiny_look(clip: Clip, network: object) -> Arrays:
    """What one network finds in each frame."""
    return {"score": network.scores(np.stack(list(clip.frames())))}  # type: ignore[attr-defined]


@signal(version=1, seat="image_quality")
def tiny_sharpness(clip: Clip, network: object) -> Arrays:
    """What the other finds."""
    return {"score": network.scores(np.stack(list(clip.frames())))}  # type: ignore[attr-defined]


@metric(version=1, unit="", higher_is_better=None, bounds=(0, 1), needs=[tiny_look()])
def tiny_looks_nice(case: Case, looks: Arrays) -> Measurement:
    """Mean of one network."""
    return Measurement.from_curve(looks["score"])


@metric(version=1, unit="", higher_is_better=None, bounds=(-1, 1), needs=[tiny_look(), tiny_sharpness()])
def tiny_difference(case: Case, looks: Arrays, sharpness: Arrays) -> Measurement:
    """One network beside the other: what the first pass has found is read in the second."""
    return Measurement.from_curve(looks["score"] - sharpness["score"])
