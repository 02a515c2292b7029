"""The one-writer rule of a run folder by URL: an object that says who writes there, and when it was last heard of.

Where the server can put an object only if there is none, two that start at once cannot both get it. Where it cannot,
owner and age decide, and a warning says so.
"""

from __future__ import annotations

import json
import logging
import math
import time
from typing import Any
from uuid import uuid4

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.places import Place
from worldgauge.engine.writing import Busy, told, whoami

log = logging.getLogger(__name__)

FILE_NAME = ".writer.json"
STALE = 300.0
"""Seconds after which an owner that was not heard of is taken for gone. It is heard of every few seconds, and one that
waits for a server that stumbles within two minutes."""
_SETTLE = 0.5
"""Seconds after which somebody who began at the same moment has written too."""


class LeaseLost(WorldGaugeError):
    """Somebody else has taken over."""


def is_lease(owner: dict[str, Any]) -> bool:
    """Whether an owner writes by URL, and so is heard of now and then."""
    return "token" in owner or "heard" in owner


def heard_ago(owner: dict[str, Any], now: float) -> float:
    """Seconds since an owner was heard of, by its own clock and ours. What is no time says nothing of one alive."""
    heard = owner.get("heard")
    return max(0.0, now - heard) if isinstance(heard, (int, float)) and heard > 0 else math.inf


class Lease:
    """A place that is being written to."""

    def __init__(self, place: Place, writer: str) -> None:
        """`writer` names the folder of this machine, so that what it left when it was killed is known for its own."""
        self._place, self._writer, self._token = place, writer, uuid4().hex
        self._since = time.time()

    def take(self, break_lock: bool = False) -> None:
        """Become the writer, or raise `Busy` with who is."""
        # Never written over here, not even after an upload of which nobody knows what became of it.
        if self._place.read(FILE_NAME) is None and self._place.put_if_absent(FILE_NAME, self._content()):
            self._check_condition()
            return
        owner = self.owner()
        age = heard_ago(owner, time.time())
        if owner.get("token") == self._token:
            return
        if owner.get("writer") != self._writer and age < STALE and not break_lock:
            raise Busy(
                f"another run writes to {self._place.url} ({told(owner)}, heard of {age:.0f} s ago)",
                "wait for it to end, or choose another folder with --out; if it is gone, say --break-lock",
            )
        if owner and owner.get("writer") != self._writer:
            log.warning("%s was left by %s, heard of %.0f s ago: taken over", self._place.url, told(owner), age)
        self._place.create(FILE_NAME, self._content(), over=True)
        self._settle()

    def renew(self) -> None:
        """Be heard of; raises `LeaseLost` where somebody has taken over."""
        owner = self.owner()
        if owner and owner.get("token") != self._token:
            raise LeaseLost(
                f"{self._place.url} was taken over by another run ({told(owner)})",
                "records made here are kept; run the same command again when that one has ended",
            )
        self._place.create(FILE_NAME, self._content(), over=True)

    def release(self) -> None:
        if self.owner().get("token") == self._token:
            self._place.remove(FILE_NAME)

    def owner(self) -> dict[str, Any]:
        """Who writes there; empty where nobody does."""
        try:
            found = json.loads(self._place.read(FILE_NAME) or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _check_condition(self) -> None:
        """A server that lets us put the same object once more would have let anybody."""
        if self._place.conditional and not self._place.put_if_absent(FILE_NAME, self._content()):
            return
        log.warning("%s does not keep two apart that begin to write at the same moment", self._place.url)
        self._settle()

    def _settle(self) -> None:
        time.sleep(_SETTLE)
        owner = self.owner()
        if owner.get("token") != self._token:
            raise Busy(f"another run began to write to {self._place.url} ({told(owner)})", "wait for it to end")

    def _content(self) -> bytes:
        me = {**whoami(), "since": self._since, "heard": time.time(), "token": self._token, "writer": self._writer}
        return json.dumps(me).encode()
