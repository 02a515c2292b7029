"""A real Ray: one node, three nodes of which one is killed, and a driver that is killed and started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import helpers
from worldgauge.media.encoder import write_video

pytestmark = pytest.mark.nightly

INCLUDE = Path(__file__).parents[1] / "engine" / "slow_metrics.py"
METRICS = "test_mean_brightness,test_peak_brightness,test_contrast_ratio,test_both"
SECONDS = 400


def command(videos: Path, out: Path, store: Path, *more: object) -> list[str]:
    flags = ["--metrics", METRICS, "--include", INCLUDE, "--out", out, "--store", store, *more]
    return [sys.executable, "-m", "worldgauge", "run", str(videos), *map(str, flags)]


def run(*arguments: object) -> None:
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=SECONDS, check=False)  # type: ignore[arg-type]
    assert done.returncode == 0, done.stdout + done.stderr


def clips(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        write_video(folder / f"case-{number:03d}.mkv", helpers.moving_texture(3, seed=number), fps=12)
    return folder


def lines(out: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in out.glob("records-*.jsonl"))


def wait_for(out: Path, wanted: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + SECONDS
    while lines(out) < wanted:
        assert process.poll() is None and time.monotonic() < until, f"{lines(out)} records"
        time.sleep(0.02)


def same(found: Path, expected: Path) -> None:
    assert helpers.records(found) == helpers.records(expected)
    assert (found / "summary.json").read_bytes() == (expected / "summary.json").read_bytes()


class Nodes:
    """A cluster of this machine: each node is a `ray start` with its processes."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self._folder = folder
        port = self.address.rpartition(":")[2]
        self.started = [
            self._start("--head", "--port", port, "--include-dashboard", "false", "--temp-dir", str(folder))
        ]

    def _start(self, *flags: str) -> subprocess.Popen[bytes]:
        start = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--node-ip-address", "127.0.0.1"]
        size = ["--num-cpus", "1", "--memory", str(2 * 2**30), "--object-store-memory", str(80 * 2**20)]
        with (self._folder / "nodes.log").open("ab") as log:
            return subprocess.Popen([*start, *size, *flags], stdout=log, stderr=log, start_new_session=True)

    def add(self) -> None:
        self.started.append(self._start("--address", self.address))

    def wait(self, count: int) -> None:
        """Until all are there."""
        code = (
            "import ray, sys, time\n"
            f"ray.init('{self.address}', log_to_driver=False, logging_level='ERROR')\n"
            f"while sum(n['Alive'] for n in ray.nodes()) < {count}: time.sleep(0.3)\n"
        )
        until = time.monotonic() + SECONDS
        while subprocess.run(
            [sys.executable, "-c", code], capture_output=True, timeout=SECONDS, check=False
        ).returncode:
            assert time.monotonic() < until, (self._folder / "nodes.log").read_text()
            time.sleep(0.5)

    def kill(self, number: int) -> None:
        """With -9, everything that the node has started too."""
        process = self.started[number]
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        process.wait()


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    """Its head; short names, since sockets have them."""
    pytest.importorskip("ray")
    folder = Path(tempfile.mkdtemp(prefix="wg-", dir="/tmp"))
    made = Nodes(folder)
    try:
        yield made
    finally:
        for number in reversed(range(len(made.started))):
            made.kill(number)
        shutil.rmtree(folder, ignore_errors=True)


def test_one_node(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    videos = clips(tmp_path / "v", 20)
    run(videos, tmp_path / "local", tmp_path / "s1", "--workers", 2)
    run(videos, tmp_path / "ray", tmp_path / "s2", "--workers", 2, "--executor", "ray", "--address", "local")
    same(tmp_path / "ray", tmp_path / "local")
    assert [file.name for file in (tmp_path / "ray").glob("records-*")] == ["records-0.jsonl"]


def test_a_node_killed_and_a_driver_killed(tmp_path: Path, nodes: Nodes) -> None:
    videos = clips(tmp_path / "v", 300)
    run(videos, tmp_path / "local", tmp_path / "s1", "--workers", 2)
    nodes.add()
    nodes.add()
    nodes.wait(3)
    cluster = ("--executor", "ray", "--address", nodes.address)

    # The driver first, as long as all nodes are there.
    killed = subprocess.Popen(
        command(videos, tmp_path / "driver", tmp_path / "s2", *cluster), stderr=subprocess.DEVNULL
    )
    wait_for(tmp_path / "driver", 300, killed)
    killed.kill()
    killed.wait()
    before = lines(tmp_path / "driver")
    assert 300 <= before < 1200
    run(videos, tmp_path / "driver", tmp_path / "s2", *cluster)
    same(tmp_path / "driver", tmp_path / "local")
    assert lines(tmp_path / "driver") == 1200, "none lost, none doubled"

    # Then a node.
    going = subprocess.Popen(command(videos, tmp_path / "node", tmp_path / "s3", *cluster), stderr=subprocess.DEVNULL)
    wait_for(tmp_path / "node", 300, going)
    nodes.kill(2)
    assert going.wait(SECONDS) == 0
    same(tmp_path / "node", tmp_path / "local")
    assert lines(tmp_path / "node") == 1200
