"""What instruments kept about a clip, for the case page: overlays, the recovered camera path, a judge's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.run_folder import Run
from worldgauge.core.video import Video


@dataclass(frozen=True)
class Evidence:
    """All optional; a page shows what is there."""

    overlays: Mapping[str, Video] = field(default_factory=dict)
    """Name, such as `flow` or `mask`, to a clip of the same length drawn over the subject's."""
    recovered: CameraPath | None = None
    """Camera path read off the clip, already aligned to the requested one."""
    transcript: tuple[tuple[str, str], ...] = ()
    """A judge's questions and answers."""


EvidenceOf = Callable[[Run, Case], Evidence]


def no_evidence(run: Run, case: Case) -> Evidence:
    """For runs whose store is not at hand."""
    return Evidence()
