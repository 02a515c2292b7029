"""Fidelity to a reference video in one phase: while the target is first in view, gone, or back."""

from __future__ import annotations

from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phase_values import PhaseChoice, phase_frames, phase_values
from worldgauge.functional.photometric import psnr_of, ssim_map
from worldgauge.signals.phases import phase_fidelity


@metric(version=2, unit="dB", higher_is_better=True, bounds=(0, 99), needs=[phase_fidelity()], formula=psnr_of)
def phase_psnr(case: Case, fidelity: Arrays, *, phase: PhaseChoice = "all") -> Measurement:
    """Mean peak signal-to-noise ratio of a phase against the reference video, the whole clip stretched over it."""
    values = phase_values(fidelity, "psnr", phase, "disjoint")
    return Measurement.from_curve(values, frames=phase_frames(fidelity, phase, "disjoint"))


@metric(version=2, unit="", higher_is_better=True, bounds=(-1, 1), needs=[phase_fidelity()], formula=ssim_map)
def phase_ssim(case: Case, fidelity: Arrays, *, phase: PhaseChoice = "all") -> Measurement:
    """Mean structural similarity of a phase to the reference video, the whole clip stretched over it."""
    values = phase_values(fidelity, "ssim_valid", phase, "disjoint")
    return Measurement.from_curve(values, frames=phase_frames(fidelity, phase, "disjoint"))
