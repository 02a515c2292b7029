"""What an open-set segmenter finds in the frames after the return when it is asked for the target in words."""

from __future__ import annotations

from functools import partial

import numpy as np

from worldgauge.benchmarks.memobench.formulas.reappearance import DETECTOR_THRESHOLD
from worldgauge.benchmarks.memobench.formulas.wordings import reworded
from worldgauge.core.case import Phases
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import rows_in_stacks
from worldgauge.functional.phases import split
from worldgauge.signals.phases import rules_for
from worldgauge.signals.seats import SegmenterInstrument


@signal(version=1, reads=("video", "reference", "phases", "target_name"), seat="segmenter", cost=1.0)
def phrase_masks(
    clip: Clip, reference: Clip, phases: Phases, name: str, network: SegmenterInstrument, *, wording: str = "original"
) -> Arrays:
    """All masks that the target's phrase may mean in each back frame of either protocol, at the frame's own size.

    `frames` (F,) are the frames asked about and `counts` (F,) how many masks each has; `coverages` and `scores` hold,
    mask by mask and frame by frame, the share of the image it covers and how sure the network is. `wording` says how
    the phrase is put.
    """
    phrase = reworded(name, wording)
    lengths = (phases.gone, phases.back, reference.count, clip.count)
    indices = sorted({i for rule in rules_for(phases) for i in split(*lengths, rule).back_frames if i < clip.count})
    counts, coverages, scores = [], [], []
    frames = clip.frames(FrameSpec.at(*indices)) if indices else ()
    segment = partial(network.segment, threshold=DETECTOR_THRESHOLD)
    for masks, certainties in rows_in_stacks(network, segment, frames, [phrase] * len(indices)):
        counts.append(len(masks))
        coverages += [float(mask.mean()) for mask in masks]
        scores += [float(certainty) for certainty in certainties]
    return {
        "frames": np.array(indices, np.int64),
        "counts": np.array(counts, np.int64),
        "coverages": np.array(coverages, np.float64),
        "scores": np.array(scores, np.float64),
    }
