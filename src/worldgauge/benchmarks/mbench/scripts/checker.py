"""Does a script, or a clip made from one, do what it promises: away, hidden while it waits, and back where it began?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.formulas.action import twists
from worldgauge.benchmarks.mbench.scripts.script import Limits, Script, View
from worldgauge.functional.pose import geodesic_deg, invert

Floats = NDArray[np.float64]
HOME_TURN, HOME_STEP = 1.0, 0.01
"""Degrees and median depths within which the end is the beginning."""
SEEN = 0.1
"""Of the target's area in the first frame; with less it is not back."""


@dataclass(frozen=True)
class Checked:
    """What a check found."""

    faults: tuple[str, ...]
    areas: tuple[float, ...]
    """Per frame, the share of the target's box, or of its mask in the first frame, that is in view."""

    @property
    def holds(self) -> bool:
        return not self.faults


def waiting_frames(script: Script) -> range:
    """Frames in which the camera stands at its farthest; one frame where it does not wait.

    >>> import numpy as np
    >>> waiting_frames(Script("c", (("left", 2), ("wait", 3), ("right", 2)), np.zeros((8, 4, 4)), 1.0))
    range(2, 6)
    """
    start = script.legs[0][1]
    waits = sum(steps for verb, steps in script.legs[1:] if verb == "wait")
    return range(start, start + waits + 1)


def box_areas(poses: Floats, view: View) -> Floats:
    """Share of the target's box that each camera has in view, (N,), for a flat target that faces the first camera."""
    assert view.box is not None
    x0, y0, x1, y1 = view.box
    across, down = np.meshgrid(np.linspace(x0, x1, 33), np.linspace(y0, y1, 17))
    lens = view.intrinsics()
    rays = np.stack([across.ravel(), down.ravel(), np.ones(across.size)], 1) @ np.linalg.inv(lens).T
    points = np.concatenate([rays * view.depth, np.ones((len(rays), 1))], 1)
    shares = []
    for inverse in invert(poses):
        inside = (points @ inverse.T)[:, :3]
        ahead = inside[:, 2] > 1e-9
        pixels = inside[ahead] @ lens.T
        x, y = pixels[:, 0] / pixels[:, 2], pixels[:, 1] / pixels[:, 2]
        kept = (x >= 0) & (x <= view.size[0]) & (y >= 0) & (y <= view.size[1])
        shares.append(kept.sum() / len(points))
    return np.array(shares)


def check_script(script: Script, view: View, limits: Limits | None = None) -> Checked:
    """Faults of a script; of `static` and of whole turns only speed is asked, and that the target is hidden once."""
    allowed, faults = limits or Limits(), []
    areas = box_areas(script.poses, view) if view.box is not None else np.array([])
    moved = twists(script.poses) * script.fps
    turn, step = np.degrees(np.linalg.norm(moved[:, 3:], axis=1)).max(), np.linalg.norm(moved[:, :3], axis=1).max()
    if turn > allowed.turn * (1 + 1e-6) or step > allowed.step * (1 + 1e-6):
        faults.append(f"{turn:.1f} degrees and {step:.2f} depths per second are too fast")
    if len(script.legs) > 1:
        faults += _home(script.poses)
        if areas.size and areas[list(waiting_frames(script))].max() > 0:
            faults.append("the target is in view while the camera waits")
    elif script.legs[0][0] != "wait" and areas.size and areas.min() > 0:
        faults.append("the target never leaves the view")
    return Checked(tuple(faults), tuple(areas.tolist()))


def check_clip(areas: Sequence[float], script: Script, poses: Floats | None = None) -> Checked:
    """Faults of a generated clip, by the area of the target's mask in each frame and, where known, its camera path.

    Frames of a clip of another length stand for those of the script at the same share of it.
    """
    found = np.asarray(areas, np.float64)
    faults = []
    if not found.size or found[0] <= 0:
        return Checked(("the target is not in the first frame",), tuple(found.tolist()))
    shares = found / found[0]
    place = np.linspace(0, len(script.poses) - 1, len(found))
    waits = waiting_frames(script)
    # The one frame of a turn without a wait may fall between two of the clip.
    waiting = (place >= waits[0] - 0.5) & (place <= waits[-1] + 0.5)
    seen = int((shares[waiting] > 0).sum())
    if len(script.legs) > 1 and seen:
        faults.append(f"the target is in view in {seen} of {int(waiting.sum())} waiting frames")
    if shares[-max(1, len(found) // 20) :].max() < SEEN:
        faults.append("the target is not back at the end")
    if poses is not None and len(script.legs) > 1:
        faults += _home(poses)
    return Checked(tuple(faults), tuple(shares.tolist()))


def _home(poses: Floats) -> list[str]:
    turn = float(geodesic_deg(poses[0, :3, :3], poses[-1, :3, :3]))
    step = float(np.linalg.norm(poses[-1, :3, 3] - poses[0, :3, 3]))
    if turn <= HOME_TURN and step <= HOME_STEP:
        return []
    return [f"it ends {turn:.1f} degrees and {step:.3f} depths from where it began"]
