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
RARE_COLOURS = 0.085
"""Share of colours at the true place that the rest of the frame lacks, from which something stands there."""
OTHER_LOOKS = 0.4
"""Colour distance to the true target and to the one last seen, from which one that was found is another thing."""
FAR = 1.2
"""Target sizes from the true place: what comes back farther off has jumped, unless its process stood still."""
AT_RESET = 0.15
"""Target sizes from where it would be had its process stood still."""
OVERLAP = 0.72
"""Overlap of masks below which place or shape are not the true ones."""
LIKE_LAST = 0.8
"""Looks closer to those last seen than this share of the distance to the true ones: the state stood still."""
CHANGED_LOOKS = 0.12
"""Colour distance to the true target from which its state differs."""


def name_failures(evidence: Mapping[str, ArrayLike]) -> dict[str, bool]:
    """Kind to whether the clip shows it; several may hold.

    >>> calm = {"turn_visible": [0.0], "turn_gone": [0.0], "turn_back": [0.0], "scenery_visible": [0.0]}
    >>> gone = calm | {"scenery_back": [0.0], "seen": [0.0], "novel": [0.0], "away": [np.nan], "from_reset": [np.nan]}
    >>> gone |= {"looks_true": [0.9], "looks_last": [0.9], "true_change": [0.1], "overlap": [0.0]}
    >>> [kind for kind, shown in name_failures(gone).items() if shown]
    ['vanish']
    """
    value = {name: _median(numbers) for name, numbers in evidence.items()}
    turns = [value[f"turn_{phase}"] for phase in ("visible", "gone", "back")]
    drifted = any(turn > TURNED for turn in turns)
    found = value["seen"] >= 0.5
    stands = value["novel"] > RARE_COLOURS
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
    return in_old_place or looks_of_then or near


def _median(numbers: ArrayLike) -> float:
    finite = np.asarray(numbers, np.float64)
    finite = finite[np.isfinite(finite)]
    return float(np.median(finite)) if finite.size else float("nan")
