"""A page on which somebody works: files out, JSON in, for this machine alone."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json
from worldgauge.report.loopback import TimedHandler, names_this_machine

_LOG = logging.getLogger(__name__)
_TYPES = {
    ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".json": "application/json",
    ".png": "image/png",
}  # fmt: skip
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
LONGEST = 1 << 20
"""Bytes of what a page sends."""


@dataclass(frozen=True)
class Content:
    """One file of the page."""

    body: bytes
    suffix: str
    """Tells its kind: `.html`."""

    @classmethod
    def of(cls, file: Path) -> Content:
        return cls(file.read_bytes(), file.suffix.lower())

    @classmethod
    def json(cls, content: Any) -> Content:
        return cls(json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace"), ".json")


class LocalPage(ThreadingHTTPServer):
    """Answers with what `get` knows by name, and hands JSON that the page sends to `post`."""

    daemon_threads = True

    def __init__(self, get: Callable[[str], Content], post: Callable[[str, Any], Any], port: int = 0) -> None:
        """`get` and `post` raise `KeyError` for a name they do not know; `post` raises `WorldGaugeError` for content
        that it refuses. Both are called from several threads."""
        self.get, self.post = get, post
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise WorldGaugeError(
                f"cannot listen on port {port} ({error.strerror})", "choose another --port"
            ) from error

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that closes early is no news; anything else is a line of the log, not a traceback."""
        error = sys.exception()
        if not isinstance(error, (ConnectionError, TimeoutError)):
            _LOG.warning("a request failed: %s: %s", type(error).__name__, error)


class _Handler(TimedHandler, BaseHTTPRequestHandler):
    server: LocalPage

    def log_message(self, format: str, *args: object) -> None:
        _LOG.debug(format, *args)

    def do_GET(self) -> None:
        if not names_this_machine(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.FORBIDDEN, "Unknown host name")
            return
        try:
            self._send(HTTPStatus.OK, self.server.get(self._name() or "index.html"))
        except (KeyError, ValueError, OSError, WorldGaugeError):
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Only from our own page: pages elsewhere cannot send this kind of content without being asked first."""
        origin = urlsplit(self.headers.get("Origin", "")).netloc
        ours = names_this_machine(self.headers.get("Host", "")) and origin in ("", self.headers.get("Host"))
        if not ours or self.headers.get_content_type() != "application/json":
            self.close_connection = True
            self.send_error(HTTPStatus.FORBIDDEN, "Not from this page")
            return
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            length = -1
        if not 0 <= length <= LONGEST:
            self.close_connection = True
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        try:
            sent = parse_json(self.rfile.read(length), "what the page sent")
            self._send(HTTPStatus.OK, Content.json(self.server.post(self._name(), sent)))
        except KeyError:
            self.send_error(HTTPStatus.NOT_FOUND)
        except WorldGaugeError as problem:
            self._send(HTTPStatus.BAD_REQUEST, Content.json({"problem": str(problem)}))

    def _name(self) -> str:
        return unquote(urlsplit(self.path).path).lstrip("/")

    def _send(self, status: HTTPStatus, content: Content) -> None:
        self.send_response(status)
        self.send_header("Content-Type", _TYPES[content.suffix])
        self.send_header("Content-Length", str(len(content.body)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content.body)
