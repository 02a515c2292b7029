"""A real Ray: one node in every test run; at night three, of which one is killed, then the driver, then the head."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import helpers
from worldgauge.api.building import build_job
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.report.summary import write_summary

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from bench.gauge_clips import write_gauge_clips  # noqa: E402  the path is set above
from tools.cluster.nodes import LocalCluster  # noqa: E402

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'worldgauge[ray]'")

INCLUDE = ROOT / "tests" / "engine" / "slow_metrics.py"
METRICS = ("test_mean_brightness", "test_peak_brightness", "test_contrast_ratio", "test_both")
SECONDS = 400
GIVEN_UP = 120.0
"""Seconds after which Ray must have missed a killed node."""
CLIPS = 300
RECORDS = CLIPS * len(METRICS)


def command(videos: Path, out: Path, *more: object) -> list[str]:
    flags = ["--metrics", ",".join(METRICS), "--include", INCLUDE, "--out", out, "--store", f"{out}-store", *more]
    return [sys.executable, "-m", "worldgauge", "run", str(videos), *map(str, flags)]


def run(videos: Path, out: Path, *more: object) -> str:
    done = subprocess.run(
        command(videos, out, *more), capture_output=True, text=True, timeout=SECONDS, check=False, cwd=out.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


def lines(out: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in out.glob("records-*.jsonl"))


def started(videos: Path, out: Path, wanted: int, *more: object) -> subprocess.Popen[str]:
    """A run that has written so many records."""
    process = subprocess.Popen(
        command(videos, out, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=out.parent
    )
    until = time.monotonic() + SECONDS
    while lines(out) < wanted:
        assert process.poll() is None and time.monotonic() < until, f"{lines(out)} records"
        time.sleep(0.02)
    return process


def same(found: Path, expected: Path) -> None:
    assert helpers.records(found) == helpers.records(expected)
    assert (found / "summary.json").read_bytes() == (expected / "summary.json").read_bytes()


def test_one_node(tmp_path: Path) -> None:
    videos = write_gauge_clips(tmp_path / "v", 20)
    setting = {"metrics": ",".join(METRICS), "includes": [INCLUDE], "store": tmp_path / "store", "workers": 1}
    job = build_job(videos, out=tmp_path / "local", **setting)
    execute(job, make_plan(job))
    write_summary(tmp_path / "local")
    run(videos, tmp_path / "ray", "--workers", 1, "--decoders", 1, "--executor", "ray", "--address", "local")
    same(tmp_path / "ray", tmp_path / "local")
    assert [file.name for file in (tmp_path / "ray").glob("records-*")] == ["records-0.jsonl"]


@pytest.fixture
def cluster() -> Iterator[LocalCluster]:
    """Three nodes of one core each."""
    made = LocalCluster.temporary()
    try:
        made.start(3)
        os.environ.update(made.environment())
        yield made
    finally:
        for name in made.environment():
            os.environ.pop(name, None)
        made.close()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 clips in `videos`, and the run folder that a local run made of them."""
    folder = tmp_path_factory.mktemp("reference")
    run(write_gauge_clips(folder / "videos", CLIPS), folder / "run", "--workers", 2)
    return folder / "run"


@pytest.mark.nightly
def test_a_node_is_killed(tmp_path: Path, cluster: LocalCluster, local: Path) -> None:
    videos, out = local.with_name("videos"), tmp_path / "run"
    going = started(videos, out, RECORDS // 4, "--executor", "ray", "--address", cluster.address)
    cluster.kill(2)
    assert lines(out) < RECORDS, "in the middle"
    assert going.wait(SECONDS) == 0, going.stderr and going.stderr.read()
    same(out, local)
    assert lines(out) == RECORDS, "none lost, none doubled"
    gone = time.monotonic() + GIVEN_UP
    while cluster.alive() != 2:
        assert time.monotonic() < gone, "Ray never missed the node"


@pytest.mark.nightly
def test_a_driver_is_killed(tmp_path: Path, cluster: LocalCluster, local: Path) -> None:
    videos, out = local.with_name("videos"), tmp_path / "run"
    there = ("--executor", "ray", "--address", cluster.address)
    killed = started(videos, out, RECORDS // 4, *there)
    killed.kill()
    killed.wait()
    assert RECORDS // 4 <= lines(out) < RECORDS
    run(videos, out, *there)
    same(out, local)
    assert lines(out) == RECORDS


@pytest.mark.nightly
def test_the_head_is_lost(tmp_path: Path, cluster: LocalCluster, local: Path) -> None:
    videos, out = local.with_name("videos"), tmp_path / "run"
    there = ("--executor", "ray", "--address", cluster.address)
    going = started(videos, out, RECORDS // 4, *there)
    cluster.kill(0)
    _, told = going.communicate(timeout=SECONDS)
    assert going.returncode == 2 and "Traceback" not in told, told
    assert "the head of the Ray cluster is gone" in told
    assert RECORDS // 4 <= lines(out) < RECORDS
    cluster.stop()
    cluster.start(3)
    run(videos, out, *there)
    same(out, local)
    assert lines(out) == RECORDS
