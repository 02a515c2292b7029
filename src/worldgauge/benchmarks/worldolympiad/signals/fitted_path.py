"""The camera path for what vouches for itself: a scene that shows the frames it was not made of shows that it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.lens import Lens
from worldgauge.signals.poses import LIMITED, PosesInstrument, poses


@signal(version=1, needs=(poses(),), seat="poses", frames=LIMITED, tolerant=True, cost=0.02, dense=4.0)
def fitted_path(clip: Clip, path: Arrays | None, instrument: PosesInstrument) -> Arrays:
    """The camera path as `poses` has it; where nothing vouches for that, the path that fits best all the same.

    `doubt` says why it is not to be trusted, and is empty where it is. A world that sways leaves no path to trust:
    what is measured along the best one tells how little the frames agree. Unscored where there is no path at all.
    """
    if path is not None:
        return {**path, "doubt": np.array("")}
    heard = _Heard(instrument)
    return {**poses.function(clip, heard), "doubt": np.array("; ".join(heard.doubts))}


@dataclass
class _Heard:
    """An instrument whose doubts are listened to, and not the end of it."""

    instrument: PosesInstrument
    doubts: list[str] = field(default_factory=list)

    @property
    def whole_frames(self) -> bool:
        return bool(getattr(self.instrument, "whole_frames", False))

    def trajectory(self, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Any:
        found = self.instrument.trajectory(frames, lens)
        self.doubts.append(found.doubt)
        return replace(found, doubt="")
