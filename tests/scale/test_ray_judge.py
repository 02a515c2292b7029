"""Four judge actors and four workers: calls at once and money keep to their limits, as the server's log shows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.cluster.nodes import LocalCluster, Size

from helpers import make_cases, make_videos, records
from judge.judge_server import KEY, PRICE_IN, PRICE_OUT, JudgeServer, judge_server
from worldgauge.api.building import build_job
from worldgauge.core.asking import Caller, Connection
from worldgauge.core.manifest import include, included
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import Totals, execute_together
from worldgauge.engine.scale.cluster import Cluster, connect
from worldgauge.engine.scale.judge_actors import JudgeActors, judges_on
from worldgauge.engine.scale.ray_executor import RayExecutor, on_cluster
from worldgauge.engine.scale.resources import needed_by
from worldgauge.judge.instrument import judge_of
from worldgauge.judge.settings import Settings

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'worldgauge[ray]'"),
]
PLUGIN = Path(__file__).parents[1] / "judge" / "judged_plugin.py"
CASES, AT_ONCE, ACTORS = 40, 3, 4


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        running.seconds = 0.02
        yield running


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """One node with room for four workers."""
    made = LocalCluster.temporary(Size(cpus=ACTORS, gigabytes=8.0))
    try:
        made.start(1)
        # Ray reads this when it is imported.
        os.environ.update(made.environment())
        include(PLUGIN)
        found = connect(made.address, included())
        yield found
        found.close()
    finally:
        for name in made.environment():
            os.environ.pop(name, None)
        made.close()


def judged(folder: Path, server: JudgeServer, cluster: Cluster, **limits: Any) -> tuple[Totals, list[dict[str, Any]]]:
    """A run with four workers, and its records of judged clips."""
    make_cases(folder / "cases", make_videos(folder / "videos", CASES))
    settings = Settings(
        endpoint=server.endpoint, model="test-judge-1", key="TEST_JUDGE_KEY", price_in=PRICE_IN, price_out=PRICE_OUT,
        frames=3, concurrency=AT_ONCE,
    )  # fmt: skip
    job = build_job(
        folder / "videos", benchmark=folder / "cases", includes=[PLUGIN], store=folder / "store", out=folder / "run",
        workers=ACTORS, judge=judge_of(settings), metrics="judged,looked", **limits,
    )  # fmt: skip
    planned = [(job, make_plan(job))]
    make, workers = on_cluster(cluster, planned, needed_by(planned), ACTORS), set[str]()

    def counted(*arguments: Any) -> RayExecutor:
        executor = make(*arguments)
        heard = executor._heard

        def noted(actor: Any, again: Any, results: Any) -> None:
            workers.add(str(actor.handle))
            heard(actor, again, results)

        executor._heard = noted  # type: ignore[method-assign]
        return executor

    judges: list[JudgeActors] = []

    def opens(connection: Connection) -> Caller | None:
        caller = judges_on(cluster, ACTORS)(connection)
        assert isinstance(caller, JudgeActors)
        judges.append(caller)
        return caller

    [totals] = execute_together(planned, make_executor=counted, opens=opens)
    assert len(workers) == ACTORS
    assert len(judges) == 1 and len(judges[0].calls) == ACTORS, "every actor has asked"
    assert sum(judges[0].calls.values()) == len(server.log.calls) and all(call.authorized for call in server.log.calls)
    return totals, [line for line in records(folder / "run") if line["metric"] == "judged"]


def test_calls_at_once(tmp_path: Path, server: JudgeServer, cluster: Cluster) -> None:
    server.together = AT_ONCE
    totals, found = judged(tmp_path, server, cluster)
    assert server.log.most_at_once == AT_ONCE
    assert len(server.log.calls) == CASES == totals.counters["judge_calls"]
    assert {line["status"] for line in found} == {"ok"} and len(found) == CASES


def test_the_number_of_calls(tmp_path: Path, server: JudgeServer, cluster: Cluster) -> None:
    _, found = judged(tmp_path, server, cluster, max_calls=7)
    assert len(server.log.calls) == 7
    assert sorted(line["status"] for line in found) == ["ok"] * 7 + ["unscored"] * (CASES - 7)


def test_what_it_may_cost(tmp_path: Path, server: JudgeServer, cluster: Cluster) -> None:
    limit = 0.03
    totals, found = judged(tmp_path, server, cluster, max_cost=limit)
    answered = sum(line["status"] == "ok" for line in found)
    assert 0 < answered == len(server.log.calls) < CASES
    assert server.log.cost <= limit and totals.counters["judge_spent"] == pytest.approx(server.log.cost)
    # Nothing more would have fitted: the reason of those that were not asked says what the next call may cost.
    reasons = {line["reason"] for line in found if line["status"] == "unscored"}
    assert reasons and all("may cost" in reason for reason in reasons)
    dearest = max(float(reason.split("may cost ")[1].split(",")[0]) for reason in reasons)
    assert server.log.cost + dearest > limit
