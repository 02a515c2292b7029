"""Which parts a case has: one case for every part, and none of the others."""

from __future__ import annotations

from typing import Any

import pytest

from worldgauge.core.case import Case
from worldgauge.core.case_parts import PARTS, check_parts, in_order, in_words, lacking, object_masks, offers
from worldgauge.core.errors import WorldGaugeError

HAVING: dict[str, tuple[dict[str, Any], set[str]]] = {
    "nothing": ({}, set()),
    "reference": ({"reference": {"video": "v.mp4"}}, {"reference"}),
    "box": ({"reference": {"target": {"name": "t", "box": [0, 0, 1, 1]}}}, {"target", "target_name", "target_box"}),
    "mask": (
        {"reference": {"target": {"name": "t", "mask": "m.png"}}},
        {"target", "target_name", "target_mask", "object_masks"},
    ),
    "name alone": ({"reference": {"target": {"name": "t"}}}, {"target_name"}),
    "no name": ({"reference": {"target": {"name": " "}}}, set()),
    "masks": ({"reference": {"truth": {"mask_1": "1.png", "depth": "d.npz"}}}, {"object_masks"}),
    "depth": ({"reference": {"truth": {"depth": "d.npz"}}}, set()),
    "asked path": ({"condition": {"camera": "c.npz"}}, {"camera"}),
    "done path": ({"reference": {"camera": "c.npz"}}, {"camera"}),
    "phases": ({"reference": {"phases": {"gone": 1, "back": 2}}}, {"phases"}),
    "prompt": ({"condition": {"prompt": "a"}}, {"prompt"}),
    "chunks": ({"condition": {"chunks": [{"first": 0, "last": 1, "caption": ""}]}}, {"chunks"}),
    "actions": ({"condition": {"actions": ["W"]}}, {"actions"}),
    "image": ({"condition": {"image": "i.png"}}, {"image"}),
    "questions": ({"reference": {"questions": [{"text": "?", "answer": "no"}]}}, {"questions"}),
}


@pytest.mark.parametrize("name", HAVING)
def test_a_case_offers_what_it_has_and_nothing_else(name: str) -> None:
    content, expected = HAVING[name]
    case = Case.model_validate({"id": "a", **content})
    assert {part for part in PARTS if offers(case, part) is True} == expected | {"video", "case"}
    assert {part for part in PARTS if offers(case, part) is False} == set(PARTS) - expected - {"video", "case"}


def test_every_part_is_had_by_some_case_above() -> None:
    assert set.union(*(parts for _, parts in HAVING.values())) | {"video", "case"} == set(PARTS)


def test_extras_and_alternatives() -> None:
    case = Case(id="a", extras={"rules": ["none"], "empty": []})
    assert offers(case, "extras.rules")
    assert not offers(case, "extras.empty")
    assert not offers(case, "extras.other")
    assert offers(case, "camera|extras.rules")
    assert not offers(case, "camera|extras.other")


def test_words() -> None:
    assert in_words("target_mask") == "a target mask"
    assert lacking("reference") == "needs a reference video, the case has none"
    assert lacking("camera|extras.rules") == "needs a camera path or 'rules', the case has none"


def test_parts_stand_in_the_order_of_the_table_with_extras_behind() -> None:
    assert in_order(["extras.b", "prompt", "extras.a", "video", "prompt"]) == (
        "video",
        "prompt",
        "extras.a",
        "extras.b",
    )


def test_a_wrong_part_is_refused_also_as_an_alternative() -> None:
    check_parts(["video", "camera|extras.anything"])
    with pytest.raises(WorldGaugeError, match="unknown part of a case 'camara'; did you mean camera"):
        check_parts(["video", "extras.x|camara"])


def test_object_masks_are_files_in_order_of_their_names() -> None:
    case = Case.model_validate({"id": "a", "reference": {"truth": {"mask_2": "b", "depth": "d", "mask_1": "c"}}})
    assert object_masks(case) == ["c", "b"]
