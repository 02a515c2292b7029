"""How many workers a run gets where nobody says so, and what is told of a GPU that several of them share."""

from __future__ import annotations

import pytest

from worldgauge.api import sharing
from worldgauge.api.sharing import chosen_workers
from worldgauge.core.instrument import Instrument
from worldgauge.engine.run import Totals


class Large(Instrument):
    name = "large"
    memory = 20.0


@pytest.fixture(autouse=True)
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing.os, "cpu_count", lambda: 32)


@pytest.mark.parametrize(
    ("gpus", "free", "clips", "workers"),
    [
        (0, 0.0, 1000, 32),
        (1, 139.0, 1000, 4),  # memory: 4 times 20 and 8 gigabytes
        (1, 1000.0, 1000, 8),  # cores
        (1, 1000.0, 40, 2),  # clips
        (2, 1000.0, 1000, 8),  # half of the cores for each
        (2, 139.0, 10, 2),
        (1, 24.0, 1000, 1),
        (1, 0.0, 1000, 1),  # memory is stated, or nobody knows
    ],
)
def test_workers_as_cores_memory_and_clips_allow(gpus: int, free: float, clips: int, workers: int) -> None:
    # One network that two metrics ask is one.
    assert chosen_workers(0, gpus, free, [Large(), Large()], clips) == workers
    assert chosen_workers(3, gpus, free, [Large()], clips) == 3


def test_what_workers_of_one_gpu_waited_together() -> None:
    totals = Totals(gpu_seconds=30, gpu_wall_seconds=40)
    assert totals.waited == 0.25
    totals.gpu_sharing = 2
    assert totals.waited == 0.25**2
    totals.gpu_seconds = 50
    assert totals.waited == 0.0
    assert Totals().waited is None
