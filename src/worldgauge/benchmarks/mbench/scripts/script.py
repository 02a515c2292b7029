"""Action scripts: the camera leaves until the target is out of view, waits, and comes back by the same way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.formulas.action import TWISTS
from worldgauge.benchmarks.mbench.formulas.conditions import FPS, ActionCondition, read_condition
from worldgauge.core.errors import WorldGaugeError

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class View:
    """The first frame: its size, its horizontal field of view, and where the target is."""

    size: tuple[int, int]
    degrees: float
    """Horizontal field of view."""
    box: Box | None = None
    depth: float = 1.0
    """Of the target, in median depths of the scene."""

    @property
    def focal(self) -> float:
        return self.size[0] / 2 / math.tan(math.radians(self.degrees / 2))

    def intrinsics(self) -> Floats:
        """(3, 3), principal point in the middle."""
        return np.array([[self.focal, 0, self.size[0] / 2], [0, self.focal, self.size[1] / 2], [0, 0, 1.0]])


@dataclass(frozen=True)
class Limits:
    """How fast a camera may be, and by how much the target must be out of view."""

    turn: float = 30.0
    """Degrees per second."""
    step: float = 0.5
    """Median depths per second."""
    margin: float = 2.0
    """Degrees between the target and the edge of the view."""


@dataclass(frozen=True, eq=False)
class Script:
    """What the camera does, frame by frame."""

    condition: str
    legs: tuple[tuple[str, int], ...]
    """Verbs and the steps each takes: a clip of N frames has N - 1 steps."""
    poses: Floats
    """(N, 4, 4) OpenCV camera-to-world, the first identity, in median depths."""
    amount: float
    """Degrees turned, or median depths walked, at the farthest."""
    fps: int = FPS

    def timed(self) -> list[dict[str, float | str]]:
        """Verbs with the seconds at which they begin and end."""
        ends = np.cumsum([0, *(steps for _, steps in self.legs)])
        return [
            {"verb": verb, "start": float(ends[k] / self.fps), "end": float(ends[k + 1] / self.fps)}
            for k, (verb, _) in enumerate(self.legs)
        ]


def build_script(condition: str, view: View, *, wait: float = 0.0, limits: Limits | None = None) -> Script:
    """The script of a condition id: the least motion that takes the target out of view, a wait, the exact reverse.

    Without a box a turn takes the whole first view out of view.
    Whole turns and `static` do what their name says. Raises where no script can do it, with the reason.
    """
    asked, allowed = read_condition(condition), limits or Limits()
    _check(view, wait)
    steps = asked.frames - 1
    if len(asked.legs) == 1:
        return _one_leg(asked, allowed, steps, wait)
    verb, back = asked.legs[0][0], asked.legs[1][0]
    waiting = round(wait * FPS)
    moving = (steps - waiting) // 2
    if moving < 1:
        raise WorldGaugeError(f"a wait of {wait:g} s leaves no time to move in {steps / FPS:g} s", "wait less")
    clears = step_that_hides(view, allowed.margin) if verb == "forward" else None
    amount = turn_that_clears(view, verb, allowed.margin) if clears is None else clears
    _check_speed(amount, moving, verb, allowed)
    legs = [(verb, moving), ("wait", steps - 2 * moving), (back, moving)]
    there = np.linspace(0.0, amount, moving + 1)
    amounts = np.concatenate([there, np.full(steps - 2 * moving, amount), there[-2::-1]])
    return Script(condition, tuple(leg for leg in legs if leg[1]), poses_of(verb, amounts), amount)


def no_anchor(script: Script, view: View) -> str:
    """What to say of a script whose turn does not know where the target is; empty where it knows."""
    if view.box is not None or len({verb for verb, _ in script.legs} & {"left", "right"}) < 2:
        return ""
    return f"there is no anchor, so the camera turns by the whole first view and a margin, {script.amount:.1f} degrees"


def turn_that_clears(view: View, verb: str, margin: float) -> float:
    """Degrees of the least turn after which the box is out of view by a margin; without a box, the whole first view.

    >>> box = View((100, 100), 90.0, (50, 0, 100, 100))
    >>> round(turn_that_clears(box, "right", 2.0), 6), round(turn_that_clears(box, "left", 2.0), 6)
    (92.0, 47.0)
    >>> round(turn_that_clears(View((100, 100), 60.0), "left", 2.0), 6)
    62.0
    """
    middle, half = view.size[0] / 2, view.degrees / 2
    # Without a box the target may be anywhere, also at the edge that leaves last.
    x0, _, x1, _ = view.box or (0.0, 0.0, float(view.size[0]), float(view.size[1]))
    # Turning right pushes everything to the left: the box's right side is the last to leave.
    edge = x1 - middle if verb == "right" else middle - x0
    degrees = half + math.degrees(math.atan2(edge, view.focal)) + margin
    if degrees >= 180.0:
        raise WorldGaugeError(f"the target needs a turn of {degrees:.0f} degrees to leave the view", "take another box")
    return max(degrees, 0.0)


def step_that_hides(view: View, margin: float) -> float:
    """Median depths of the least walk ahead after which the box is beside the view by a margin.

    >>> round(step_that_hides(View((100, 100), 90.0, (85, 40, 100, 60)), 0.0), 6)
    0.3
    """
    if view.box is None:
        raise WorldGaugeError("nobody knows how far to walk past a target without a box", "give it one, or turn")
    x0, y0, x1, y1 = view.box
    width, height = view.size
    found = []
    for low, high, side in ((x0, x1, width), (y0, y1, height)):
        middle = side / 2
        inner = max(low - middle, middle - high)
        if inner <= 0:
            continue
        edge = math.tan(math.atan2(middle, view.focal) + math.radians(margin))
        found.append(view.depth * (1 - inner / view.focal / edge))
    if not found:
        raise WorldGaugeError("the target stands in the way: walking ahead never takes it out of view", "turn instead")
    return max(min(found), 0.0)


def poses_of(verb: str, amounts: Floats) -> Floats:
    """Camera-to-world poses (N, 4, 4) of a camera that turned by degrees or walked by depths along a verb.

    >>> poses_of("forward", np.array([0.0, 0.5]))[1, :3, 3].tolist()
    [0.0, 0.0, 0.5]
    """
    twist = np.array(TWISTS[verb], np.float64)
    poses = np.tile(np.eye(4), (len(amounts), 1, 1))
    poses[:, :3, 3] = amounts[:, None] * twist[:3]
    yaw = np.radians(amounts) * twist[4]
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(yaw)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(yaw), -np.sin(yaw)
    return poses


def _one_leg(asked: ActionCondition, limits: Limits, steps: int, wait: float) -> Script:
    verb = asked.first_verb
    if wait:
        raise WorldGaugeError(f"'{asked.id}' has no wait", "leave it away")
    amount = asked.degrees or 0.0
    _check_speed(amount, steps, verb, limits)
    amounts = np.linspace(0.0, amount, steps + 1)
    return Script(asked.id, ((verb, steps),), poses_of(verb, amounts), amount)


def _check(view: View, wait: float) -> None:
    if not 1.0 <= view.degrees < 180.0:
        raise WorldGaugeError(f"a field of view of {view.degrees:g} degrees", "use 1 to 179")
    if wait < 0:
        raise WorldGaugeError(f"a wait of {wait:g} s", "use 0 or more")
    if view.box is not None:
        x0, y0, x1, y1 = view.box
        if not (x0 < x1 and y0 < y1) or x1 <= 0 or y1 <= 0 or x0 >= view.size[0] or y0 >= view.size[1]:
            raise WorldGaugeError(f"the box {view.box} does not lie in a frame of {view.size}", "correct it")


def _check_speed(amount: float, steps: int, verb: str, limits: Limits) -> None:
    most, unit = (limits.step, "depths") if verb in ("forward", "backward") else (limits.turn, "degrees")
    speed = amount * FPS / steps
    if speed > most + 1e-9:
        raise WorldGaugeError(
            f"{amount:.3g} {unit} in {steps / FPS:g} s is {speed:.3g} per second, the limit is {most:g}",
            "wait less, take a longer condition or raise the limit",
        )
