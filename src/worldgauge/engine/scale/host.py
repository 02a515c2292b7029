"""A worker on another machine: a pool of one process there, fed by calls, so that only the machine can be lost."""

from __future__ import annotations

import os
import queue
import socket
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.executors import PoolExecutor
from worldgauge.engine.job import Setup, build_together
from worldgauge.engine.layers import Layer, read_layers, write_layers
from worldgauge.engine.processes import portable
from worldgauge.engine.scale.shipping import Shipment
from worldgauge.engine.work import WorkItem, WorkResult

Promise = tuple[int, str, str, bool]
"""Of a definition: its part, its id, its fingerprint and whether it can be computed."""


def promises(setup: Setup) -> frozenset[Promise]:
    """What a machine would measure under a setup: equal on every machine of a run, or the numbers are not one run's."""
    return frozenset(
        (part, definition.id, definition.fingerprint, definition.unavailable is None)
        for part, (_, _, definitions) in enumerate(build_together(setup))
        for definition in definitions
    )


def needed_files(item: WorkItem) -> tuple[Path, ...]:
    """Files of an item that are there on this machine: a worker must see them too."""
    found = []
    for each in (item, *item.beside):
        if each.video is not None and each.video.on_disk is not None:
            found.append(each.video.on_disk)
        if each.case.reference.video is not None and each.reference is None:
            found.append(each.case.path(each.case.reference.video))
    return tuple(path for path in dict.fromkeys(found) if path.exists())


@dataclass(frozen=True)
class Given:
    """An item on its way to another machine."""

    item: WorkItem
    files: tuple[Path, ...] = ()
    """That must be there."""


@dataclass(frozen=True)
class Introduction:
    """What a worker says of itself before it is given anything."""

    machine: str
    promises: frozenset[Promise] = frozenset()
    sees_store: bool = True
    """Whether the file that it was asked for is in its store."""
    brings_to_bucket: bool = False
    """Whether what it stores comes to a place by URL, where others find it."""
    problem: Exception | None = None
    """Why it cannot work."""


class Host:
    """The worker as an actor: `introduce` once, then `exchange` items for results.

    The work is done by a process of the machine, as in a local run: one that hangs, grows or dies is dealt with here,
    and by the same rules.
    """

    def __init__(
        self, setup: Setup, perceive: bool, shipment: Shipment, folder: str, layers: tuple[Layer, ...] = ()
    ) -> None:
        """`folder` is the working directory of the run; where there is such a one, relative paths mean the same.
        `layers` is what the driver's store rests on."""
        self._setup, self._perceive, self._shipment, self._folder = setup, perceive, shipment, folder
        self._layers = layers
        self._feed = Feed()
        self._answers: queue.SimpleQueue[WorkResult | Exception] = queue.SimpleQueue()
        self._unanswered = 0

    def introduce(self, beacon: str) -> Introduction:
        """Set up. `beacon` is a file that the run has put into its store."""
        machine = socket.gethostname()
        try:
            if Path(self._folder).is_dir():
                os.chdir(self._folder)
            self._setup = self._shipment.unpacked(self._setup)
            store = self._setup.store
            if self._layers and read_layers(store) != self._layers:
                write_layers(store, self._layers)
            bucket = any(layer.write for layer in self._layers)
            found = Introduction(machine, promises(self._setup), (store / beacon).exists(), bucket)
            # A thread of its own, which outlives every call: processes that it starts end with it.
            threading.Thread(target=self._work, daemon=True).start()
        except Exception as error:  # noqa: BLE001  told by the machine that has asked
            return Introduction(machine, problem=portable(error))
        return found

    def exchange(self, given: Sequence[Given]) -> list[WorkResult | Exception]:
        """Take items; give the results that are there, at least one unless nothing is left to do."""
        unseen = next((path for one in given for path in one.files if not path.exists()), None)
        if unseen is not None:
            return [
                WorldGaugeError(
                    f"{socket.gethostname()} does not see {unseen}",
                    "videos and data must lie under the same path on every node",
                )
            ]
        self._unanswered += len(given)
        self._feed.add(one.item for one in given)
        found = [self._answers.get()] if self._unanswered else []
        while not self._answers.empty():
            found.append(self._answers.get())
        self._unanswered -= len(found)
        return found

    def _work(self) -> None:
        pool = PoolExecutor(self._setup, 1, self._perceive)
        try:
            while True:
                self._feed.wait()
                for result in pool.map(self._feed):
                    self._answers.put(result)
        except Exception as error:  # noqa: BLE001  told by the machine that has asked
            self._answers.put(portable(error))
        finally:
            pool.close()


class Feed(Iterator[WorkItem]):
    """Items as they come: at its end when there is none at the moment, and not any more when there is one again."""

    def __init__(self) -> None:
        self._items: deque[WorkItem] = deque()
        self._some = threading.Event()

    def add(self, items: Iterator[WorkItem]) -> None:
        self._items.extend(items)
        if self._items:
            self._some.set()

    def wait(self) -> None:
        """Until there is something."""
        self._some.wait()

    def __next__(self) -> WorkItem:
        try:
            return self._items.popleft()
        except IndexError:
            self._some.clear()
            if self._items:
                # It came in between.
                self._some.set()
            raise StopIteration from None
