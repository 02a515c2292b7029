"""Actors that put a judge's questions: each holds a connection of its own, or a model.

Who may ask, when, and out of which purse is settled before a call comes here.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from worldgauge.core.asking import CallLost, Connection, OpensJudge
from worldgauge.engine.scale.cluster import Cluster

log = logging.getLogger(__name__)

_CPUS_OF_MODEL = 2
"""Of an actor that holds a model: it opens pictures beside it. One that waits for a server takes none."""


class JudgeActor:
    """A connection as an actor; many calls at once, each in a thread of Ray's."""

    def __init__(self, opens: Callable[[], Callable[[Any], Any]], keys: Mapping[str, str]) -> None:
        os.environ.update(keys)
        self._send = opens()

    def call(self, request: Any) -> Any:
        return self._send(request)


class JudgeActors:
    """The actors of one judge, seen from the driver: a call goes to the one with the fewest. A lost one is replaced."""

    def __init__(self, cluster: Cluster, connection: Connection, count: int) -> None:
        self._ray, self._connection = cluster.ray, connection
        self._gpus = 1 if connection.holds_model and any(node.gpus for node in cluster.nodes()) else 0
        cluster.gpus_of_judges += self._gpus * count
        self._lock = threading.Lock()
        self._actors = [self._started() for _ in range(count)]
        self._busy: Counter[int] = Counter()
        self.calls: Counter[int] = Counter()
        """Given to each actor."""

    def call(self, request: Any) -> Any:
        with self._lock:
            number = min(range(len(self._actors)), key=lambda one: (self._busy[one], self.calls[one]))
            self._busy[number] += 1
            self.calls[number] += 1
            handle = self._actors[number]
        try:
            return self._ray.get(handle.call.remote(request))
        except self._ray.exceptions.RayTaskError:
            # A mistake of ours there.
            raise
        except self._ray.exceptions.RayError as error:
            with self._lock:
                if self._actors[number] is handle:
                    self._actors[number] = self._started()
            raise CallLost("the actor that asked was lost") from error
        finally:
            with self._lock:
                self._busy[number] -= 1

    def close(self) -> None:
        log.debug("calls given to each judge actor: %s", dict(self.calls))
        for handle in self._actors:
            self._ray.kill(handle)

    def _started(self) -> Any:
        known = self._connection
        # An argument, not the runtime environment: Ray shows that to everybody.
        keys = {known.key_variable: os.environ[known.key_variable]} if known.key_variable in os.environ else {}
        cpus = _CPUS_OF_MODEL if known.holds_model else 0
        options = {"num_cpus": cpus, "num_gpus": self._gpus, "max_concurrency": known.at_once, "max_restarts": 0}
        return self._ray.remote(JudgeActor).options(**options).remote(known.opens, keys)


def judges_on(cluster: Cluster, asked: int | None) -> OpensJudge:
    """What connects to a judge by `asked` actors. Where nobody said how many, a model gets one, with a GPU where the
    cluster has any, and this process calls servers itself."""

    def opens(connection: Connection) -> JudgeActors | None:
        count = asked if asked is not None else int(connection.holds_model)
        return JudgeActors(cluster, connection, count) if count else None

    return opens
