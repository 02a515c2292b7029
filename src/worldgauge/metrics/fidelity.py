"""Fidelity to a reference video."""

from __future__ import annotations

from worldgauge.core.case import Case
from worldgauge.core.frames import unlike_rates
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.photometric import psnr as frame_psnr
from worldgauge.functional.photometric import ssim as frame_ssim
from worldgauge.signals.fidelity import pixel_errors


@metric(version=1, unit="dB", higher_is_better=True, bounds=(0.0, 99.0), needs=[pixel_errors()], formula=frame_psnr)
def psnr(case: Case, errors: Arrays) -> Measurement:
    """Mean over frames of the peak signal-to-noise ratio against the reference video; 99 dB for identical frames."""
    return Measurement.from_curve(errors["psnr"], reason=_lengths(errors), frames=errors["indices"].tolist())


@metric(version=1, unit="", higher_is_better=True, bounds=(-1.0, 1.0), needs=[pixel_errors()], formula=frame_ssim)
def ssim(case: Case, errors: Arrays) -> Measurement:
    """Mean over frames of the structural similarity (Wang 2004) of the luma against the reference video."""
    return Measurement.from_curve(errors["ssim"], reason=_lengths(errors), frames=errors["indices"].tolist())


def _lengths(errors: Arrays) -> str:
    (clip, reference), compared = (int(count) for count in errors["frames"]), len(errors["psnr"])
    if unlike_rates(*errors["rates"]):
        return f"{compared} frames of the same time compared: the clip has {clip}, the reference {reference}"
    if clip == reference:
        return ""
    return f"{compared} frames compared: the clip has {clip}, the reference {reference}"
