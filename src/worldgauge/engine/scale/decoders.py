"""The decoders of a cluster, seen from the driver: who is free, who is near, who was lost."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from worldgauge.engine.scale.cluster import NODE, Cluster
from worldgauge.engine.scale.decoding import Decoder, Looks, Wish, decoder_nodes
from worldgauge.engine.scale.origins import Origin
from worldgauge.engine.scale.resources import Resources
from worldgauge.engine.work import WorkItem

log = logging.getLogger(__name__)

_AT_ONCE = 2
"""Clips that a decoder has: one that it is at, and the next."""
IN_THE_AIR = 2 * 10**9
"""Bytes of decoded frames on their way to one worker, or with it."""


@dataclass(frozen=True)
class Frames:
    """Frames that are being decoded, or are: where Ray keeps them, and how large they are."""

    reference: Any
    bytes: int


@dataclass(eq=False)
class _Decoder:
    handle: Any
    node: str
    up: Any
    """The call that is answered when it is up; None since then."""
    codecs: str = ""
    """What it decodes with."""
    calls: list[Any] = field(default_factory=list)
    """Not seen to be answered."""


class Decoders:
    """Actors that decode for others. Nothing rests on them: what they do not bring is decoded by who needs it."""

    def __init__(self, cluster: Cluster, looks: Looks, worker: Resources, asked: int | None = None) -> None:
        self._ray, self._cluster, self._looks = cluster.ray, cluster, looks
        self._worker, self._asked = worker, asked
        self._decoders: list[_Decoder] | None = None

    def start(self, most: int) -> None:
        """On the cores that `most` workers leave; the first time only."""
        if self._decoders is None:
            places = decoder_nodes(self._cluster.nodes(), self._worker, most, self._asked)
            if self._asked and len(places) < self._asked:
                log.warning("%d decoders: workers leave no more cores free", len(places))
            self._decoders = [self._started(node) for node in places[: self._looks.clips]]

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._decoders)

    def frames(self, item: WorkItem, origins: tuple[Origin, ...], node: str, codecs: str, room: int) -> Frames | None:
        """The frames of an item for a worker on that node, where somebody has time for it and they fit.

        Only from one that decodes with the same `codecs`: a record must not depend on who has decoded.
        """
        free = [decoder for decoder in self._free() if decoder.codecs == codecs]
        wish = self._looks.wish(item, origins) if free else None
        if wish is None or wish.bytes > room:
            return None
        # Near ones first: what comes from another node crosses the network.
        chosen = min(free, key=lambda decoder: (decoder.node != node, len(decoder.calls)))
        return self._asked_for(wish, chosen)

    def close(self) -> None:
        for decoder in self._decoders or ():
            self._end(decoder)
        self._decoders = []

    def _asked_for(self, wish: Wish, decoder: _Decoder) -> Frames | None:
        try:
            note, frames = decoder.handle.decode.options(num_returns=2).remote(wish)
        except self._ray.exceptions.RayError as error:
            self._lost(decoder, str(error))
            return None
        decoder.calls.append(note)
        return Frames(frames, wish.bytes)

    def _free(self) -> list[_Decoder]:
        """Those that are up and have time, as of now."""
        waiting = {call: decoder for decoder in self._decoders or () for call in (*decoder.calls, decoder.up) if call}
        if not waiting:
            return list(self._decoders or ())
        for call in self._ray.wait(list(waiting), num_returns=len(waiting), timeout=0)[0]:
            self._answered(waiting[call], call)
        return [one for one in self._decoders or () if one.up is None and len(one.calls) < _AT_ONCE]

    def _answered(self, decoder: _Decoder, call: Any) -> None:
        try:
            answer = self._ray.get(call)
        except self._ray.exceptions.RayError as error:
            self._lost(decoder, type(error).__name__)
            return
        if call is decoder.up:
            decoder.up, decoder.codecs = None, answer
            return
        decoder.calls.remove(call)
        if answer:
            self._lost(decoder, answer)

    def _lost(self, decoder: _Decoder, why: str) -> None:
        if self._decoders and decoder in self._decoders:
            log.warning("a decoder is given up (%s); workers decode for themselves what it had", why)
            self._decoders.remove(decoder)
            self._end(decoder)

    def _started(self, node: str) -> _Decoder:
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, "label_selector": {NODE: node}}
        handle = self._ray.remote(Decoder).options(**options).remote()
        return _Decoder(handle, node, handle.introduce.remote())

    def _end(self, decoder: _Decoder) -> None:
        try:
            self._ray.kill(decoder.handle)
        except (self._ray.exceptions.RayError, ConnectionError, RuntimeError) as error:
            # It is gone already, or the whole cluster is.
            log.debug("a decoder could not be ended: %s", error)
