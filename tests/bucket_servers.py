"""Servers of buckets for tests beside rclone: one of S3 that honours conditions, and one of Google's protocol.

They are packages of the nightly tests; where one is missing its tests are skipped and say so.
"""

from __future__ import annotations

import http.client
import json
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from s3_server import Faults, faulty_proxy, free_port

BUCKET = "lab"


@contextmanager
def moto_server() -> Iterator[int]:
    """The port of an S3 server that puts an object only where there is none, if asked to."""
    pytest.importorskip("s3fs", reason="s3fs is not installed (pip install 'worldgauge[s3]')")
    pytest.importorskip("flask_cors", reason="flask-cors is not installed; 'make nightly' brings it")
    moto = pytest.importorskip("moto.server", reason="moto is not installed; 'make nightly' brings it")
    port = free_port()
    server = moto.ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    try:
        _ask(port, "PUT", f"/{BUCKET}")
        yield port
    finally:
        server.stop()


@contextmanager
def google_server() -> Iterator[int]:
    """The port of an emulator of Google's storage. It takes every upload, whatever condition it comes with."""
    pytest.importorskip("gcsfs", reason="gcsfs is not installed (pip install 'worldgauge[gcs]')")
    emulator = pytest.importorskip(
        "gcp_storage_emulator.server", reason="gcp-storage-emulator is not installed; 'make nightly' brings it"
    )
    port = free_port()
    server = emulator.create_server("127.0.0.1", port, in_memory=True, default_bucket=BUCKET)
    server.start()
    try:
        yield port
    finally:
        server.stop()


@contextmanager
def with_generations(port: int) -> Iterator[int]:
    """A proxy before that emulator which refuses, as Google does, to create an object that is there."""
    lock = threading.Lock()

    def refused(path: str, body: bytes) -> bool:
        asked = urllib.parse.urlsplit(path)
        if urllib.parse.parse_qs(asked.query).get("ifGenerationMatch") != ["0"]:
            return False
        about = json.loads(body[body.index(b"{") : body.index(b"}") + 1])
        name = urllib.parse.quote(about["name"], safe="")
        return _ask(port, "GET", f"/storage/v1/b/{BUCKET}/o/{name}") == 200

    with faulty_proxy(port, Faults(refused=refused, one_at_a_time=lock)) as before:
        yield before


def google_environment(port: int) -> dict[str, str]:
    """What tells gcsfs where the server is."""
    return {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"}


def _ask(port: int, method: str, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()
