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
from worldgauge.report.loopback import TimedHandler

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


def test_a_client_that_sends_or_reads_a_byte_now_and_then_is_let_go(
    server: ReportServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TimedHandler, "timeout", 1.0)
    for sent in (b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ", b""):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as client:
            began, closed = time.monotonic(), False
            client.sendall(sent)
            client.settimeout(0.2)
            while not closed and time.monotonic() - began < 8:
                try:
                    if sent:
                        client.sendall(b"x")
                    closed = not client.recv(1)
                except TimeoutError:
                    continue
                except OSError:
                    closed = True
            assert closed
            assert time.monotonic() - began < 6
    assert ask(server, "/")[0] == 200


def test_an_open_connection_is_used_again(server: ReportServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    for path in ("/", VIDEO, "/"):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.status, len(answer.read()) > 100) == (200, True)
    connection.close()
