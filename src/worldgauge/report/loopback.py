"""What servers of pages share: is one for this machine alone, does a request really come to it, and in time?"""

from __future__ import annotations

import io
import time
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from socket import socket
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class TimedHandler(BaseHTTPRequestHandler):
    """Answers requests that arrive whole within a time, and clients that take what is sent to them within it.

    Each connection has a thread. Without these limits a client that sends a byte now and then keeps its thread for
    ever, and some hundreds of them keep the server from everyone else.
    """

    protocol_version = "HTTP/1.1"
    timeout: ClassVar[float] = 30.0
    """Seconds for a request, also for none on an open connection, and for each block that is written."""

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self._arriving = _TimedReader(self.connection, self.timeout)
        self.rfile = io.BufferedReader(self._arriving)

    def handle_one_request(self) -> None:
        self._arriving.begin()
        super().handle_one_request()


class _TimedReader(io.RawIOBase):
    """Bytes of a connection; a request that comes in small pieces has no more time than one that comes at once."""

    def __init__(self, connection: socket, seconds: float) -> None:
        self._connection, self._seconds = connection, seconds
        self._until = 0.0

    def begin(self) -> None:
        """From now on the next request may take its time."""
        self._until = time.monotonic() + self._seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request did not arrive in time")
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            # Of a block that is written.
            self._connection.settimeout(self._seconds)


def is_loopback(host: str) -> bool:
    """Whether a host's name or address means this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("example.org")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def names_this_machine(host: str) -> bool:
    """Whether the `Host` of a request does: a page elsewhere must not reach us through a name it controls.

    >>> names_this_machine("127.0.0.1:8321"), names_this_machine("evil.example:8321")
    (True, False)
    """
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
