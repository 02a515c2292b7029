"""A judge on other machines: actors make the calls, out of one purse and at one pace.

Purse, pace, repairs and ledger stay in the driver's session, as without a cluster, and only the call itself is made
elsewhere. So limits hold for all actors together, and what was paid for is written down whoever is lost.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldgauge.engine.scale.cluster import Cluster
from worldgauge.judge.clients.open import open_client
from worldgauge.judge.request import Client, Denied, Failed, Reply, Request
from worldgauge.judge.settings import Settings

log = logging.getLogger(__name__)

_CPUS_OF_MODEL = 2
"""Of an actor that holds a model: it opens pictures beside it. One that waits for a server takes none."""


@dataclass(frozen=True)
class Unsent:
    """Why a call brought no reply, on its way to the driver: exceptions of ours do not travel by themselves."""

    kind: str
    reason: str
    after: float | None = None
    charged: bool | None = False
    again: bool = True
    denied: bool = False

    @classmethod
    def of(cls, problem: Failed) -> Unsent:
        about = (problem.kind, problem.reason, problem.after, problem.charged, problem.again)
        return cls(*about, denied=isinstance(problem, Denied))

    def exception(self) -> Failed:
        if self.denied:
            return Denied(self.reason)
        return Failed(self.kind, self.reason, after=self.after, charged=self.charged, again=self.again)


class JudgeActor:
    """The client of a judge as an actor; many calls at once, each in a thread of Ray's."""

    def __init__(self, settings: Settings, keys: Mapping[str, str]) -> None:
        os.environ.update(keys)
        self._client: Client | None = None
        self._problem: Unsent | None = None
        try:
            self._client = open_client(settings)
        except Exception as error:  # noqa: BLE001  told by the machine that asks
            self._problem = Unsent("denied", f"{type(error).__name__}: {error}", denied=True)

    def send(self, request: Request) -> Reply | Unsent:
        if self._client is None:
            return self._problem or Unsent("denied", "it was never opened", denied=True)
        try:
            return self._client.send(request)
        except Failed as problem:
            return Unsent.of(problem)


class ActorClient:
    """A judge's client in the driver: each call goes to the actor with the fewest. A lost one is replaced."""

    def __init__(self, cluster: Cluster, settings: Settings, count: int) -> None:
        self._ray, self._settings = cluster.ray, settings
        holds_model = settings.client == "local"
        self._gpus = 1 if holds_model and any(node.gpus for node in cluster.nodes()) else 0
        self._cpus = _CPUS_OF_MODEL if holds_model else 0
        cluster.gpus_of_judges += self._gpus * count
        self._lock = threading.Lock()
        self._actors = [self._started() for _ in range(count)]
        self._busy: Counter[int] = Counter()
        self.calls: Counter[int] = Counter()
        """Made by each actor."""

    def send(self, request: Request) -> Reply:
        with self._lock:
            number = min(range(len(self._actors)), key=lambda one: (self._busy[one], self.calls[one]))
            self._busy[number] += 1
            self.calls[number] += 1
            handle = self._actors[number]
        try:
            told = self._ray.get(handle.send.remote(request))
        except self._ray.exceptions.RayTaskError:
            # A mistake of ours there.
            raise
        except self._ray.exceptions.RayError as error:
            with self._lock:
                if self._actors[number] is handle:
                    self._actors[number] = self._started()
            # Nobody knows whether the question had been put.
            raise Failed("lost", "the actor that asked was lost", charged=None) from error
        finally:
            with self._lock:
                self._busy[number] -= 1
        if isinstance(told, Unsent):
            raise told.exception()
        reply: Reply = told
        return reply

    def close(self) -> None:
        log.debug("calls of each judge actor: %s", dict(self.calls))
        for handle in self._actors:
            self._ray.kill(handle)

    def _started(self) -> Any:
        variable = self._settings.key_variable
        # An argument, not the runtime environment: Ray shows that to everybody.
        keys = {variable: os.environ[variable]} if variable in os.environ else {}
        options = {"num_cpus": self._cpus, "num_gpus": self._gpus, "max_concurrency": self._settings.at_once}
        return self._ray.remote(JudgeActor).options(max_restarts=0, **options).remote(self._settings, keys)


def judges_on(cluster: Cluster, asked: int | None) -> Callable[[Settings], Client]:
    """What opens a judge: `asked` actors, or the driver where that is 0. Where nobody said, a model that runs here gets
    an actor, with a GPU where the cluster has any, and the driver calls servers itself."""

    def opens(settings: Settings) -> Client:
        count = asked if asked is not None else int(settings.client == "local")
        return ActorClient(cluster, settings, count) if count else open_client(settings)

    return opens
