"""A server that sends too much, or too slowly: each call ends in time, takes little memory and is not repeated."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from judge.test_asking import ask_all
from worldgauge.core.asking import Unanswered
from worldgauge.judge.clients.bounded import REPLY_LIMIT
from worldgauge.judge.clients.open import NEEDS, open_client
from worldgauge.judge.instrument import judge_of
from worldgauge.judge.request import Failed, Request
from worldgauge.judge.settings import Settings

CLIENTS = ("openai", "anthropic", "gemini")
Send = Callable[[socket.socket], None]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@contextmanager
def raw_server(send: Send) -> Iterator[tuple[str, list[float]]]:
    """A server that reads a request and then does what `send` does; its address, and when each call came."""
    calls: list[float] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            head, _, body = head.partition(b"\r\n\r\n")
            calls.append(time.monotonic())
            length = next(
                (int(x.split(b":")[1]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length")), 0
            )
            while len(body) < length and (more := connection.recv(65536)):
                body += more
            send(connection)

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", calls
    finally:
        listening.close()


def settings(endpoint: str, client: str, **named: Any) -> Settings:
    if client in NEEDS:
        pytest.importorskip(NEEDS[client])
    address = f"{endpoint}/v1" if client == "openai" else endpoint
    quick = {"timeout": 0.6, "backoff": 0.001, "cool_down": 0.001, "concurrency": 1, "frames": 2}
    return Settings.model_validate({"client": client, "endpoint": address, "model": "m", **quick, **named})


def drip(text: bytes) -> Send:
    """A byte every fifth of a second, for ever."""

    def send(connection: socket.socket) -> None:
        connection.sendall(text)
        while True:
            time.sleep(0.2)
            connection.sendall(b"X" if text.endswith(b"X-Long: ") else b" ")

    return send


def in_chunks(connection: socket.socket) -> None:
    """A reply without an end."""
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    piece = b" " * 2**16
    while True:
        connection.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")


def at_once(body: bytes, encoding: str = "") -> Send:
    encoded = f"Content-Encoding: {encoding}\r\n".encode() if encoding else b""

    def send(connection: socket.socket) -> None:
        connection.sendall(HEAD + encoded + f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)

    return send


def bomb() -> bytes:
    """64 MiB of spaces as 64 kB."""
    packing = zlib.compressobj(wbits=31)
    return b"".join(packing.compress(b" " * 2**20) for _ in range(64)) + packing.flush()


BOMB = bomb()
SLOW = {
    "body": drip(HEAD + b"Content-Length: 1000000\r\n\r\n"),
    "header": drip(HEAD + b"X-Long: "),
    "chunks": drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1000\r\n"),
    "nothing": lambda connection: time.sleep(60),
}
LARGE = {
    "chunks without an end": in_chunks,
    "gzip": at_once(BOMB, "gzip"),
    "deflate": at_once(BOMB, "deflate"),
    "a stated length": lambda c: c.sendall(HEAD + f"Content-Length: {300 * 2**20}\r\n\r\n".encode()),
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("kind", SLOW)
def test_one_deadline_holds_for_the_whole_call(kind: str, client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_JUDGE_KEY", "key")
    with raw_server(SLOW[kind]) as (endpoint, _):
        judge = open_client(settings(endpoint, client, key="TEST_JUDGE_KEY"))
        began = time.monotonic()
        with pytest.raises(Failed, match=r"no whole reply within 0\.6 s|no reply within|no whole response") as failure:
            judge.send(Request("system", "text", {}))
        assert time.monotonic() - began < 3
        assert (failure.value.kind, failure.value.again, failure.value.charged) == ("slow", True, None)
        judge.close()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("kind", LARGE)
def test_a_reply_that_is_too_large_costs_one_call_and_little_memory(
    kind: str, client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_JUDGE_KEY", "key")
    with raw_server(LARGE[kind]) as (endpoint, calls):
        judge = judge_of(settings(endpoint, client, key="TEST_JUDGE_KEY", timeout=60.0))
        tracemalloc.start()
        found = ask_all(judge, 1, tmp_path)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert isinstance(found[0], Unanswered)
    assert "the reply is larger than 8 MiB" in str(found[0])
    assert len(calls) == 1
    assert most < 8 * REPLY_LIMIT


def reply_of(client: str) -> bytes:
    texts: dict[str, Any] = {
        "openai": {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]},
        "anthropic": {
            "id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "yes"}], "usage": {"input_tokens": 1, "output_tokens": 1},
        },
        "gemini": {"candidates": [{"content": {"parts": [{"text": "yes"}]}, "finishReason": "STOP"}]},
    }  # fmt: skip
    return json.dumps(texts[client]).encode()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_reply_within_the_bounds_arrives(client: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_JUDGE_KEY", "key")
    body = reply_of(client)
    with raw_server(at_once(gzip.compress(body) if encoding else body, encoding)) as (endpoint, calls):
        judge = open_client(settings(endpoint, client, key="TEST_JUDGE_KEY", timeout=20.0))
        assert [judge.send(Request("system", "text", {})).text for _ in range(2)] == ["yes", "yes"]
        assert len(calls) == 2
        judge.close()


def test_an_encoding_that_was_not_requested_is_not_unpacked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEST_JUDGE_KEY", "key")
    with raw_server(at_once(BOMB, "gzip, gzip")) as (endpoint, calls):
        found = ask_all(judge_of(settings(endpoint, "openai", key="TEST_JUDGE_KEY")), 1, tmp_path)
    assert "encoded as 'gzip, gzip', which was not requested" in str(found[0])
    assert len(calls) == 1
