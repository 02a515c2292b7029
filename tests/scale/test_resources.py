"""What a worker takes of a machine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from worldgauge.engine.scale.resources import needed_by


def _planned(device: str) -> list[tuple[Any, Any]]:
    stages = SimpleNamespace(networks=((SimpleNamespace(memory=3.0), SimpleNamespace(memory=2.0)),))
    job, plan = SimpleNamespace(setup=SimpleNamespace(device=device)), SimpleNamespace(gigabytes=4.0, stages=stages)
    return [(job, plan)]


def test_a_worker_has_a_gpu_to_itself_unless_it_is_to_share_it() -> None:
    alone, shared = needed_by(_planned("cuda:0")), needed_by(_planned("cuda:0"), 3)
    assert (alone.gpus, alone.sharing, alone.gpu_gigabytes) == (1, 1, 5.0)
    assert (shared.gpus, shared.sharing) == (1, 3)
    assert needed_by(_planned("cpu"), 3).gpus == 0
