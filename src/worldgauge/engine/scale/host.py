"""A worker on another machine: a pool of one process there, fed by calls, so that only the machine can be lost."""

from __future__ import annotations

import logging
import os
import queue
import socket
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from worldgauge.core.decoded_video import codecs
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.executors import PoolExecutor
from worldgauge.engine.job import Setup, build_together
from worldgauge.engine.layers import Layer, read_layers, store_at, write_layers
from worldgauge.engine.processes import portable
from worldgauge.engine.scale.decoding import Decoded, with_frames
from worldgauge.engine.scale.origins import Origin, brought
from worldgauge.engine.scale.shipping import Shipment
from worldgauge.engine.work import WorkItem, WorkResult

log = logging.getLogger(__name__)

Promise = tuple[int, str, str, bool]
"""Of a definition: its part, its id, its fingerprint and whether it can be computed."""
_ARRIVING = 8
"""Items whose files or frames are waited for at a time."""
_PATIENCE = 120.0
"""Seconds for which frames are waited for."""


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
    """That must be there,"""
    origins: tuple[Origin, ...] = ()
    """and those that can be fetched where they are not."""
    frames: Any = None
    """Where Ray has the frames of the clip, if somebody decodes them."""

    @classmethod
    def of(cls, item: WorkItem, origins: tuple[Origin, ...] = (), frames: Any = None) -> Given:
        """The item with what it needs, as this machine sees it."""
        copied = {origin.folder for origin in origins}
        files = (path for path in needed_files(item) if copied.isdisjoint([path.absolute(), *path.absolute().parents]))
        return cls(item, tuple(files), origins, frames)


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
    node: str = ""
    """Where it is, by Ray's name."""
    codecs: str = ""
    """What it decodes with."""


class Host:
    """The worker as an actor: `introduce` once, then `exchange` items for results.

    The work is done by a process of the machine, as in a local run: one that hangs, grows or dies is dealt with here,
    and by the same rules.
    """

    def __init__(
        self,
        setup: Setup,
        perceive: bool,
        shipment: Shipment,
        folder: str,
        layers: tuple[Layer, ...] = (),
        bucket: str = "",
    ) -> None:
        """`folder` is the working directory of the run; where there is such a one, relative paths mean the same.
        `layers` is what the driver's store rests on; where that is a copy of a `bucket`, this machine has its own."""
        self._setup, self._perceive, self._shipment, self._folder = setup, perceive, shipment, folder
        self._layers, self._bucket = layers, bucket
        self._arriving = ThreadPoolExecutor(_ARRIVING, "worldgauge-arriving")
        self._feed = Feed()
        self._answers: queue.SimpleQueue[WorkResult | Exception] = queue.SimpleQueue()
        self._unanswered = 0
        self._held: dict[tuple[str, int, int], IO[bytes]] = {}
        """Frames of items that are not answered."""

    def introduce(self, beacon: str) -> Introduction:
        """Set up. `beacon` is a file that the run has put into its store."""
        machine = socket.gethostname()
        try:
            if Path(self._folder).is_dir():
                os.chdir(self._folder)
            self._setup = self._shipment.unpacked(self._setup)
            if self._bucket:
                self._setup = _with_store(self._setup, store_at(self._bucket).absolute())
            store = self._setup.store
            if self._layers and read_layers(store) != self._layers:
                write_layers(store, self._layers)
            bucket = any(layer.write for layer in self._layers)
            seen = (store / beacon).exists(), bucket
            found = Introduction(machine, promises(self._setup), *seen, node=_node(), codecs=codecs())
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
        for one in given:
            if one.origins or one.frames is not None:
                # Beside the work on others, so that nobody waits for files or frames but of its own clip.
                self._arriving.submit(self._arrive, one)
            else:
                self._feed.add([one.item])
        found = [self._answers.get()] if self._unanswered else []
        while not self._answers.empty():
            found.append(self._answers.get())
        self._unanswered -= len(found)
        return found

    def _arrive(self, one: Given) -> None:
        try:
            item = brought(one.item, one.origins)
            self._feed.add([item if one.frames is None else self._with_frames(item, one.frames)])
        except Exception as error:  # noqa: BLE001  told by the machine that has asked
            self._answers.put(portable(error))

    def _with_frames(self, item: WorkItem, frames: Any) -> WorkItem:
        """The item with frames that were decoded elsewhere; as it is where they do not come."""
        found = _received(frames)
        if found is None or not hasattr(os, "memfd_create"):
            return item
        try:
            item, self._held[(*item.key, item.part)] = with_frames(item, found)
        except OSError as error:
            log.warning("no room for decoded frames (%s); the worker decodes them itself", error.strerror)
        return item

    def _work(self) -> None:
        pool = PoolExecutor(self._setup, 1, self._perceive)
        try:
            while True:
                self._feed.wait()
                for result in pool.map(self._feed):
                    if (file := self._held.pop(result.item, None)) is not None:
                        file.close()
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

    def add(self, items: Iterable[WorkItem]) -> None:
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


def _received(frames: Any) -> Decoded | None:
    """What a decoder has made; None where it, its node or the way was lost."""
    import ray

    try:
        found: Decoded | None = ray.get(frames, timeout=_PATIENCE)
    except ray.exceptions.RayError as error:
        log.info("frames did not come (%s); the worker decodes them itself", type(error).__name__)
        return None
    return found


def _node() -> str:
    """Empty outside of a cluster."""
    ray = sys.modules.get("ray")
    return str(ray.get_runtime_context().get_node_id()) if ray is not None and ray.is_initialized() else ""


def _with_store(setup: Setup, store: Path) -> Setup:
    return replace(setup, store=store, beside=tuple(replace(other, store=store) for other in setup.beside))
