"""Which of six failures a clip shows on the target's return: the stated rules, on the evidence of `return_evidence`.

Rules look at medians over the sampled frames. A camera that does not point where the reference's does explains any
difference in the picture, so the other five are named only where it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

KINDS: Final = ("vanish", "identity_drift", "state_reset", "teleport", "background", "camera_drift")

TURNED = 5.0
"""Degrees: a camera turned this far from the reference's in some phase has drifted."""
NEW_SCENERY = 0.018
"""Share of the surroundings that shows something else after the return and did not before."""
NEW_SCENERY_AFTER_RESET = 0.07
"""The same where the world's clock is behind: whatever moves by itself is elsewhere then."""
STANDS = 0.3
"""Colours at the true place that the rest of the frame lacks, and hues around it that should not be there, both in
target areas: from this much on something else stands there."""
STANDS_AFTER_DRIFT = 0.1
"""The same where the target's looks were drifting before it left, so that another thing is to be expected."""
DRIFTING = 0.1
"""Colour distance to the true target, while still in view, from which its looks are drifting."""
OTHER_LOOKS = 0.4
"""Colour distance to the true target and to the one last seen, from which one that was found is another thing."""
FAR = 1.2
"""Target sizes from the true place: what comes back farther off has jumped, unless its process stood still."""
AT_RESET = 0.15
"""Target sizes from where it would be had its process stood still."""
WANDER = 0.2
"""Share of its distance from the true place by which that distance changes: what has jumped moves alongside the true
target, what follows another clock does not."""
OVERLAP = 0.72
"""Overlap of masks below which place or shape are not the true ones."""
LIKE_LAST = 0.9
"""Looks closer to those last seen than this share of the distance to the true ones: the state stood still."""
CHANGED_LOOKS = 0.12
"""Colour distance to the true target from which its state differs."""


def name_failures(evidence: Mapping[str, ArrayLike]) -> dict[str, bool]:
    """Kind to whether the clip shows it; several may hold.

    Source: the kinds arXiv 2606.27537, A.9; the rules ours.

    >>> calm = {"turn_visible": [0.0], "turn_gone": [0.0], "turn_back": [0.0], "scenery_visible": [0.0]}
    >>> gone = calm | {"scenery_back": [0.0], "seen": [0.0], "novel": [0.0], "shift_x": [np.nan], "shift_y": [np.nan]}
    >>> gone |= {"from_reset": [np.nan], "looks_true": [0.9], "looks_last": [0.9], "true_change": [0.1]}
    >>> gone |= {"overlap": [0.0], "beyond": [0.0], "drift": [0.0]}
    >>> [kind for kind, shown in name_failures(gone).items() if shown]
    ['vanish']
    """
    value = {name: _median(numbers) for name, numbers in evidence.items()}
    across, down = (np.asarray(evidence[f"shift_{axis}"], np.float64) - value[f"shift_{axis}"] for axis in "xy")
    value["away"] = float(np.hypot(value["shift_x"], value["shift_y"]))
    value["wander"] = _median(np.hypot(across, down))
    turns = [value[f"turn_{phase}"] for phase in ("visible", "gone", "back")]
    drifted = any(turn > TURNED for turn in turns)
    found = value["seen"] >= 0.5
    stands = value["novel"] + value["beyond"] > (STANDS_AFTER_DRIFT if value["drift"] > DRIFTING else STANDS)
    another = found and min(value["looks_true"], value["looks_last"]) > OTHER_LOOKS
    reset = found and _stood_still(value)
    named = {
        "vanish": not found and not stands,
        "identity_drift": (another and not reset) or (not found and stands),
        "state_reset": reset,
        "teleport": found and not another and not reset and value["away"] > FAR,
        "background": value["scenery_back"] - value["scenery_visible"]
        > (NEW_SCENERY_AFTER_RESET if reset else NEW_SCENERY),
        "camera_drift": drifted,
    }
    return {kind: shown and (kind == "camera_drift" or not drifted) for kind, shown in named.items()}


def _stood_still(value: Mapping[str, float]) -> bool:
    """Whether the target is as it was when it left: in its place of then, with its looks of then, or only a bit off."""
    elsewhere = value["overlap"] < OVERLAP
    in_old_place = elsewhere and value["from_reset"] < AT_RESET
    unlike = min(value["looks_true"], value["true_change"])
    looks_of_then = value["looks_true"] > CHANGED_LOOKS and value["looks_last"] < LIKE_LAST * unlike
    near = elsewhere and value["away"] <= FAR
    other_motion = elsewhere and value["wander"] > WANDER * value["away"]
    return in_old_place or looks_of_then or near or other_motion


def _median(numbers: ArrayLike) -> float:
    finite = np.asarray(numbers, np.float64)
    finite = finite[np.isfinite(finite)]
    return float(np.median(finite)) if finite.size else float("nan")
