"""Which metrics are calibrated, and what each is about. A fault declares what must happen to a quality; here every
metric says which quality it stands for, so that the two can be held against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from worldgauge.blocks.faults import Quality
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.metric import METRICS
from worldgauge.core.registry import unknown_name

Kind = Literal["returns", "layouts", "fixed"]
"""Worlds whose target leaves and comes back; on WorldScore's camera layouts; with a camera that stands still, as
WorldScore's dynamic half has it."""


@dataclass(frozen=True)
class Gauge:
    """A metric as it is calibrated."""

    id: str
    quality: Quality | None = None
    """None: measured and shown, nothing declared."""
    metric: str = ""
    """Registered metric; the id itself when left out."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    unasked: Mapping[str, str] = field(default_factory=dict)
    """Faults whose declaration does not apply to this metric although it has the quality, each with the reason."""
    no_better: tuple[str, ...] = ()
    """Faults that must not raise this metric, whatever else they do to it."""
    worlds: tuple[Kind, ...] = ("returns",)
    """Kinds of worlds it is calibrated on."""
    blind: Mapping[str, str] = field(default_factory=dict)
    """Known blind spots, each with the reason: the failing declaration is shown everywhere but surprises nobody."""

    @property
    def use(self) -> MetricUse:
        return MetricUse(id=self.id, use=self.metric or self.id, parameters=dict(self.parameters))


_PAPER = {"definition": "paper"}
_HELD = "a held frame is predicted perfectly, so holding frames scores as smooth"
_FASTER = "its error grows with the amount of motion, so a faster camera scores as less smooth"
_TOO_FAST = (
    "in a turn too fast for the flow its error is as large as flicker makes it; one such world among six hides it"
)
_CAMERA_DROWNS = "the camera's own motion drowns the target's"
_UNSEEN = "it compares frames close in time, and this change happens while nobody looks"
_COLOUR = "the pocket tracker knows the target by its colour, which moves with the light"
_SAME_STUFF = "props drawn anew in one another's textures leave the picture's statistics as they are"
_BACKGROUND = "the patches most like the first frame's, which it keeps, are background"
_AGAINST_REFERENCE = (
    "measured against the reference at the same moments, of which another camera path sees other things"
)
_LAYOUTS: tuple[Kind, ...] = ("layouts",)
_FIXED: tuple[Kind, ...] = ("fixed",)
_STATIC: tuple[Kind, ...] = ("returns", "layouts")
_DYNAMIC: tuple[Kind, ...] = ("returns", "fixed")
"""WorldScore scores motion in its dynamic half only, whose camera is fixed; returns are ours, beside it."""
_FROZEN = ("frozen_camera",)

GAUGES: tuple[Gauge, ...] = (
    Gauge("camera_control", Quality.CAMERA),
    Gauge("rotation_error", Quality.CAMERA),
    Gauge("house_camera_control", Quality.CAMERA),
    Gauge("worldscore_camera_control", Quality.CAMERA, worlds=_LAYOUTS),
    Gauge("worldscore_camera_error", Quality.CAMERA, worlds=_LAYOUTS),
    Gauge("memobench_camera_control", Quality.CAMERA, parameters=_PAPER),
    Gauge("psnr", Quality.FIDELITY),
    Gauge("ssim", Quality.FIDELITY),
    Gauge("return_psnr", Quality.FIDELITY, "memobench_psnr", {"phase": "back", **_PAPER}),
    Gauge("return_ssim", Quality.FIDELITY, "memobench_ssim", {"phase": "back", **_PAPER}),
    Gauge("visible_ssim", Quality.EARLY, "memobench_ssim", {"phase": "visible", **_PAPER}),
    Gauge("warp_error", Quality.PHOTOMETRY),
    Gauge("flow_consistency", Quality.PHOTOMETRY),
    Gauge("worldscore_flow_cycle_error", Quality.PHOTOMETRY, worlds=_STATIC, blind={"flicker": _TOO_FAST}),
    Gauge("flow_magnitude", Quality.MOTION, blind={"still_life": _CAMERA_DROWNS}),
    Gauge("worldscore_motion_magnitude", Quality.MOTION, worlds=_DYNAMIC),
    Gauge("worldscore_motion_accuracy", Quality.MOTION, worlds=_FIXED, parameters=_PAPER),
    Gauge(
        "memobench_smoothness", Quality.SMOOTHNESS, parameters=_PAPER, blind={"stutter": _HELD, "camera_drift": _FASTER}
    ),
    Gauge(
        "house_smoothness",
        Quality.SMOOTHNESS,
        unasked={"camera_drift": _AGAINST_REFERENCE},
        no_better=_FROZEN,
    ),
    Gauge("worldscore_smoothness_mse", Quality.SMOOTHNESS, worlds=_DYNAMIC, blind={"stutter": _HELD}),
    Gauge(
        "worldscore_smoothness_ssim",
        Quality.SMOOTHNESS,
        worlds=_DYNAMIC,
        blind={"stutter": _HELD, "camera_drift": _FASTER},
    ),
    Gauge(
        "worldscore_reprojection_error",
        Quality.GEOMETRY,
        worlds=_STATIC,
        blind=dict.fromkeys(("teleport", "background_swap"), _UNSEEN),
    ),
    Gauge("memobench_geometry", Quality.DEPTH, parameters=_PAPER),
    Gauge("object_identity", Quality.IDENTITY, no_better=_FROZEN),
    Gauge("memobench_identity", Quality.IDENTITY, parameters=_PAPER, blind={"identity_drift": _BACKGROUND}),
    Gauge("house_identity", Quality.IDENTITY, no_better=_FROZEN),
    Gauge("object_presence", Quality.PRESENCE, blind={"lighting_drift": _COLOUR}),
    Gauge("memobench_reappearance", Quality.PRESENCE, parameters=_PAPER, blind={"lighting_drift": _COLOUR}),
    Gauge("house_reappearance", Quality.PRESENCE, no_better=_FROZEN, blind={"lighting_drift": _COLOUR}),
    Gauge("style_consistency", Quality.STYLE, blind={"background_swap": _SAME_STUFF}),
    Gauge("worldscore_style_difference", Quality.STYLE, worlds=_LAYOUTS),
    Gauge("picture_quality", Quality.PICTURE),
    Gauge("frame_similarity", Quality.SMOOTHNESS),
)
"""Metrics with a declared quality. A new metric gets one line here."""


def choose_gauges(
    kind: Kind = "returns", wanted: Iterable[str] = (), declared: Mapping[str, str] | None = None
) -> list[Gauge]:
    """The named gauges and metrics, or every gauge for that kind of worlds.

    `declared` gives further metrics a quality by its name.
    """
    known = {gauge.id: gauge for gauge in GAUGES if (gauge.metric or gauge.id) in METRICS.names()}
    for name, quality in (declared or {}).items():
        if name not in METRICS.names():
            raise unknown_name("metric", name, METRICS.names())
        known[name] = Gauge(name, _quality(quality))
    names = list(wanted)
    for name in names:
        if name not in known and name not in METRICS.names():
            raise unknown_name("metric", name, sorted({*known, *METRICS.names()}))
    if names:
        return [known.get(name) or Gauge(name) for name in dict.fromkeys(names)]
    return [gauge for gauge in known.values() if kind in gauge.worlds or gauge.id in (declared or {})]


def _quality(name: str) -> Quality:
    try:
        return Quality(name.replace("_", " "))
    except ValueError as error:
        raise WorldGaugeError(f"unknown quality '{name}'", f"use one of: {', '.join(Quality)}") from error
