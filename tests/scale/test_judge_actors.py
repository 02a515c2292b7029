"""Actors that put a judge's questions, in this process: who gets a call, who is replaced, what travels."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import fake_ray
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.scale.cluster import Cluster
from worldgauge.engine.scale.judge_actors import JudgeActor, JudgeActors, judges_on
from worldgauge.engine.scale.ray_executor import RayExecutor
from worldgauge.engine.scale.resources import Resources
from worldgauge.engine.scale.shipping import Shipment
from worldgauge.judge import elsewhere
from worldgauge.judge.elsewhere import Elsewhere, Unsent, opened
from worldgauge.judge.request import Client, Decoding, Denied, Failed, Reply, Request
from worldgauge.judge.settings import Settings

KEY = "TEST_JUDGE_KEY"
REQUEST = Request("", "Is it there?", {}, (), None, Decoding(0.0, 0, 10))
REMOTE = Settings(endpoint="http://127.0.0.1:9/v1", model="m", key=KEY, concurrency=3)
MODEL = Settings(client="local", model="m")


class Echo:
    """A client that answers with the name of its model."""

    def __init__(self, settings: Settings) -> None:
        if settings.model == "missing":
            raise WorldGaugeError("no such model")
        self._model = settings.model

    def send(self, request: Request) -> Reply:
        if self._model == "busy":
            raise Failed("429", "slow down", after=2.0)
        return Reply(f"{self._model}: {request.text}")

    def close(self) -> None:
        pass


@dataclass
class Inline(fake_ray.FakeRay):
    """Actors of this process; those with a number in `lost` die at their first call."""

    lost: set[int] = field(default_factory=set)
    arguments: list[tuple[Any, ...]] = field(default_factory=list)

    def remote(self, kind: type) -> Any:
        return _Kind(self, kind)


@dataclass
class _Kind:
    ray: Inline
    kind: type

    def options(self, **given: Any) -> _Kind:
        self.ray.options_seen.append(given)
        return self

    def remote(self, *arguments: Any) -> Any:
        self.ray.arguments.append(arguments)
        number, self.ray.started = self.ray.started, self.ray.started + 1
        actor = self.kind(*arguments)

        def call(request: Request) -> Any:
            return fake_ray.RayError("the node died") if number in self.ray.lost else actor.call(request)

        return _Handle(fake_ray._Method(call))


@dataclass
class _Handle:
    call: Any


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Client]:
    """The client of a judge with four actors, or as many as are asked for."""
    monkeypatch.setattr(elsewhere, "open_client", Echo)
    monkeypatch.setenv(KEY, "sk-secret")

    def make(ray: Inline, settings: Settings = REMOTE, count: int = 4) -> Client:
        return opened(settings, judges_on(Cluster(ray, Shipment(()), tmp_path), count))

    return make


def test_calls_go_round(there: Callable[..., Client]) -> None:
    ray = Inline()
    client = there(ray)
    assert {client.send(REQUEST).text for _ in range(8)} == {"m: Is it there?"}
    assert isinstance(client, Elsewhere) and isinstance(client._caller, JudgeActors)
    assert client._caller.calls == dict.fromkeys(range(4), 2)
    client.close()
    assert ray.started == ray.killed == 4


def test_a_key_travels_as_an_argument_that_ray_does_not_show(there: Callable[..., Client]) -> None:
    ray = Inline()
    there(ray, count=1)
    assert ray.arguments[0][1] == {KEY: "sk-secret"} and "sk-secret" not in str(ray.options_seen)
    assert ray.options_seen[0] == {"max_restarts": 0, "num_cpus": 0, "num_gpus": 0, "max_concurrency": 3}


def test_a_lost_actor_is_replaced_and_its_call_may_have_cost(there: Callable[..., Client]) -> None:
    ray = Inline(lost={0})
    client = there(ray, count=1)
    with pytest.raises(Failed, match="was lost") as raised:
        client.send(REQUEST)
    assert raised.value.charged is None and raised.value.again
    assert client.send(REQUEST).text == "m: Is it there?" and ray.started == 2


def test_why_there_is_no_reply_travels(there: Callable[..., Client]) -> None:
    with pytest.raises(Failed, match="slow down") as raised:
        there(Inline(), REMOTE.model_copy(update={"model": "busy"})).send(REQUEST)
    assert (raised.value.kind, raised.value.after, raised.value.charged) == ("429", 2.0, False)
    with pytest.raises(Denied, match="no such model"):
        there(Inline(), REMOTE.model_copy(update={"model": "missing"})).send(REQUEST)
    unsent = Unsent.of(Denied("a wrong key"))
    assert pickle.loads(pickle.dumps(unsent)) == unsent and isinstance(unsent.exception(), Denied)
    assert pickle.loads(pickle.dumps(REQUEST)) == REQUEST


def test_a_model_gets_a_gpu_which_workers_then_lack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scale.test_ray_executor import setup_in

    monkeypatch.setattr(elsewhere, "open_client", Echo)
    ray = Inline(cpus=8.0, gpus=(80.0,))
    cluster = Cluster(ray, Shipment(()), tmp_path)
    assert isinstance(opened(REMOTE, judges_on(cluster, None)), Echo), "the driver calls servers itself"
    assert isinstance(opened(MODEL, judges_on(cluster, None)), Elsewhere)
    assert ray.options_seen[-1]["num_gpus"] == 1 and cluster.gpus_of_judges == 1
    with pytest.raises(WorldGaugeError, match="takes every GPU"):
        RayExecutor(cluster, setup_in(tmp_path), Resources(4, 1, 20), True)
    assert isinstance(opened(MODEL, judges_on(cluster, 0)), Echo)
    batched = REMOTE.model_copy(update={"batch": True})
    assert isinstance(opened(batched, judges_on(cluster, 4)), Echo), "a batch endpoint is spoken to by one"


def test_an_actor_has_its_key_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "another")
    actor = JudgeActor(lambda: str.upper, {KEY: "sk-secret"})
    assert os.environ[KEY] == "sk-secret" and actor.call("yes") == "YES"
