"""Gauge blocks as cases: setting, subset, condition, anchor, captions and action script from what the block knows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from worldgauge.benchmarks.mbench.data.case_parts import (
    ACTION,
    ANCHOR,
    CAPTIONS,
    LEGS,
    SETTINGS,
    SUBSETS,
    TEXT,
)
from worldgauge.benchmarks.mbench.data.samples import Anchor
from worldgauge.benchmarks.mbench.formulas.conditions import read_condition
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError

VERBS = {"J": "left", "L": "right", "W": "forward", "S": "backward", "": "wait"}
"""Key of a block's action script to the verb of an action clip."""
SOURCE = "gauge block"
"""Who made the anchor: it is the truth."""
_NO_ACTION = "its camera does more than turn left and right or walk ahead and back"


def pose_blocks(
    cases: Sequence[Case], settings: Sequence[str] = SETTINGS, subsets: Sequence[str] = SUBSETS
) -> list[Case]:
    """Every block as a case of each setting and subset; one whose camera no released condition asks for only as text.

    The video of a block serves all the cases made of it: they share its `cluster`.
    """
    return [
        pose_block(case, setting, subset)
        for case in cases
        for setting in settings
        if setting == TEXT or leaves_and_comes_back(case)
        for subset in subsets
    ]


def pose_block(case: Case, setting: str, subset: str) -> Case:
    """One block as a case of one setting and subset; an id such as `A/object/room-standing-away_left-0007`."""
    if "seed" not in case.tags or case.reference.target is None:
        raise WorldGaugeError(f"case {case.id} is not a gauge block", "use cases written by `worldgauge blocks make`")
    captions = list(case.condition.captions.values())
    legs = legs_of_keys(case)
    if setting == ACTION and legs is None:
        raise WorldGaugeError(f"block {case.id} is no action case: {_NO_ACTION}", "take a path such as away_left")
    condition = "text" if setting == TEXT else condition_of(legs or [])
    tags = {"setting": setting, "subset": subset, "condition": condition, "hiding": hiding_of(case)}
    extras: dict[str, Any] = {"item_id": f"{subset}:{case.id}:{condition}", CAPTIONS: captions}
    if setting == ACTION:
        tags["direction"] = next((verb for verb, _ in legs or [] if verb != "wait"), "wait")
        extras[LEGS] = [list(leg) for leg in legs or []]
    if case.reference.target.box is not None:
        extras[ANCHOR] = anchor_of(case.reference.target.box).model_dump(mode="json")
    return case.model_copy(
        update={
            "id": f"{setting}/{subset}/{case.id}",
            "cluster": case.id,
            "tags": {**case.tags, **tags},
            "extras": {**case.extras, **extras},
        }
    )


def legs_of_keys(case: Case) -> list[tuple[str, float]] | None:
    """Verbs and the share of the clip each takes, from the keys held at each frame; None where a key has no verb.

    A clip of N frames has N - 1 steps; the keys of the last frame lead nowhere.
    """
    keys = case.condition.actions[:-1]
    if not keys or not set(keys) <= set(VERBS):
        return None
    return [(VERBS[key], len(list(run)) / len(keys)) for key, run in groupby(keys)]


def leaves_and_comes_back(case: Case) -> bool:
    """Whether a released condition asks for what the block's camera does: out and back by one way."""
    legs = legs_of_keys(case)
    try:
        return legs is not None and read_condition(condition_of(legs)).comes_back
    except WorldGaugeError:
        return False


def condition_of(legs: Sequence[tuple[str, float]]) -> str:
    """The condition id that fits a script best.

    >>> condition_of([("wait", 0.1), ("left", 0.4), ("right", 0.5)]), condition_of([("wait", 1.0)])
    ('left_then_right', 'static')
    """
    return "_then_".join(dict.fromkeys(verb for verb, _ in legs if verb != "wait")) or "static"


def anchor_of(box: tuple[float, float, float, float]) -> Anchor:
    """The true box of the first frame in the official fields.

    >>> anchor_of((10, 20, 30, 60)).center_x
    20.0
    """
    x0, y0, x1, y1 = box
    return Anchor(center_x=(x0 + x1) / 2, center_y=(y0 + y1) / 2, width=x1 - x0, height=y1 - y0, source=SOURCE)


def hiding_of(case: Case) -> str:
    """What hides the target of a block: camera, occlusion or dimming."""
    from worldgauge.blocks.paths import find_path

    return find_path(case.tags["path"]).hiding
