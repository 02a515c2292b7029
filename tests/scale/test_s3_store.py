"""A store in a bucket of a real server: shared by two machines, through errors, outages and cut uploads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import helpers
from s3_server import Faults, environment, faulty_proxy, s3_server

s3fs = pytest.importorskip("s3fs")

pytestmark = pytest.mark.nightly
METRICS = "psnr,ssim,flow_magnitude,warp_error"


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """The environment of a bucket behind a proxy, whose faults these are."""
    (tmp_path / "buckets" / "lab").mkdir(parents=True)
    found = Faults()
    with s3_server(tmp_path / "buckets") as behind, faulty_proxy(behind, found) as port:
        for name, value in environment(port).items():
            monkeypatch.setenv(name, value)
        yield found


def run(videos: Path, machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    monkeypatch.setenv("WORLDGAUGE_REMOTE_STORES", str(tmp_path / machine))
    flags = ("-w", 1, "-m", METRICS, "--store", "s3://lab/store", "-o", machine)
    counters: dict[str, float] = helpers.run_json("run", videos, *flags)["counters"]
    return counters


def test_two_machines_share_signals(
    videos: Path, faults: Faults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(videos, "one", tmp_path, monkeypatch)
    second = run(videos, "two", tmp_path, monkeypatch)
    assert first["signals_computed"] > 0
    assert second.get("signals_computed", 0) == 0
    assert Path("one/summary.json").read_text() == Path("two/summary.json").read_text()


def test_errors_slow_answers_a_cut_upload_and_an_outage_cost_time_only(
    videos: Path, faults: Faults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(videos, "one", tmp_path, monkeypatch)
    files = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
    entries = sorted(files.find("lab/store"))
    for entry in entries[: len(entries) // 2]:
        files.rm_file(entry)

    faults.errors, faults.cuts, faults.slow = [500, 503, 500, 503], 2, 0.05

    def outage() -> None:
        time.sleep(0.5)
        faults.down_until = time.monotonic() + 60

    threading.Thread(target=outage).start()
    hurt = run(videos, "two", tmp_path, monkeypatch)
    assert 0 < hurt["signals_computed"] < whole["signals_computed"]
    assert Path("one/summary.json").read_text() == Path("two/summary.json").read_text()
    # What could not be brought there lies here; afterwards both hold the same, and nothing is torn.
    helpers.run_json("cache", "push", "--store", "s3://lab/store")
    assert sorted(files.find("lab/store")) == entries
    monkeypatch.setenv("WORLDGAUGE_REMOTE_STORES", str(tmp_path / "three"))
    pulled = helpers.run_json("cache", "pull", "--store", "s3://lab/store")["pulled"]["s3://lab/store"]
    assert pulled == {"fetched": len(entries), "damaged": 0}
