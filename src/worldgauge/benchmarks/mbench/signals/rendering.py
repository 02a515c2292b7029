"""Light, colour and style of the frames, and how well they fit the captions."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldgauge.benchmarks.mbench.data.case_parts import captions_of
from worldgauge.benchmarks.mbench.formulas.lighting import lab_mean
from worldgauge.benchmarks.mbench.formulas.pairs import segment_frames
from worldgauge.benchmarks.mbench.formulas.style import early_late_frames
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks, rows_in_stacks
from worldgauge.functional.style import gram_distance
from worldgauge.signals.seats import StyleFeaturesInstrument, TextImageInstrument


@signal(version=1, reads=("video",), frames=FrameSpec().within(640), cost=0.1)
def lab_means(clip: Clip) -> Arrays:
    """Mean L*, a* and b* of every frame, at most 640 px wide or high: `means` (N, 3)."""
    return {"means": np.stack([lab_mean(frame) for frame in clip.frames()])}


@signal(version=1, reads=("video",), seat="style_features", cost=0.3)
def style_steps(clip: Clip, network: StyleFeaturesInstrument) -> Arrays:
    """Frobenius distance of the Gram matrices of each two consecutive frames: `distance` (N-1, layers)."""
    if clip.count < 2:
        raise InvalidVideo("style needs two frames, the clip has one")
    previous: Any = None
    rows = []
    for grams in rows_in_stacks(network, network.grams, clip.frames()):
        if previous is not None:
            rows.append(gram_distance(grams, previous))
        previous = grams
    return {"distance": np.stack(rows)}


@signal(version=1, reads=("video",), seat="style_features", cost=0.3)
def style_early_late(clip: Clip, network: StyleFeaturesInstrument, *, each: int = 8, share: float = 0.4) -> Arrays:
    """Frobenius distance of the Gram matrices of every early with every late frame: `distance` (P, layers).

    `pairs` (P, 2): up to `each` frames of the first and of the last `share` of the clip, all with all.
    """
    if clip.count < 2:
        raise InvalidVideo("style needs two frames, the clip has one")
    early, late = early_late_frames(clip.count, each, share)
    numbers = sorted({*early, *late})
    found = in_stacks(network, network.grams, clip.frames(FrameSpec.at(*numbers)))
    grams = dict(zip(numbers, found, strict=True))
    pairs = [(i, j) for i in early for j in late]
    return {"pairs": np.array(pairs), "distance": np.stack([gram_distance(grams[i], grams[j]) for i, j in pairs])}


@signal(version=1, reads=("video", "case"), requires=("extras.captions",), seat="text_image", cost=0.3)
def caption_similarities(clip: Clip, case: Case, network: TextImageInstrument, *, per_segment: int = 4) -> Arrays:
    """Cosine of sampled frames and the caption of their segment: `cosine` (S,), `frame` (S,), `segment` (S,)."""
    captions = captions_of(case)
    chosen = [
        (part[k], number)
        for number, part in enumerate(segment_frames(clip.count, len(captions)))
        if part
        for k in FrameSpec.uniform(per_segment).indices(len(part))
    ]
    frames = clip.frames(FrameSpec.at(*(frame for frame, _ in chosen)))
    texts = [captions[number] for _, number in chosen]
    found = in_stacks(network, network.similarities, frames, texts)
    return {
        "cosine": np.array(found, np.float64) / 100.0,
        "frame": np.array([frame for frame, _ in chosen]),
        "segment": np.array([number for _, number in chosen]),
    }
