"""Serving a report from memory: read-only, for this machine by default."""

from __future__ import annotations

import logging
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from urllib.parse import unquote, urlsplit

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.report.html.media import place, plays_in_browsers
from worldgauge.report.html.source import STATUS_PAGE, ReportSource
from worldgauge.report.loopback import TimedHandler, is_loopback, names_this_machine

_LOG = logging.getLogger(__name__)
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css",
    ".js": "text/javascript",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".jpg": "image/jpeg",
}
_BLOCK = 1 << 18


class ReportServer(ThreadingHTTPServer):
    """Answers GET and HEAD for the files of one report; nothing else on the disk can be reached."""

    daemon_threads = True

    def __init__(
        self,
        source: ReportSource,
        host: str = "127.0.0.1",
        port: int = 0,
        status: Callable[[], bytes] | None = None,
    ) -> None:
        """`status` makes a page that says where the runs stand at that moment."""
        self.source = source
        self._status = status
        self._cache = tempfile.TemporaryDirectory(prefix="worldgauge-view-")
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._making, self._asking = Lock(), Lock()
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            self._cache.cleanup()
            raise WorldGaugeError(
                f"cannot listen on {host}:{port} ({error.strerror})", "choose another --port or --host"
            ) from error
        self.loopback = is_loopback(host)

    @property
    def url(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}/"

    def content(self, name: str) -> bytes:
        """One file of the report. One at a time: requests of one page share what is computed lazily."""
        if name == STATUS_PAGE and self._status is not None:
            # A place by URL may take its time to answer, for which nobody else waits.
            with self._asking:
                return self._status()
        with self._making:
            return self.source.content(name)

    def video(self, name: str) -> Path:
        """A playable file for a video of the report, transcoded on the first request where needed."""
        video = self.source.video(name)
        with self._locks[name]:
            if isinstance(video, Video) and plays_in_browsers(video):
                return video.path
            target = Path(self._cache.name) / name
            if not target.exists() and not place(video, target):
                raise KeyError(name)
            return target

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that closes early is no news; anything else is a line of the log, not a traceback."""
        error = sys.exception()
        if not isinstance(error, (ConnectionError, TimeoutError)):
            _LOG.warning("a request failed: %s: %s", type(error).__name__, error)

    def server_close(self) -> None:
        super().server_close()
        self._cache.cleanup()


class _Handler(TimedHandler, BaseHTTPRequestHandler):
    server: ReportServer

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:
        _LOG.debug(format, *args)

    def _answer(self, body: bool) -> None:
        if not self._host_is_ours():
            self.send_error(HTTPStatus.FORBIDDEN, "Unknown host name")
            return
        try:
            name = unquote(urlsplit(self.path).path).lstrip("/") or "index.html"
            if name.startswith("media/"):
                self._send_video(self.server.video(name), body)
            else:
                self._send(self.server.content(name), name, body)
        except (ConnectionError, TimeoutError):
            # The browser has left the page, or does not take what it requested.
            self.close_connection = True
        except (KeyError, ValueError, OSError):
            self.send_error(HTTPStatus.NOT_FOUND)

    def _host_is_ours(self) -> bool:
        """On loopback, refuse other names: a page elsewhere must not read local runs through a name it controls."""
        return not self.server.loopback or names_this_machine(self.headers.get("Host", ""))

    def _send(self, content: bytes, name: str, body: bool) -> None:
        self.send_response(HTTPStatus.OK)
        self._headers(_TYPES[Path(name).suffix], len(content))
        if body:
            self.wfile.write(content)

    def _send_video(self, path: Path, body: bool) -> None:
        """With byte ranges, which browsers need for seeking."""
        size = path.stat().st_size
        asked = _range(self.headers.get("Range", ""), size)
        if asked == _BEYOND:
            self.send_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            self.send_header("Content-Range", f"bytes */{size}")
            self._headers("text/plain", 0)
            return
        first, last = asked or (0, size - 1)
        self.send_response(HTTPStatus.PARTIAL_CONTENT if asked else HTTPStatus.OK)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Accept-Ranges", "bytes")
        self._headers(_TYPES.get(path.suffix, "video/mp4"), last - first + 1)
        if not body:
            return
        with path.open("rb") as stream:
            stream.seek(first)
            left = last - first + 1
            while left > 0 and (block := stream.read(min(_BLOCK, left))):
                self.wfile.write(block)
                left -= len(block)

    def _headers(self, kind: str, length: int) -> None:
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()


_BEYOND = (-1, -1)
"""Stands for a range that the file does not have."""
_ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


def _range(header: str, size: int) -> tuple[int, int] | None:
    """First and last byte asked for; None: the whole file, since the header is absent, malformed or of several ranges.

    >>> _range("bytes=5-", 10), _range("bytes=-3", 10), _range("bytes=20-", 10), _range("bytes=x", 10)
    ((5, 9), (7, 9), (-1, -1), None)
    """
    found = _ONE_RANGE.fullmatch(header.strip())
    if found is None or not any(found.groups()):
        return None
    first, last = found.groups()
    if not first:
        return (max(0, size - int(last)), size - 1) if int(last) and size else _BEYOND
    if last and int(last) < int(first):
        return None
    return (int(first), min(size - 1, int(last or size))) if int(first) < size else _BEYOND
