"""The camera path for what vouches for itself: a scene that shows the frames it was not made of shows that it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.signals.scene_inputs import camera_path, plain_view_cameras
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, ChosenInstruments, SignalUse, signal
from worldgauge.functional.lens import Lens
from worldgauge.signals.poses import LIMITED, PosesInstrument, poses


def _by_instrument(use: SignalUse, chosen: ChosenInstruments) -> tuple[SignalUse, ...]:
    return (camera_path("house", chosen, use.of),)


@signal(
    version=1, needs=(poses(),), needs_by=_by_instrument, seat="poses", frames=LIMITED, tolerant=True, cost=0.02,
    dense=4.0,
)  # fmt: skip
def fitted_path(clip: Clip, path: Arrays | None, instrument: PosesInstrument) -> Arrays:
    """The camera path as `poses` has it; where nothing vouches for that, the path that fits best all the same.

    `doubt` says why it is not to be trusted, and is empty where it is. A world that sways leaves no path to trust:
    what is measured along the best one tells how little the frames agree. Unscored where there is no path at all. Of an
    instrument that sees views it is the path of 32 frames, with their numbers `frames`.
    """
    if path is not None:
        return {**path, "doubt": np.array("")}
    heard = _Heard(instrument)
    seen = plain_view_cameras if getattr(instrument, "reads", "film") == "views" else poses
    return {**seen.function(clip, heard), "doubt": np.array("; ".join(heard.doubts))}


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
