"""Workers of a Ray cluster: an actor for each GPU or core, a few items in flight for each, records written here."""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.job import Job, Setup
from worldgauge.engine.layers import bucket_of, read_layers
from worldgauge.engine.plan import Plan
from worldgauge.engine.scale.cluster import NODE, Cluster
from worldgauge.engine.scale.decoders import IN_THE_AIR, Decoders, Frames
from worldgauge.engine.scale.decoding import Looks
from worldgauge.engine.scale.host import Given, Host, Introduction, promises
from worldgauge.engine.scale.nodes import Expectation, for_actors, light
from worldgauge.engine.scale.origins import Origins
from worldgauge.engine.scale.resources import Resources, needs_shared_disk, needs_shared_store, places
from worldgauge.engine.scale.returned import ReturnedRecords
from worldgauge.engine.work import WorkItem, WorkResult
from worldgauge.engine.work_items import OnStep

log = logging.getLogger(__name__)

_LOOK = 1.0
"""Seconds between two looks for Ctrl-C."""
_MORE, _QUICK = 3, 0.5
"""Items an actor is given beside those it is at, where one takes less than that many seconds: it need not wait for the
next. Of slow ones it gets one, and none towards the end, lest another idles while it has two of them."""
_STARTS = 3
"""Actors in a row that may be lost before they are ready."""
_PATIENCE = 30.0
"""Seconds without any actor after which it is said what is waited for."""
_HEAD = 15.0
"""Seconds for which a head may be away."""
_DECODED_AHEAD = 4
"""Clips that an actor has beside those it is at where others decode them."""
_TWICE = "the machine or the process that worked on it was lost, twice"


class HeadLost(WorldGaugeError):
    """Without its head a cluster is none any more."""


@dataclass(eq=False)
class _Actor:
    """One actor seen from here. There is always one call to it that is not answered, or none and it is idle."""

    handle: Any
    call: Any
    is_ready: bool = False
    items: list[WorkItem] = field(default_factory=list)
    """What it was given and has not answered."""
    since: float = field(default_factory=time.monotonic)
    seconds: float = 1.0
    """What an item took of late."""
    node: str = ""
    """Where it is, by Ray's name,"""
    codecs: str = ""
    """and what it decodes with."""
    frames: dict[tuple[str, int, int], Frames] = field(default_factory=dict)
    """Those of items that it has not answered: Ray forgets what nobody refers to."""


class RayExecutor:
    """Items to actors and their results back. Who is lost with an item twice has it given up; the rest is scored."""

    def __init__(
        self,
        cluster: Cluster,
        setup: Setup,
        needed: Resources,
        perceive: bool,
        most: int = 0,
        shared_store: bool = False,
        shared_disk: bool = False,
        decoders: Decoders | None = None,
    ) -> None:
        """`most` actors, or as many as the cluster holds. With `shared_store` all must see what others store: on a disk
        that they share with this machine or, unless it is to be a `shared_disk`, in a bucket below. `decoders` decode
        for them."""
        self._ray, self._cluster = cluster.ray, cluster
        self._needed, self._asked = needed, most
        self._setup, self._perceive = for_actors(setup, needed), perceive
        self._records = ReturnedRecords(setup)
        self._actors: list[_Actor] = []
        self._deaths: Counter[tuple[tuple[str, int], int]] = Counter()
        self._failed_starts = 0
        self._layers, self._bucket = read_layers(self._setup.store), bucket_of(self._setup.store)
        self._origins, self._decoders = Origins(), decoders if perceive else None
        self._beacon = light(self._setup.store) if shared_store else None
        self.on_step: OnStep | None = None
        """Never called: what actors are at is not seen from here."""
        self._expected = Expectation(promises(setup), self._setup.store, shared_store, shared_disk)
        self._most = self._places()

    def map(self, items: Iterable[WorkItem]) -> Iterator[WorkResult]:
        coming, again = iter(items), deque[WorkItem]()
        self._most = self._places()
        while True:
            self._hand_out(coming, again)
            calls = {actor.call: actor for actor in self._actors if actor.call is not None}
            if not again and not any(actor.items for actor in self._actors):
                return
            results: list[WorkResult] = []
            try:
                for call in self._first_news(list(calls)):
                    self._heard(calls[call], again, results)
            finally:
                # Before anybody is told of them, and however the others ended; all that came together go to the disk
                # together.
                self._records.write(results)
            yield from results

    def close(self) -> None:
        """Stop at once: a half-done case leaves nothing behind but stored signals."""
        for actor in self._actors:
            self._end(actor)
        self._actors.clear()
        if self._decoders is not None:
            self._decoders.close()
        self._records.close()
        if self._beacon is not None:
            self._beacon.unlink(missing_ok=True)

    def _places(self) -> int:
        found = places(self._cluster.nodes(), self._needed)
        if self._needed.gpus and (taken := self._cluster.gpus_of_judges):
            found -= taken * self._needed.sharing
            if found < 1:
                raise WorldGaugeError(
                    "the judge's model takes every GPU of the cluster, and this run's networks need one too",
                    "add a node, or score without the judge first: what is perceived stays in the store",
                )
        return min(found, self._asked) if self._asked else found

    def _hand_out(self, coming: Iterator[WorkItem], again: deque[WorkItem]) -> None:
        """Give every actor that waits for it a few items, starting actors while there are more items than actors."""
        for actor in self._actors:
            if actor.is_ready and actor.call is None:
                self._give(actor, coming, again)
        starting = sum(not actor.is_ready for actor in self._actors)
        if not again and starting == len(self._actors) and (item := next(coming, None)) is not None:
            # Nobody is there yet to take it.
            again.append(item)
        while len(self._actors) < self._most:
            # An item for each one that is being started: nobody is called who has nothing to do.
            while len(again) <= starting and (item := next(coming, None)) is not None:
                again.append(item)
            if len(again) <= starting:
                return
            self._start()
            starting += 1

    def _give(self, actor: _Actor, coming: Iterator[WorkItem], again: deque[WorkItem]) -> None:
        room = self._setup.ahead + self._beside(actor, coming, again)
        given: list[WorkItem] = []
        while len(actor.items) + len(given) < room and not any(item.alone for item in [*actor.items, *given]):
            item = again.popleft() if again else next(coming, None)
            if item is None:
                break
            if item.alone and (actor.items or given):
                again.appendleft(item)
                break
            given.append(item)
        if given or actor.items:
            actor.items += given
            actor.since = time.monotonic()
            actor.call = actor.handle.exchange.remote([self._given(item, actor) for item in given])

    def _given(self, item: WorkItem, actor: _Actor) -> Given:
        origins, frames = self._origins.of(item), None
        if self._decoders is not None and self._decoders.any:
            room = IN_THE_AIR - sum(each.bytes for each in actor.frames.values())
            frames = self._decoders.frames(item, origins, actor.node, actor.codecs, room)
        if frames is None:
            return Given.of(item, origins)
        actor.frames[(*item.key, item.part)] = frames
        return Given.of(item, origins, frames.reference)

    def _beside(self, actor: _Actor, coming: Iterator[WorkItem], again: deque[WorkItem]) -> int:
        """Items that an actor is given beside those it is at."""
        if self._decoders is not None and self._decoders.any and self._has_plenty(_DECODED_AHEAD, coming, again):
            return _DECODED_AHEAD
        return _MORE if actor.seconds < _QUICK else int(self._has_plenty(1, coming, again))

    def _has_plenty(self, beside: int, coming: Iterator[WorkItem], again: deque[WorkItem]) -> bool:
        """Whether every actor would still find an item: then one may have its next beside it already."""
        wanted = 1 + beside * (1 + len(self._actors))
        while len(again) < wanted and (item := next(coming, None)) is not None:
            again.append(item)
        return len(again) >= wanted

    def _start(self) -> None:
        if self._decoders is not None:
            self._decoders.start(self._most)
        options: dict[str, Any] = {"num_cpus": self._needed.cpus, "memory": self._needed.gigabytes * 2**30}
        if self._needed.gpus:
            options["num_gpus"] = self._needed.gpu_share
        if unsuited := [node.id for node in self._cluster.nodes() if not node.suits(self._needed)]:
            options["label_selector"] = {NODE: f"!in({','.join(unsuited)})"}
        kind = self._ray.remote(Host).options(max_restarts=0, max_task_retries=0, **options)
        known = (self._cluster.shipment, str(Path.cwd()), self._layers, self._bucket)
        handle = kind.remote(self._setup, self._perceive, *known)
        beacon = self._beacon.name if self._beacon is not None else ""
        self._actors.append(_Actor(handle, handle.introduce.remote(beacon)))

    def _first_news(self, calls: list[Any]) -> list[Any]:
        """Calls that are answered, as soon as one is."""
        waited = time.monotonic()
        while True:
            found, _ = self._ray.wait(calls, num_returns=1, timeout=_LOOK)
            if found:
                return list(self._ray.wait(calls, num_returns=len(calls), timeout=0)[0])
            self._look_for_head()
            if not any(actor.is_ready for actor in self._actors) and time.monotonic() - waited > _PATIENCE:
                log.warning("waiting for room in the cluster: a worker needs %s", self._needed)
                if self._decoders is not None:
                    # Whoever helps must not stand in the way.
                    self._decoders.close()
                waited = time.monotonic()

    def _heard(self, actor: _Actor, again: deque[WorkItem], results: list[WorkResult]) -> None:
        """Take the results in an answer; what a lost actor had is put back."""
        call, actor.call = actor.call, None
        try:
            answer = self._ray.get(call)
        except self._ray.exceptions.RayTaskError:
            # A mistake of ours there.
            raise
        except self._ray.exceptions.RayError as error:
            self._look_for_head()
            log.warning("a worker was lost (%s); what it had is given to others", type(error).__name__)
            self._end(actor)
            self._actors.remove(actor)
            again.extend(self._left_by(actor, error))
            return
        if isinstance(answer, Introduction):
            self._expected.refuse_unlike(answer)
            actor.is_ready, self._failed_starts = True, 0
            actor.node, actor.codecs = answer.node, answer.codecs
            return
        for result in answer:
            if isinstance(result, BaseException):
                raise result
            actor.items.remove(next(item for item in actor.items if (*item.key, item.part) == result.item))
            actor.frames.pop(result.item, None)
            results.append(result)
        actor.seconds = (time.monotonic() - actor.since) / max(1, len(answer))

    def _look_for_head(self) -> None:
        """Wait a little for a head: those that keep their notes elsewhere can be started again under a run."""
        until = time.monotonic() + _HEAD
        while not self._cluster.head_answers():
            if time.monotonic() > until:
                raise HeadLost(
                    "the head of the Ray cluster is gone; every record that came is kept",
                    "start the cluster again, then the same command goes on",
                )
            time.sleep(_LOOK)

    def _left_by(self, actor: _Actor, error: Exception) -> list[WorkItem]:
        """What a lost actor had still to do, as with a worker process that died."""
        if not actor.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= _STARTS:
                why = (str(error).strip().splitlines() or [""])[0]
                raise WorldGaugeError(f"workers of the cluster do not start ({why})", "look into Ray's logs")
            return []
        if self._setup.ahead > 1 and len(actor.items) > 1:
            # Nobody knows which of them it was; one at a time it will show.
            return [replace(item, alone=True) for item in actor.items]
        if not actor.items:
            return []
        item, *rest = actor.items
        place = item.key, item.stage
        self._deaths[place] += 1
        return [replace(item, lost=_TWICE) if self._deaths[place] >= 2 else item, *rest]

    def _end(self, actor: _Actor) -> None:
        try:
            self._ray.kill(actor.handle)
        except (self._ray.exceptions.RayError, ConnectionError, RuntimeError) as error:
            # It is gone already, or the whole cluster is.
            log.debug("an actor could not be ended: %s", error)


def on_cluster(
    cluster: Cluster,
    planned: Sequence[tuple[Job, Plan]],
    needed: Resources,
    most: int = 0,
    decoders: int | None = None,
) -> Callable[[Setup, int, bool], RayExecutor]:
    """What makes the executor of a run, in place of the local one. `decoders` is how many were asked for."""
    sharing = needs_shared_store(planned), needs_shared_disk(planned)
    looks = Looks(planned)

    def make(setup: Setup, workers: int, perceive: bool = True) -> RayExecutor:
        decoding = Decoders(cluster, looks, needed, decoders)
        return RayExecutor(cluster, setup, needed, perceive, most, *sharing, decoding)

    return make
