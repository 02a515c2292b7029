"""Rows at a time as memory allows: halved for all, written down, and records made with others do not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import helpers
import stubs
from worldgauge.api.building import build_job
from worldgauge.core.errors import NoRoom, WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.run_folder import Run
from worldgauge.engine.fitting import execute_fitting
from worldgauge.engine.plan import make_plan


@dataclass(frozen=True)
class HungryFlow(stubs.Ruler):
    """A network that has room for two rows, which shows at its fourth clip."""

    seat: ClassVar[str] = "flow"
    name: ClassVar[str] = "hungry_flow"
    weights = stubs.WEIGHTS
    room: ClassVar[int] = 2
    asked: ClassVar[list[int]] = []

    batch: int = 8

    def unavailable(self) -> str | None:
        return None

    def flow_stacks(self, frames: Sequence[np.ndarray], pairs: Sequence[tuple[int, int]]) -> Iterator[np.ndarray]:
        self.asked.append(self.batch)
        if self.batch > self.room and self.asked.count(self.batch) > 2:
            raise NoRoom(self.name, self.batch)
        for _ in pairs:
            yield np.full((1, *frames[0].shape[:2], 2), self.batch, np.float32)


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    others = INSTRUMENTS.get
    HungryFlow.asked.clear()
    monkeypatch.setattr(INSTRUMENTS, "get", lambda name: HungryFlow if name == HungryFlow.name else others(name))


def run(videos: Path) -> Run:
    job = build_job(videos, metrics="flow_magnitude", use=("flow=hungry_flow",), out="out", device="cpu")
    told: list[str] = []
    ((done, _, totals),) = execute_fitting([(job, make_plan(job))], tell=told.append)
    assert [line.split(",")[0] for line in told] == [
        "hungry_flow: 8 rows at a time do not fit into the GPU's memory",
        "hungry_flow: 4 rows at a time do not fit into the GPU's memory",
    ]
    assert totals.finished and dict(done.setup.batches) == {"hungry_flow": 2}
    return Run(Path("out"))


def test_rows_are_halved_for_the_whole_run(videos: Path) -> None:
    found = run(videos)
    (definition,) = found.file.definitions
    assert definition.signals[0]["needs"][0]["instrument"]["parameters"]["batch"] == 2
    # Two clips were measured with 8 and with 4 rows; all that counts was measured with 2.
    counting = [r for r in helpers.records(Path("out")) if r["fingerprint"] == definition.fingerprint]
    assert len(counting) == 3
    assert [record["value"] for record in found.records()] == pytest.approx([np.hypot(2, 2)] * 3)


def test_a_network_without_room_for_one_row_is_one_line(videos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HungryFlow, "room", 0)
    monkeypatch.setattr(HungryFlow, "asked", [8, 8, 4, 4, 2, 2, 1, 1])
    with pytest.raises(WorldGaugeError, match="no room on the GPU even for one frame"):
        run(videos)
