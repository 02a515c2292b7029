"""What instruments kept about a clip, for the case page: overlays, the recovered camera path, a judge's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from worldgauge.core.cameras import CameraPath
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import Source
from worldgauge.core.video import Image, Video


@dataclass(frozen=True)
class Drawn:
    """A clip that is not on disk: made frame by frame when the report needs it."""

    frames: Callable[[], Iterator[Image]]
    fps: float


@dataclass(frozen=True)
class Evidence:
    """All optional; a page shows what is there."""

    overlays: Mapping[str, Video | Drawn] = field(default_factory=dict)
    """Name, such as `flow` or `mask`, to a clip of the same length; its light is added to the subject's."""
    recovered: CameraPath | None = None
    """Camera path read off the clip, already aligned to the requested one."""
    transcript: tuple[tuple[str, str], ...] = ()
    """A judge's questions and answers."""


EvidenceOf = Callable[[Run, Source], Evidence]


def no_evidence(run: Run, source: Source) -> Evidence:
    """For runs whose store is not at hand."""
    return Evidence()
