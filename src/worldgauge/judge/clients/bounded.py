"""What one call may take: bytes of the reply after decompression, and time from the first byte sent to the last read.

HTTP libraries limit the time of each read and unpack as much as a server sends. A server that sends a byte now and then
would hold a call for ever, and a compressed reply of half a megabyte can fill the memory. Both bounds are put into a
client as event hooks, which the libraries of all providers have.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from worldgauge.judge.request import Failed

log = logging.getLogger(__name__)

REPLY_LIMIT = 8 * 2**20
"""Bytes of a reply. The longest that a model writes is a tenth of it."""
BATCH_LIMIT = 256 * 2**20
"""Bytes of the replies of a batch."""
UPLOAD = 2**17
"""Bytes a second that a slow connection sends; a call has so much longer for what it sends."""
_PIECE = 2**16
"""Bytes that are unpacked at a time."""
_CONNECTED = (".connect_tcp.complete", ".connect_unix_socket.complete", ".start_tls.complete")
"""Events of the transport that hand over the connection of a call."""


class Bounds:
    """The bounds of a client. Calls are made by several threads at once."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._of_thread = threading.local()

    @property
    def hooks(self) -> dict[str, list[Any]]:
        """For `event_hooks` of a client."""
        return {"request": [self._before], "response": [self._after]}

    @contextmanager
    def call(self, limit: int = REPLY_LIMIT) -> Iterator[None]:
        """All that is requested inside belongs to one call. Raises `Failed` where it took more than it may."""
        call = _Call(self._seconds, limit)
        self._of_thread.call = call
        try:
            yield
        except Exception:
            if call.problem is not None:
                raise call.problem from None
            raise
        finally:
            self._of_thread.call = None
            call.end()

    def _before(self, request: Any) -> None:
        call: _Call | None = getattr(self._of_thread, "call", None)
        if call is not None:
            call.begin(request)

    def _after(self, response: Any) -> None:
        call: _Call | None = getattr(self._of_thread, "call", None)
        if call is not None:
            call.bound(response)


class _OverTheBound(Exception):
    """The call has taken more than it may; what that is stands in its `problem`."""


class _Call:
    """One call to a judge, of one or more requests."""

    def __init__(self, seconds: float, limit: int) -> None:
        self._seconds, self._limit = seconds, limit
        self._until = time.monotonic() + seconds
        self._received = 0
        self._socket: socket.socket | None = None
        self._timer: threading.Timer | None = None
        self._ended = False
        self._lock = threading.Lock()
        self.problem: Failed | None = None

    def begin(self, request: Any) -> None:
        """Bound a request before it is sent."""
        self._until += _length(request.headers) / UPLOAD
        # What is not compressed need not be unpacked. A connection that is used again would not be handed over.
        request.headers["accept-encoding"], request.headers["connection"] = "identity", "close"
        left = max(0.001, self._until - time.monotonic())
        named = request.extensions.get("timeout") or {}
        request.extensions["timeout"] = {kind: min(value or left, left) for kind, value in named.items()}
        request.extensions["trace"] = self._trace
        with self._lock:
            if self._timer is None:
                self._wait(left)

    def bound(self, response: Any) -> None:
        """Bound what is read of a response from here on."""
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "", "gzip", "x-gzip", "deflate"):
            raise self._over("garbled", f"the reply is encoded as '{encoding[:40]}', which was not requested")
        if _length(response.headers) > self._limit:
            raise self._too_large()
        for name in ("content-encoding", "content-length"):
            response.headers.pop(name, None)
        response.stream = _bounded(response.stream, self, encoding)

    def received(self, count: int) -> None:
        """Count what was read and unpacked."""
        self._received += count
        if self._received > self._limit:
            raise self._too_large()
        if time.monotonic() > self._until:
            raise self._too_late()

    def end(self) -> None:
        with self._lock:
            self._ended, self._socket = True, None
            if self._timer is not None:
                self._timer.cancel()

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(_CONNECTED):
            stream = info.get("return_value")
            found = getattr(stream, "get_extra_info", lambda name: None)("socket")
            with self._lock:
                self._socket = found if isinstance(found, socket.socket) else None
            if time.monotonic() > self._until:
                self._cut()

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        """End what takes too long, wherever it is: a read of a header that never ends cannot be ended otherwise."""
        with self._lock:
            left = self._until - time.monotonic()
            if self._ended or left > 0:
                if not self._ended:
                    self._wait(left)
                return
        self._too_late()
        self._cut()

    def _cut(self) -> None:
        with self._lock, suppress(OSError):
            if self._socket is not None:
                # Of the plain socket below TLS: the thread that reads is in the middle of that.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _too_late(self) -> _OverTheBound:
        return self._over("slow", f"no whole reply within {self._seconds:g} s", again=True)

    def _too_large(self) -> _OverTheBound:
        return self._over("large", f"the reply is larger than {self._limit / 2**20:g} MiB")

    def _over(self, kind: str, reason: str, again: bool = False) -> _OverTheBound:
        # What is too large now is too large the next time, and each time it may have to be paid for.
        self.problem = self.problem or Failed(kind, reason, charged=None, again=again)
        return _OverTheBound(reason)


def _length(headers: Any) -> int:
    """The stated length of a message; 0 where none is stated."""
    text = headers.get("content-length", "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _bounded(stream: Any, call: _Call, encoding: str) -> Any:
    """The stream of a response, unpacked and counted. A library takes only streams of a class of its own."""
    base = next((kind for kind in type(stream).__mro__ if kind.__name__ == "SyncByteStream"), object)

    def pieces(self: Any) -> Iterator[bytes]:
        yield from _unpacked(iter(stream), call, encoding)

    def close(self: Any) -> None:
        stream.close()

    return type("BoundedStream", (base,), {"__iter__": pieces, "close": close})()


def _unpacked(raw: Iterator[bytes], call: _Call, encoding: str) -> Iterator[bytes]:
    unpacker = None if encoding in ("identity", "") else _unpacker(encoding)
    for data in raw:
        if unpacker is None:
            call.received(len(data))
            yield data
            continue
        while data and not unpacker.eof:
            try:
                piece = unpacker.decompress(data, _PIECE)
            except zlib.error:
                raise call._over("garbled", "the reply cannot be unpacked", again=True) from None
            call.received(len(piece))
            yield piece
            data = unpacker.unconsumed_tail


def _unpacker(encoding: str) -> Any:
    # 32: a header of either kind is recognised.
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
