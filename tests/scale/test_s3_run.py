"""Store, videos and run folder in a bucket of a real server: two nodes, and a line that fails in every way."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import helpers
from s3_server import Faults, environment, faulty_proxy, s3_server

s3fs = pytest.importorskip("s3fs")

pytestmark = pytest.mark.nightly
FLAGS = ("-w", 2, "-m", "psnr,ssim,flow_magnitude,warp_error", "--store", "s3://lab/store")
CLIPS = 8


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """A bucket with clips in it behind a proxy, whose faults these are."""
    helpers.make_videos(tmp_path / "buckets" / "lab" / "clips", cases=CLIPS)
    found = Faults()
    with s3_server(tmp_path / "buckets") as behind, faulty_proxy(behind, found) as port:
        for name, value in environment(port).items():
            monkeypatch.setenv(name, value)
        yield found


def node(name: str, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A run on a machine of that name, which has nothing of its own but what it fetched."""
    for kind in ("STORES", "RUNS", "FILES"):
        monkeypatch.setenv(f"WORLDGAUGE_REMOTE_{kind}", str(tmp_path / name / kind.lower()))
    return helpers.run_json("run", "s3://lab/clips", *FLAGS, "-o", out, timeout=600)


def plain(summary: dict[str, Any]) -> dict[str, Any]:
    return {key: summary[key] for key in ("metrics", "groups", "statuses", "fingerprints", "damaged_lines", "stale")}


def records(folder: Path) -> Counter[tuple[str, str]]:
    """How often each case and metric stands in the segments, all of which are whole."""
    found: Counter[tuple[str, str]] = Counter()
    for file in folder.glob("records-*.jsonl"):
        data = file.read_bytes()
        assert data.endswith(b"\n"), f"{file.name} is torn"
        found.update((line["case"], line["metric"]) for line in map(json.loads, data.splitlines()))
    return found


def test_two_nodes_share_signals_and_a_run(faults: Faults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = node("one", "s3://lab/runs/a", tmp_path, monkeypatch)
    assert first["counters"]["signals_computed"] > 0
    second = node("two", "s3://lab/runs/b", tmp_path, monkeypatch)
    assert second["counters"].get("signals_computed", 0) == 0
    assert plain(first) == plain(second)
    # The second node goes on with the run of the first, and finds nothing to do.
    again = node("two", "s3://lab/runs/a", tmp_path, monkeypatch)
    assert again["counters"].get("signals_computed", 0) == 0 and plain(again) == plain(first)
    assert set(records(tmp_path / "buckets" / "lab" / "runs" / "a").values()) == {1}
    assert helpers.run_json("report", "s3://lab/runs/a")
    # Somebody else is at it: refused, and left alone.
    owner = {"host": "elsewhere", "pid": 7, "user": "ada", "since": time.time(), "heard": time.time(), "token": "t"}
    # Through the server, which remembers what its folders hold.
    files = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
    files.pipe_file("lab/runs/a/.writer.json", json.dumps(owner).encode())
    refused = helpers.worldgauge("run", "s3://lab/clips", *FLAGS, "-o", "s3://lab/runs/a", check=False)
    assert refused.returncode == 2 and "another run writes to s3://lab/runs/a (process 7 of ada" in refused.stderr
    assert json.loads(files.cat_file("lab/runs/a/.writer.json")) == owner


def test_a_run_over_a_bad_line_ends_whole(faults: Faults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """60 s without an answer in the middle of it, errors 500 and 503, slow answers, and uploads that are cut."""
    whole = node("one", "s3://lab/runs/a", tmp_path, monkeypatch)
    shutil.rmtree(tmp_path / "buckets" / "lab" / "store")
    seen, faults.slow = len(faults.log), 0.02

    def trouble() -> None:
        for after, errors in ((10, [500, 503]), (20, [503, 500, 500])):
            while len(faults.log) < seen + after:
                time.sleep(0.02)
            faults.errors, faults.cuts = errors, 2
        faults.down_until = time.monotonic() + 60

    thread = threading.Thread(target=trouble, daemon=True)
    thread.start()
    started = time.monotonic()
    hurt = node("two", "s3://lab/runs/b", tmp_path, monkeypatch)
    thread.join(10)
    assert time.monotonic() - started > 50 and faults.cuts < 2 and faults.errors == []
    assert plain(hurt) == plain(whole)
    assert set(records(tmp_path / "buckets" / "lab" / "runs" / "b").values()) == {1}
    assert records(tmp_path / "buckets" / "lab" / "runs" / "b") == records(tmp_path / "buckets" / "lab" / "runs" / "a")
    assert not (tmp_path / "buckets" / "lab" / "runs" / "b" / ".writer.json").exists()
    # Nothing torn lies in the store either.
    helpers.run_json("cache", "push", "--store", "s3://lab/store")
    monkeypatch.setenv("WORLDGAUGE_REMOTE_STORES", str(tmp_path / "three"))
    assert helpers.run_json("cache", "pull", "--store", "s3://lab/store")["pulled"]["s3://lab/store"]["damaged"] == 0
