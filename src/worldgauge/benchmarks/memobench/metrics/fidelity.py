"""Fidelity to the reference video, phase by phase, and how long the phases are."""

from __future__ import annotations

from typing import Literal

import numpy as np

from worldgauge.benchmarks.memobench.formulas.decibels import MOST_DECIBELS, uncapped_psnr
from worldgauge.benchmarks.memobench.formulas.protocols import RULES, Protocol, rounded
from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phase_values import PhaseChoice, phase_frames, phase_values, phases_of
from worldgauge.functional.photometric import ssim_map
from worldgauge.signals.phases import phase_fidelity, phase_lengths


@metric(version=2, unit="frames", higher_is_better=None, bounds=(0, 1e6), needs=[phase_lengths()], formula=phases_of)
def frames(
    case: Case,
    lengths: Arrays,
    *,
    what: Literal["clip", "reference", "gone", "back"] = "clip",
    protocol: Protocol = "released",
) -> Measurement:
    """Frames of the clip or its reference, or the clip's first frame without the target, or with the target back."""
    clip_frames, reference_frames = (int(n) for n in lengths["lengths"])
    phases = phases_of(lengths, RULES[protocol])
    chosen = {"clip": clip_frames, "reference": reference_frames, "gone": phases.gone, "back": phases.back}
    return Measurement(float(chosen[what]))


@metric(
    version=2,
    unit="dB",
    higher_is_better=True,
    bounds=(0, MOST_DECIBELS),
    needs=[phase_fidelity()],
    formula=uncapped_psnr,
)
def psnr(case: Case, fidelity: Arrays, *, phase: PhaseChoice = "all", protocol: Protocol = "released") -> Measurement:
    """Mean peak signal-to-noise ratio of a phase against the reference video; equal frames count as 99 dB."""
    ratios = np.array([uncapped_psnr(float(error)) for error in fidelity["squared_error"]])
    return phase_mean({**fidelity, "psnr": ratios}, "psnr", phase, protocol)


@metric(version=2, unit="", higher_is_better=True, bounds=(-1, 1), needs=[phase_fidelity()], formula=ssim_map)
def ssim(case: Case, fidelity: Arrays, *, phase: PhaseChoice = "all", protocol: Protocol = "released") -> Measurement:
    """Mean structural similarity of a phase to the reference video."""
    return phase_mean(fidelity, "ssim_full" if protocol == "released" else "ssim_valid", phase, protocol)


def phase_mean(measured: Arrays, name: str, phase: PhaseChoice, protocol: Protocol) -> Measurement:
    """Mean over the pairs that a phase compares."""
    values = phase_values(measured, name, phase, RULES[protocol])
    at = phase_frames(measured, phase, RULES[protocol])
    return Measurement(rounded(float(np.mean(values)), protocol), tuple(values), frames=at)
