"""The pool: items of any size, workers that cannot start, and answers that stop a run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from worldgauge.core.benchmark import MetricUse
from worldgauge.core.case import Case
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.status import Status
from worldgauge.core.video import Video
from worldgauge.engine.executors import InlineExecutor, PoolExecutor, local_executor
from worldgauge.engine.job import Setup
from worldgauge.engine.limits import Limits
from worldgauge.engine.processes import death_by
from worldgauge.engine.work import WorkItem

METRIC = "picture_quality"


def _setup(folder: Path, *includes: Path, metric: str = METRIC, limits: Limits | None = None) -> Setup:
    (folder / "out").mkdir(exist_ok=True)
    limits = limits or Limits()
    return Setup((MetricUse(id=metric),), includes=includes, store=folder / "store", out=folder / "out", limits=limits)


def _items(count: int) -> list[WorkItem]:
    """Clips in memory, each larger than a pipe holds."""
    rng = np.random.default_rng(0)
    clips = [rng.integers(0, 255, (2, 120, 160, 3), np.uint8) for _ in range(count)]
    return [WorkItem(Case(id=str(i)), 0, Video.from_array(clip), 0, (METRIC,)) for i, clip in enumerate(clips)]


def test_items_larger_than_a_pipe_all_come_back(tmp_path: Path) -> None:
    pool = PoolExecutor(_setup(tmp_path), 2)
    try:
        results = list(pool.map(_items(9)))
        assert sorted(result.case for result in results) == [str(i) for i in range(9)]
        assert all(result.statuses == {Status.OK: 1} for result in results)
        # The same workers serve the next stage; nothing to do takes no time.
        assert list(pool.map([])) == []
    finally:
        pool.close()


def test_what_stops_the_run_is_raised_in_the_main_process(tmp_path: Path) -> None:
    setup = _setup(tmp_path)
    (tmp_path / "out").rmdir()
    (tmp_path / "out").write_text("in the way")
    pool = PoolExecutor(setup, 1)
    try:
        with pytest.raises(CannotWrite, match="cannot write records"):
            list(pool.map(_items(2)))
    finally:
        pool.close()


@pytest.mark.nightly
def test_workers_that_die_while_they_start_end_the_run(tmp_path: Path) -> None:
    plug_in = tmp_path / "dies.py"
    plug_in.write_text("import os\nos._exit(7)\n")
    pool = PoolExecutor(_setup(tmp_path, plug_in), 1)
    try:
        with pytest.raises(WorldGaugeError, match="worker processes do not start: the last one ended its process with"):
            list(pool.map(_items(1)))
    finally:
        pool.close()


@pytest.mark.parametrize(("code", "did"), [(0, "ended .* exit code 0"), (3, "ended .* exit code 3"), (-9, "SIGKILL")])
def test_how_a_worker_died_is_told(code: int, did: str) -> None:
    assert re.search(did, death_by(code).did)


def test_one_worker_is_a_process_only_where_that_is_asked_for(tmp_path: Path) -> None:
    ours = [Limits(), Limits(own_process=True), Limits(seconds=5.0, stated=True)]
    apart = [Limits(seconds=5.0, stated=True, own_process=True)]
    for limits, kind in [*((each, InlineExecutor) for each in ours), *((each, PoolExecutor) for each in apart)]:
        executor = local_executor(_setup(tmp_path, limits=limits), 1)
        executor.close()
        assert type(executor) is kind
