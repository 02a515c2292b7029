"""What each score must see on blocks, and what it must not move for. A new score gets a line in a panel.

A panel is a set of worlds posed as cases of one setting and subset, with the scores that are read off them. Severities
stand in `worlds`. The seats of `measure.TRUE_SEATS` have the truth: the pocket set has nothing to offer there, or would
add errors of its own.

Shape is held against a mannequin whose paint does not repeat. SSIM of a checked one rises again where it is moved by a
period of its pattern, so that it says nothing about how far the target is from its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldgauge.core.gauge import CalibrationGauge


@dataclass(frozen=True)
class Panel:
    """Scores that are measured on the same clips."""

    name: str
    worlds: str
    """Name of a set of `worlds.SETS`."""
    setting: str
    subset: str
    gauges: tuple[CalibrationGauge, ...]
    seats: tuple[str, ...] = ()
    """Instruments of its own, as `--use` takes them."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Every fault that one of its scores must see or must not."""
        return tuple(dict.fromkeys(f for gauge in self.gauges for f in (*gauge.sees, *gauge.ignores)))


def _gauge(
    column: str,
    metric: str,
    sees: tuple[str, ...],
    ignores: tuple[str, ...],
    parameters: dict[str, object] | None = None,
    blind: dict[str, str] | None = None,
) -> CalibrationGauge:
    return CalibrationGauge(
        id=column,
        metric=f"mbench/{metric}",
        parameters=parameters or {},
        sees=dict.fromkeys(sees, "worse"),
        ignores=ignores,
        blind=blind or {},
    )


_FEWER_PAIRS = ("matches=sift:ratio=0.6",)
"""Where the eye has moved, the pocket matcher's usual pairs hold so many wrong ones that they outweigh every fault."""
_WRONG_PAIRS = "with a baseline the triangulated points of the pocket matcher's wrong pairs outweigh it"
_ZERO: dict[str, object] = {"absent": "zero"}
"""The rule of halves, as `table2` has it."""
_TURNING: dict[str, object] = {"degenerate": "rotation"}
_MOVED = ("teleport", "geometry_wobble")
_DRIFTED = ("identity_drift",)
_LOST = ("vanish", *_DRIFTED)
_SWAP = ("background_swap",)
_DISOBEYED = ("wrong_action", "frozen_camera")
_PROCESS = ("state_reset", "time_reversal", "still_life")
_DARKER = {"lighting_drift": "the pocket matcher pairs other points, and wrong ones, where pictures get darker"}


def _people(setting: str, word: str) -> Panel:
    letter = setting.lower()
    returned = "identity_returned" if setting == "A" else "identity_returned_anywhere"
    gauges: tuple[CalibrationGauge, ...] = (
        _gauge(f"{letter}_identity", "identity", _DRIFTED, _SWAP),
        _gauge(f"{letter}_identity_return", returned, _LOST, _SWAP),
        _gauge(f"{letter}_appearance", "appearance", _LOST, _SWAP, _ZERO),
    )
    if setting == "A":
        gauges = (*gauges, _gauge("a_appearance_left", "appearance_returned", _LOST, _SWAP))
    return Panel(f"people, {word}", "returns", setting, "human", gauges)


def _processes(worlds: str, setting: str, name: str) -> Panel:
    letter = setting.lower()
    gauges = (
        _gauge(f"{letter}_state", "state", ("state_reset", "still_life"), ("lighting_drift",)),
        _gauge(f"{letter}_correctness", "correctness", _PROCESS, ("lighting_drift",)),
        _gauge(f"{letter}_state_forward", "state_forward", ("time_reversal", "still_life"), ("lighting_drift",)),
    )
    return Panel(name, worlds, setting, "causal", gauges)


PANELS = (
    Panel("shape of objects, action", "marked", "A", "object", (_gauge("a_geometry", "geometry", _MOVED, _SWAP),)),
    Panel("shape of objects, text", "marked", "T", "object", (_gauge("t_geometry", "named_geometry", _MOVED, _SWAP),)),
    Panel(
        "shape of objects seen from beside, text",
        "marked_beside",
        "T",
        "object",
        (_gauge("t_geometry", "named_geometry", _MOVED, ()),),
    ),
    Panel(
        "spatial consistency seen from above, text",
        "marked_above",
        "T",
        "environment",
        (
            _gauge("t_epipolar", "epipolar", _MOVED, ("vanish",)),
            _gauge(
                "t_reprojection",
                "reprojection",
                _MOVED,
                ("vanish",),
                blind=dict.fromkeys((*_MOVED, "vanish"), _WRONG_PAIRS),
            ),
        ),
        seats=_FEWER_PAIRS,
    ),
    Panel(
        "control, action",
        "returns",
        "A",
        "environment",
        (
            _gauge("a_action", "action", ("wrong_action",), ("vanish", "lighting_drift")),
            _gauge("a_action_turning", "action_followed", _DISOBEYED, ("vanish", "lighting_drift")),
            _gauge("a_executed", "executed_share", _DISOBEYED, ("vanish", "lighting_drift")),
        ),
    ),
    Panel(
        "captions, text",
        "returns",
        "T",
        "object",
        (_gauge("t_text", "text", ("frozen_camera", "vanish"), ("lighting_drift", "teleport")),),
    ),
    _processes("processes", "T", "processes, text"),
    _processes("processes", "A", "processes, action"),
    _processes("hidden", "T", "processes hidden by a screen or the dark, text"),
    Panel(
        "spatial consistency, action",
        "returns",
        "A",
        "environment",
        (
            _gauge("a_epipolar_turning", "epipolar", _MOVED, ("vanish", "lighting_drift"), _TURNING, _DARKER),
            _gauge("a_reprojection_turning", "reprojection", _MOVED, ("vanish", "lighting_drift"), _TURNING, _DARKER),
        ),
    ),
    Panel(
        "looks of objects, action",
        "returns",
        "A",
        "object",
        (
            _gauge("a_texture", "texture", _DRIFTED, _SWAP),
            _gauge("a_texture_return", "texture_returned", _LOST, _SWAP),
        ),
    ),
    Panel(
        "looks of objects, text",
        "returns",
        "T",
        "object",
        (
            _gauge("t_texture", "named_texture", _DRIFTED, _SWAP),
            _gauge("t_texture_return", "named_texture_returned", _LOST, _SWAP),
        ),
    ),
    _people("A", "action"),
    _people("T", "text"),
    Panel(
        "spatial consistency along layouts, text",
        "layouts",
        "T",
        "environment",
        (
            _gauge("t_epipolar", "epipolar", ("geometry_wobble",), ("lighting_drift",), blind=_DARKER),
            _gauge("t_reprojection", "reprojection", ("geometry_wobble",), ("lighting_drift",), blind=_DARKER),
            _gauge("t_lighting", "lighting", ("lighting_drift",), ("geometry_wobble",)),
        ),
    ),
    Panel(
        "light and style, action",
        "returns",
        "A",
        "environment",
        (
            _gauge("a_lighting", "lighting_by_view", ("lighting_drift",), ("vanish",)),
            _gauge("a_style", "style", ("flicker",), ("vanish",)),
            _gauge("a_style_over_time", "style_over_time", ("style_drift",), ("vanish",)),
        ),
    ),
    Panel(
        "light and style, text",
        "returns",
        "T",
        "environment",
        (
            _gauge("t_lighting", "lighting", ("lighting_drift",), ("vanish",)),
            _gauge("t_style", "style", ("flicker",), ("vanish",)),
            _gauge("t_style_over_time", "style_over_time", ("style_drift",), ("vanish",)),
        ),
    ),
)
