"""`CalibrationGauge`: what a metric is about, so that calibration can hold it against faults whose effect is known.

A fault declares what must happen to a quality; a gauge says which quality a metric stands for. Gauges live beside the
metrics they are about, and so do the results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from worldgauge.core.benchmark import MetricUse

Kind = Literal["returns", "layouts", "fixed"]
"""Worlds whose target leaves and comes back; with one simple camera layout each; with a camera that stands still."""


class Quality(StrEnum):
    """What a metric can be about."""

    CAMERA = "camera control"
    PRESENCE = "presence"
    IDENTITY = "identity"
    FIDELITY = "fidelity"
    """Agreement with the true video, frame by frame."""
    EARLY = "early fidelity"
    """The same, only while the target is first in view."""
    STATE = "state evolution"
    GEOMETRY = "geometry"
    """One rigid scene explains all frames."""
    DEPTH = "depth consistency"
    """Depth of one frame is like that of the frames around it."""
    PHOTOMETRY = "photometric consistency"
    """A point keeps its colour from frame to frame."""
    SMOOTHNESS = "smoothness"
    STEADINESS = "steadiness"
    """The camera goes its way without shaking."""
    COURSE = "course of motion"
    """What moves, moves as in the true video: where to, how fast, and when."""
    TIMING = "timing"
    """Every moment is shown when it is due."""
    DIRECTION = "temporal direction"
    """Time runs forwards."""
    STYLE = "style"
    SCENERY = "scenery"
    """The surroundings are the true ones while the target is away and after its return."""
    LIGHTING = "lighting"
    """Exposure and colour of the light stay what they were."""
    EXPOSURE = "steady exposure"
    """Brightness does not jump from one frame to the next."""
    PICTURE = "image quality"
    TONES = "smooth tones"
    """Tones run into one another without steps."""
    SINGLENESS = "single images"
    """A frame shows one moment, not several through one another."""
    MOTION = "amount of motion"
    """Neither direction is good by itself; `worse` means less of it."""


@dataclass(frozen=True)
class CalibrationGauge:
    """A metric as it is calibrated."""

    id: str
    quality: Quality | None = None
    """None: measured and shown, nothing declared."""
    metric: str = ""
    """Full name of the registered metric; the id itself when left out."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    unasked: Mapping[str, str] = field(default_factory=dict)
    """Faults whose declaration does not apply to this metric although it has the quality, each with the reason."""
    sees: Mapping[str, Literal["worse", "better"]] = field(default_factory=dict)
    """Faults that must move this metric, and which way, whatever its quality says."""
    ignores: tuple[str, ...] = ()
    """Faults that must not move this metric, whatever its quality says."""
    no_better: tuple[str, ...] = ()
    """Faults that must not raise this metric, whatever else they do to it."""
    worlds: tuple[Kind, ...] = ("returns",)
    """Kinds of worlds it is calibrated on."""
    blind: Mapping[str, str] = field(default_factory=dict)
    """Known blind spots, each with the reason: the failing declaration is shown everywhere but surprises nobody."""

    @property
    def use(self) -> MetricUse:
        return MetricUse(id=self.id, use=self.metric or self.id, parameters=dict(self.parameters))
