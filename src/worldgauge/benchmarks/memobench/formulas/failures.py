"""Which of six failures a clip shows on the target's return: the stated rules, on the evidence of `return_evidence`.

Rules look at medians over the sampled frames, and each kind is asked for on its own: a clip may show several. A kind
whose evidence could not be matched, or that a camera that points elsewhere would explain as well, cannot be told: None,
which is neither yes nor no.
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
NEW_SCENERY_ANYHOW = 0.07
"""The same where something else explains a little of it: the world's clock is behind, so that whatever moves by itself
is elsewhere, or the target itself stands elsewhere with other looks."""
NEWCOMER = 0.006
"""New scenery from which something stands where nothing should."""
STANDS = 0.3
"""Colours at the true place that the rest of the frame lacks, and hues around it that should not be there, both in
target areas: from this much on something else stands there."""
STANDS_AFTER_DRIFT = 0.1
"""The same where the target's looks were drifting before it left, so that another thing is to be expected."""
DRIFTING = 0.1
"""Colour distance to the true target, while still in view, from which its looks are drifting."""
DRIFTED = 0.15
"""The same, from which it is another thing before it leaves."""
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


def name_failures(evidence: Mapping[str, ArrayLike]) -> dict[str, bool | None]:
    """Kind to whether the clip shows it, None where that cannot be told; several may hold.

    Source: the kinds arXiv 2606.27537, A.9; the rules ours.

    >>> calm = {"turn_visible": [0.0], "turn_gone": [0.0], "turn_back": [0.0], "scenery_visible": [0.0]}
    >>> gone = calm | {"scenery_back": [0.0], "seen": [0.0], "novel": [0.0]}
    >>> gone |= {"shift_x": [np.nan], "shift_y": [np.nan]}
    >>> gone |= {"from_reset": [np.nan], "looks_true": [0.9], "looks_last": [0.9], "true_change": [0.1]}
    >>> gone |= {"overlap": [0.0], "beyond": [0.0], "drift": [0.0]}
    >>> [kind for kind, shown in name_failures(gone).items() if shown]
    ['vanish']
    >>> name_failures(gone | {"turn_back": [40.0]})["vanish"] is None
    True
    """
    value = {name: _median(numbers) for name, numbers in evidence.items()}
    across, down = (np.asarray(evidence[f"shift_{axis}"], np.float64) - value[f"shift_{axis}"] for axis in "xy")
    value["away"] = float(np.hypot(value["shift_x"], value["shift_y"]))
    value["wander"] = _median(np.hypot(across, down))
    turns = {phase: value[f"turn_{phase}"] for phase in ("visible", "gone", "back")}
    aligned = all(turns[phase] <= TURNED for phase in ("visible", "back"))
    found = _told(value["seen"] >= 0.5, value["seen"])
    named: dict[str, bool | None] = dict.fromkeys(KINDS)
    named["camera_drift"] = any(turn > TURNED for turn in turns.values()) or _told(False, *turns.values())
    if found:
        named["vanish"] = False
    if not aligned or found is None:
        # The target may be out of view, and what is compared lies elsewhere.
        return named
    return named | (_of_found(value) if found else _of_missing(value))


def _of_found(value: Mapping[str, float]) -> dict[str, bool | None]:
    """A target that is there: whether it is another, and where and when it is."""
    reset = _stood_still(value)
    drifted = value["drift"] > DRIFTED
    looks = (value["looks_true"], value["looks_last"])
    another = _told((looks[0] if drifted else min(looks)) > OTHER_LOOKS, *looks)
    return {
        "state_reset": reset,
        "background": _new_scenery(value, bool(reset)),
        "teleport": _jumped(value, reset),
        # A process that stopped may explain the looks, unless they were another's before.
        "identity_drift": None if another and reset and not drifted else another,
    }


def _of_missing(value: Mapping[str, float]) -> dict[str, bool | None]:
    """A target that is not there: whether something else is, at its place or, where it was turning into something else
    in view, elsewhere."""
    background = _new_scenery(value, False)
    stands = _stands(value, background)
    if stands:
        # Whether another thing is in the state of then cannot be told.
        told: dict[str, bool | None] = {"identity_drift": True, "vanish": False, "teleport": False}
        return told | {"background": background, "state_reset": None}
    if stands is False and value["drift"] > DRIFTED:
        new = value["scenery_back"] - value["scenery_visible"]
        elsewhere = True if NEWCOMER < new <= NEW_SCENERY_ANYHOW else None
        told = {"identity_drift": True, "vanish": False if elsewhere else None, "teleport": elsewhere}
        return told | {"background": _new_scenery(value, True), "state_reset": None}
    vanished = None if stands is None else not stands
    return {
        "identity_drift": stands, "vanish": vanished, "teleport": False, "state_reset": False,
        "background": background,
    }  # fmt: skip


def _new_scenery(value: Mapping[str, float], explained: bool) -> bool | None:
    """Whether the surroundings are others; `explained`: a few of them may be so for another reason."""
    new = value["scenery_back"] - value["scenery_visible"]
    return _told(new > (NEW_SCENERY_ANYHOW if explained else NEW_SCENERY), new)


def _stands(value: Mapping[str, float], background: bool | None) -> bool | None:
    """Whether something else stands at the true place: by its colours, and by hues around it while the rest is as it
    was."""
    limit = STANDS_AFTER_DRIFT if value["drift"] > DRIFTING else STANDS
    signs = [value["novel"]] if background else [value["novel"], value["beyond"]]
    return _told(sum(signs) > limit, *signs)


def _jumped(value: Mapping[str, float], reset: bool | None) -> bool | None:
    """Farther off than its process could have taken it."""
    return None if reset is None else _told(value["away"] > FAR and not reset, value["away"])


def _stood_still(value: Mapping[str, float]) -> bool | None:
    """Whether the target is as it was when it left: in its place of then, with its looks of then, or only a bit off.

    A sign that was not matched leaves the answer open unless another one settles it.
    """
    elsewhere = _told(value["overlap"] < OVERLAP, value["overlap"])
    differs = _told(value["looks_true"] > CHANGED_LOOKS, value["looks_true"])
    unlike = float(np.minimum(value["looks_true"], value["true_change"]))
    like_then = _told(value["looks_last"] < LIKE_LAST * unlike, value["looks_last"], unlike)
    signs = (
        _both(elsewhere, _told(value["from_reset"] < AT_RESET, value["from_reset"])),
        _both(differs, like_then),
        _both(elsewhere, _told(value["away"] <= FAR, value["away"])),
        _both(elsewhere, _told(value["wander"] > WANDER * value["away"], value["wander"], value["away"])),
    )
    return True if True in signs else None if None in signs else False


def _both(first: bool | None, second: bool | None) -> bool | None:
    """Whether both hold; None where that hangs on one that cannot be told."""
    return False if False in (first, second) else None if None in (first, second) else True


def _told(answer: bool, *evidence: float) -> bool | None:
    """The answer, if all that it rests on was matched."""
    return bool(answer) if np.isfinite(evidence).all() else None


def _median(numbers: ArrayLike) -> float:
    finite = np.asarray(numbers, np.float64)
    finite = finite[np.isfinite(finite)]
    return float(np.median(finite)) if finite.size else float("nan")
