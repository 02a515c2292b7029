"""What is read off a clip whose target leaves and comes back, pair by pair and phase by phase.

Each signal covers the frames of both rules for phases, so that switching rule perceives nothing anew. `keyframes` are
the reference's own (gone, back); `lengths` are the frames of the clip and of the reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Phases
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.phases import Rule

MAX_SIDE = 640
"""Px; longer frames are shrunk before anything is measured."""
RULES: tuple[Rule, ...] = get_args(Rule)


def rules_for(phases: Phases) -> tuple[Rule, ...]:
    """The rules that can split a clip: keyframes in the wrong order have no disjoint phases."""
    return RULES if phases.gone <= phases.back else ("shared",)


LIMITED = FrameSpec().within(MAX_SIDE)


@signal(version=1, reads=("video", "reference", "phases"), cost=0.0)
def phase_lengths(clip: Clip, reference: Clip, phases: Phases) -> Arrays:
    """How long the clip and its reference are, and when the target leaves and comes back."""
    return lengths_of(clip, reference, phases)


@signal(version=2, reads=("video", "reference", "phases"), frames=LIMITED, cost=0.05)
def phase_fidelity(clip: Clip, reference: Clip, phases: Phases) -> Arrays:
    """PSNR, squared error and SSIM of the pairs (clip frame, reference frame) that either rule compares.

    The reference is brought to the clip's size by area averaging. `ssim_full` averages over the whole frame,
    `ssim_valid` over the windows inside it (NaN in frames smaller than a window).
    """
    from worldgauge.functional.photometric import WINDOW, inner, mean_squared_error, psnr_of, ssim_map

    pairs = compared_pairs(clip, reference, phases)
    size = clip.frames().size
    shown = frames_at(clip, (i for i, _ in pairs), clip.spec)
    truth = frames_at(reference, (j for _, j in pairs), FrameSpec().resized(*size))
    values = []
    for i, j in pairs:
        similarity = ssim_map(shown[i], truth[j])
        valid = inner(similarity).mean() if min(similarity.shape) >= WINDOW else np.nan
        error = mean_squared_error(shown[i], truth[j])
        values.append((psnr_of(error), error, float(similarity.mean()), float(valid)))
    names = ("psnr", "squared_error", "ssim_full", "ssim_valid")
    columns = {name: list(column) for name, column in zip(names, zip(*values, strict=True), strict=True)}
    return phase_arrays(clip, reference, phases, pairs, **columns)


def compared_pairs(clip: Clip, reference: Clip, phases: Phases) -> list[tuple[int, int]]:
    """Pairs (clip frame, reference frame) that either rule compares in some phase."""
    from worldgauge.functional.pairing import phase_pairs

    lengths = (phases.gone, phases.back, reference.count, clip.count)
    by_rule = [phase_pairs(*lengths, rule) for rule in rules_for(phases)]
    return sorted({pair for pairs in by_rule for paired in pairs.values() for pair in paired})


def lengths_of(clip: Clip, reference: Clip, phases: Phases) -> dict[str, NDArray[Any]]:
    """The reference's keyframes, and the lengths of clip and reference."""
    return {
        "keyframes": np.array([phases.gone, phases.back]),
        "lengths": np.array([clip.count, reference.count]),
    }


def frames_at(clip: Clip, indices: Iterable[int], spec: FrameSpec) -> dict[int, NDArray[np.uint8]]:
    """Frames by number, at the size of `spec`."""
    wanted = sorted(set(indices))
    at = replace(spec, choice="indices", chosen=tuple(wanted))
    return dict(zip(wanted, clip.frames(at), strict=True))


def phase_arrays(
    clip: Clip, reference: Clip, phases: Phases, pairs: list[tuple[int, int]], **values: list[float]
) -> dict[str, NDArray[Any]]:
    """Pairs, one number each under every name, and the lengths that say which phase they belong to."""
    arrays = lengths_of(clip, reference, phases) | {"pairs": np.array(pairs, np.int64).reshape(-1, 2)}
    return arrays | {name: np.array(numbers, np.float64) for name, numbers in values.items()}
