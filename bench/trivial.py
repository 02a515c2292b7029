"""Five metrics that do almost nothing, to weigh the engine alone."""

from __future__ import annotations

import numpy as np

from worldgauge import Clip, Measurement, metric, signal


@signal(version=1)
def bench_count(clip: Clip) -> dict[str, np.ndarray]:
    """The number of frames."""
    return {"count": np.array(clip.count)}


def _declare(number: int) -> None:
    @metric(unit="", higher_is_better=None, bounds=(0, 1e9), needs=[bench_count()], name=f"bench_{number}")
    def trivial(case: object, counted: dict[str, np.ndarray]) -> Measurement:
        """The number of frames and a constant."""
        return Measurement(float(counted["count"]) + number)


for index in range(5):
    _declare(index)
