"""How the columns become a total: the right world, and footage one can look at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worldgauge.core.aggregate import Tree
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.run_file import DefinitionFile


def total(**scores: float) -> dict[str, float]:
    """The groups of a model with these scores, 100 in every other column."""
    file = read_benchmark_file("pocket")
    same: dict[str, Any] = {"fingerprint": "f", "version": 1, "unit": "", "higher_is_better": True, "bounds": (0, 100)}
    tree = Tree(file, [DefinitionFile(id=use.id, metric=use.use, **same) for use in file.metrics])
    found = tree.combine(np.array([scores.get(use.id, 100.0) for use in file.metrics]))
    return dict(zip(tree.ids, found.tolist(), strict=True))


def test_footage_is_as_good_as_its_worst_flaw() -> None:
    flawed = total(single=25.0, stability=80.0)
    assert flawed["footage"] == 25.0 and flawed["world"] == 100.0
    assert flawed["overall"] == pytest.approx(50.0)


def test_neither_the_world_nor_the_footage_makes_up_for_the_other() -> None:
    world = {"camera": 0.0, "motion": 0.0, "direction": 0.0, "presence": 0.0, "return_fidelity": 0.0, "state": 0.0}
    assert total(**world)["overall"] == 0.0 == total(exposure=0.0)["overall"]


def test_half_of_the_frames_ghosted_is_worse_than_a_camera_that_drifts() -> None:
    """Columns as measured on the worlds of the demo; `bench.worthless` measures them anew."""
    ghosted = total(
        camera=58, presence=38, return_fidelity=67, state=32, motion=83, direction=82, stability=88, single=25
    )
    drifting = total(
        camera=57, presence=85, return_fidelity=0, state=0, motion=79, direction=20, stability=92, single=89
    )
    assert ghosted["overall"] < drifting["overall"] - 10
