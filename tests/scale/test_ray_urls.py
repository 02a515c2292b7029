"""Two nodes of a real Ray that share no folder: videos by URL, and a store in a bucket of a real server."""

from __future__ import annotations

import http.server
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

import ray_runs

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from bench.gauge_clips import write_gauge_clips  # noqa: E402  the path is set above
from tools.cluster.nodes import LocalCluster, Size  # noqa: E402

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'worldgauge[ray]'"),
]
CLIPS = 16
TWO_PASSES = ("--gpu-memory", "4GB")
"""Room for one network of the two."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With `videos`, and a local run of them in `local`."""
    made = tmp_path_factory.mktemp("urls")
    write_gauge_clips(made / "videos", CLIPS)
    ray_runs.run(made / "videos", made / "local", "-w", 1, *TWO_PASSES)
    return made


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[LocalCluster]:
    """Two nodes, each with folders of its own for what it copies, and a bucket."""
    made = LocalCluster.temporary(Size(gigabytes=8.0))
    try:
        if find_spec("s3fs") is not None:
            made.start_s3()
        made.start(1, **own_folders(folder, "one"))
        made.add(**own_folders(folder, "two"))
        yield made
    finally:
        made.close()


def own_folders(folder: Path, name: str) -> dict[str, str]:
    return {f"WORLDGAUGE_REMOTE_{kind}": str(folder / name / kind.lower()) for kind in ("FILES", "STORES")}


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/videos"
    server.shutdown()
    server.server_close()


def clips(folder: Path, node: str) -> set[str]:
    return {file.name for file in (folder / node / "files").rglob("*.mkv")}


@pytest.mark.skipif(find_spec("aiohttp") is None, reason="nothing here reads HTTP")
def test_nodes_copy_their_own_videos(cluster: LocalCluster, folder: Path, url: str) -> None:
    # A path that leads somewhere in the driver's process alone: to the nodes its copies are not there.
    (folder / "driver" / "files").mkdir(parents=True)
    handle = os.open(folder / "driver" / "files", os.O_RDONLY)
    driver = cluster.environment() | {"WORLDGAUGE_REMOTE_FILES": f"/proc/self/fd/{handle}"}
    there = ("--executor", "ray", "--address", cluster.address)
    try:
        told = ray_runs.run(url, folder / "by-url", *there, fds=(handle,), **driver)
    finally:
        os.close(handle)
    assert ray_runs.computed(told) == 2 * CLIPS
    ray_runs.same(folder / "by-url", folder / "local")
    assert clips(folder, "driver") == {f"case-{number:03d}.mkv" for number in range(CLIPS)}
    assert clips(folder, "one") and clips(folder, "two"), "each fetched some"
    assert clips(folder, "one") | clips(folder, "two") == clips(folder, "driver")


@pytest.mark.skipif(find_spec("s3fs") is None, reason="nothing here reads S3: pip install 'worldgauge[s3]'")
def test_two_passes_over_a_store_in_a_bucket(cluster: LocalCluster, folder: Path) -> None:
    def run(name: str) -> int:
        there = ("--executor", "ray", "--address", cluster.address, "--store", "s3://lab/store", *TWO_PASSES)
        stores = {"WORLDGAUGE_REMOTE_STORES": str(folder / name / "stores")}
        return ray_runs.computed(
            ray_runs.run(folder / "videos", folder / f"run-{name}", *there, **environment, **stores)
        )

    environment = cluster.environment()
    assert run("driver-a") == 2 * CLIPS, "what the first pass found elsewhere is not computed again in the second"
    ray_runs.same(folder / "run-driver-a", folder / "local")
    for node in ("one", "two"):
        assert any((folder / node / "stores").rglob("*.npz")), f"{node} has a store of its own"
    # Another machine drives, and has nothing yet.
    assert run("driver-b") == 0
    ray_runs.same(folder / "run-driver-b", folder / "local")
