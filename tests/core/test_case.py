"""What a case hands out: files below its root, masks, targets and camera paths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pydantic import ValidationError

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition, Phases, Reference, Target
from worldgauge.core.errors import NotApplicable, WorldGaugeError


def test_a_mask_is_what_is_brighter_than_127(tmp_path: Path) -> None:
    levels = np.array([[0, 127, 128, 255]], np.uint8)
    Image.fromarray(levels).save(tmp_path / "mask.png")
    case = Case(id="a", reference=Reference(target=Target(name="box", box=(1, 2, 3, 4), mask="mask.png"))).at(tmp_path)
    assert case.mask("mask.png").tolist() == [[False, False, True, True]]
    target = case.target()
    assert target.mask is not None
    assert target.mask.tolist() == [[False, False, True, True]]
    assert (target.name, target.box) == ("box", (1, 2, 3, 4))


def test_a_target_may_have_no_mask_and_a_case_no_target() -> None:
    assert Case(id="a", reference=Reference(target=Target(name="box"))).target().mask is None
    with pytest.raises(NotApplicable, match="the case has no target"):
        Case(id="a").target()


def test_the_requested_and_the_executed_path_stand_in_for_each_other(tmp_path: Path) -> None:
    for name, shift in (("asked", 1.0), ("done", 2.0)):
        poses = np.tile(np.eye(4), (2, 1, 1))
        poses[1, 0, 3] = shift
        CameraPath(poses).save(tmp_path / f"{name}.npz")
    both = Case(id="a", condition=Condition(camera="asked.npz"), reference=Reference(camera="done.npz")).at(tmp_path)
    asked = Case(id="a", condition=Condition(camera="asked.npz")).at(tmp_path)
    done = Case(id="a", reference=Reference(camera="done.npz")).at(tmp_path)
    found = [c.camera(which).translation[1, 0] for c in (both, asked, done) for which in ("condition", "reference")]
    assert found == [1, 2, 1, 1, 2, 2]
    with pytest.raises(NotApplicable, match="the case has no camera path"):
        Case(id="a").camera()
    with pytest.raises(WorldGaugeError, match=r"asked\.npz does not exist"):
        asked.at(tmp_path / "elsewhere").camera()


def test_a_case_is_its_own_cluster_unless_it_names_one() -> None:
    assert Case(id="a").cluster_id == "a"
    assert Case(id="a", cluster="scene").cluster_id == "scene"


def test_paths_are_below_the_root_and_the_original_stays(tmp_path: Path) -> None:
    case = Case(id="a")
    assert case.at(tmp_path).path("x/y.png") == tmp_path / "x" / "y.png"
    assert case.path("x") == Path("x")


def test_json_holds_what_is_not_default_and_the_schema() -> None:
    case = Case(id="a", tags={"k": "v"})
    assert case.to_json() == {"id": "a", "tags": {"k": "v"}, "schema": 1}
    assert Case.model_validate(case.to_json()) == case


def test_phases_come_in_order() -> None:
    assert Phases(gone=3, back=3).back == 3
    with pytest.raises(ValidationError, match="lies before gone"):
        Phases(gone=3, back=2)
