"""Whatever happens to a run folder, after the next run it says what a fresh run over the same files says."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from trust.job_server import REFUSED, Child, JobServer
from trust.run_folder_machine import RunFolderMachine
from trust.run_folder_model import Truth
from trust.run_folder_world import Pool, Request
from worldgauge.core import manifest
from worldgauge.core.metric import METRICS
from worldgauge.core.signal import SIGNALS


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    made = Pool(tmp_path / "pool")
    yield made
    # Other tests of this process know nothing of the plug-in.
    manifest._included.pop(made.plugin.resolve(), None)
    for registry in (METRICS, SIGNALS):
        for name in [name for name in registry._entries if name.startswith("machine_")]:
            del registry._entries[name]
    sys.path[:] = [place for place in sys.path if place != str(made.plugin.parent)]
    # The next pool has a helper of the same name.
    here = [name for name, module in sys.modules.items() if str(made.root) in (getattr(module, "__file__", None) or "")]
    for name in here:
        del sys.modules[name]


def drive(machine: Callable[[], RuleBasedStateMachine], examples: int, steps: int, number: int = 1) -> None:
    run_state_machine_as_test(
        # The same sequences every time.
        seed(number)(machine),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            # To shrink a sequence takes minutes, and it is short as it is.
            phases=[Phase.generate],
        ),
    )


def test_any_sequence_ends_like_a_fresh_run(pool: Pool) -> None:
    truth = Truth(pool.root / "fresh")
    drive(lambda: RunFolderMachine(pool, truth), examples=25, steps=12)


class RealMachine(RunFolderMachine):
    """The same with a process for every run: a kill is a SIGKILL at any moment, and two writers start together."""

    met: ClassVar[Counter[str]] = Counter()
    """What happened, over all sequences."""

    def __init__(self, pool: Pool, truth: Truth, server: JobServer) -> None:
        super().__init__(pool, truth)
        self.server = server

    def start(self, request: Request) -> Child:
        return self.server.start(self.world.arguments(request, self.out, self.store), self.clock)

    def run(self, request: Request | None) -> None:
        if request is not None and request.chosen(self.world.state):
            assert self.start(request).wait() == 0
            self.model.finished(self.world, request)

    def kill(self, request: Request, at: int, share: float) -> None:
        child = self.start(request)
        wanted = len(self._lines()) + at // 3
        ends = time.monotonic() + 0.1 * share
        while len(self._lines()) < wanted and time.monotonic() < ends:
            time.sleep(0.0005)
        time.sleep(0.01 * share)
        os.kill(child.pid, signal.SIGKILL)
        status = child.wait()
        self.met["ended before the kill" if status == 0 else "killed"] += 1
        if status == 0:
            self.model.finished(self.world, request)
        else:
            assert status == -signal.SIGKILL
            self.model.stopped(self.world, request)
            self.reported()

    def write_twice(self, first: Request, second: Request) -> None:
        """Both are started; one that is refused because the other writes is started again."""
        waiting = [(request, self.start(request)) for request in (first, second)]
        while waiting:
            request, child = waiting.pop(0)
            status = child.wait()
            self.met["second writer refused" if status == REFUSED else "writer"] += 1
            if status == REFUSED:
                waiting.append((request, self.start(request)))
                continue
            assert status == 0
            self.model.note(self.world, request)
        self.model.finished(self.world, second)
        self.model.finished(self.world, first)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[JobServer]:
    log = tmp_path / "server.log"
    started = JobServer(log)
    yield started
    started.close()
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(1, 9))
def test_any_of_a_thousand_sequences_with_real_kills(pool: Pool, server: JobServer, number: int) -> None:
    """A thousand in eight parts, so that they can be tried side by side."""
    truth = Truth(pool.root / "fresh")
    RealMachine.met.clear()
    drive(lambda: RealMachine(pool, truth, server), examples=125, steps=12, number=number)
    # How many there are is chance: one part of eight had six kills.
    assert RealMachine.met["killed"] > 0 and RealMachine.met["second writer refused"] > 0, RealMachine.met
