"""The server behind `view`: a browser may leave when it likes and ask for what it likes."""

from __future__ import annotations

import http.client
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from report.synthetic import add_videos, write_run
from worldgauge.core.run_folder import Run
from worldgauge.report.html import ReportSource
from worldgauge.report.html.serve import ReportServer

VIDEO = "/media/0-0.mp4"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportServer]:
    root = tmp_path_factory.mktemp("served")
    folder = write_run(root / "Aurora", "Aurora", cases=2)
    add_videos([folder], root / "videos", cases=1, frames=4)
    made = ReportServer(ReportSource([Run(folder)]))
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def ask(server: ReportServer, path: str, **headers: str) -> tuple[int, str | None, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.headers["Content-Range"], answer.read()
    connection.close()
    return found


def test_trust_19_a_browser_that_closes_early_is_no_news(
    server: ReportServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for sent in (b"GET / HTTP/1.1\r\nHost: local", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") * 3:
        with socket.create_connection(("127.0.0.1", server.server_port)) as browser:
            # Closing now resets the connection instead of ending it.
            browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            browser.sendall(sent)
            time.sleep(0.01)
    assert ask(server, "/")[0] == 200
    assert capfd.readouterr().err == ""


def test_trust_19_ranges(server: ReportServer) -> None:
    status, told, whole = ask(server, VIDEO)
    size = len(whole)
    assert (status, told) == (200, None)
    for beyond in (f"bytes={size}-", f"bytes={size + 5}-{size + 9}", "bytes=-0"):
        assert ask(server, VIDEO, Range=beyond) == (416, f"bytes */{size}", b"")
    for malformed in ("bytes=9-3", "bytes=x-y", "bytes=-", "lines=0-4", "bytes=0-1,4-5", "bytes=" + "9" * 5000 + "-"):
        assert ask(server, VIDEO, Range=malformed) == (200, None, whole)
    assert ask(server, VIDEO, Range=f"bytes=2-{size + 99}") == (206, f"bytes 2-{size - 1}/{size}", whole[2:])
    assert ask(server, VIDEO, Range=f"bytes=-{size + 99}") == (206, f"bytes 0-{size - 1}/{size}", whole)


def test_trust_19_odd_requests_are_answered(server: ReportServer, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(server, "//[")[0] == 404
    assert ask(server, "/", Host="[")[0] == 403
    assert capfd.readouterr().err == ""
