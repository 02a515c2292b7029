"""A metric of one's own, as the guide shows it: below 25 lines, no registration file."""

from __future__ import annotations

import numpy as np

from worldgauge import Case, Clip, Measurement, metric, signal


@signal(version=1)
def frame_colour(clip: Clip) -> dict[str, np.ndarray]:
    """Mean red, green and blue of each frame: (N, 3)."""
    return {"rgb": np.array([frame.mean(axis=(0, 1)) for frame in clip.frames()])}


@metric(unit="levels", higher_is_better=False, bounds=(0, 255), needs=[frame_colour()])
def colour_drift(case: Case, colour: dict[str, np.ndarray]) -> Measurement:
    """Largest change of the mean colour since the first frame."""
    return Measurement.from_curve(np.abs(colour["rgb"] - colour["rgb"][0]).max(axis=1), reduce=np.max)
