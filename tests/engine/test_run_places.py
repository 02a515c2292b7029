"""Run folders by URL: segments that never change, one writer, and nothing lost or doubled."""

from __future__ import annotations

import json
import logging
import os
import time
from collections import Counter
from pathlib import Path

import pytest

import helpers
import worldgauge
from worldgauge.core.run_folder import Run
from worldgauge.engine import lease as leases
from worldgauge.engine import run_places
from worldgauge.engine.lease import Lease, LeaseLost
from worldgauge.engine.places import Place
from worldgauge.engine.run_places import HOME_FILE, Home, run_at
from worldgauge.engine.writing import Busy

FLAGS = ("-w", 1, "-m", "psnr,flow_magnitude")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"memory://{tmp_path.name}-{id(tmp_path)}/run"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "_SETTLE", 0.0)


def home(folder: Path, url: str) -> Home:
    folder.mkdir(exist_ok=True)
    found = Home(folder, url)
    found.fetch()
    return found


def segments(url: str) -> dict[str, bytes]:
    place = Place(url)
    return {name: place.read(name) or b"" for name in sorted(place.names()) if name.startswith("records-")}


def test_whole_lines_become_segments_that_never_change(tmp_path: Path, url: str) -> None:
    here = home(tmp_path / "here", url)
    records = tmp_path / "here" / "records-0.jsonl"
    records.write_bytes(b"one\ntwo\nthr")
    here.bring()
    first = segments(url)
    assert list(first.values()) == [b"one\ntwo\n"]
    with records.open("ab") as stream:
        stream.write(b"ee\n")
    here.bring()
    here.bring()
    assert list(segments(url).values()) == [b"one\ntwo\n", b"three\n"]
    assert {name: data for name, data in segments(url).items() if name in first} == first
    # Another machine has all of them; this one does not get its own back.
    home(tmp_path / "there", url)
    assert len(list((tmp_path / "there").glob("records-*.jsonl"))) == 2
    here.fetch()
    assert [file.name for file in (tmp_path / "here").glob("records-*.jsonl")] == ["records-0.jsonl"]


def test_a_file_that_grows_is_not_brought_all_the_time(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, ledger = home(tmp_path / "here", url), tmp_path / "here" / "judge.jsonl"
    brought: list[str] = []
    create = Place.create

    def slowly(self: Place, name: str, data: bytes, over: bool = False) -> bool:
        brought.append(name)
        time.sleep(0.1)
        return create(self, name, data, over)

    monkeypatch.setattr(Place, "create", slowly)
    for count in range(1, 5):
        ledger.write_bytes(b"a line\n" * count)
        here.bring(at_leisure=True)
    assert brought == ["judge.jsonl"]
    here.bring()
    assert brought == ["judge.jsonl"] * 2 and Place(url).read("judge.jsonl") == b"a line\n" * 4


def test_many_lines_are_several_segments(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_places, "_LARGEST", 10)
    here = home(tmp_path / "here", url)
    (tmp_path / "here" / "records-0.jsonl").write_bytes(b"one\ntwo\n" + b"x" * 25 + b"\nlast\nto")
    here.bring()
    here.bring()
    assert list(segments(url).values()) == [b"one\ntwo\n", b"x" * 25 + b"\n", b"last\n"]


@pytest.mark.parametrize("when", ["while it works", "at its end"])
def test_who_was_taken_over_from_brings_nothing_more(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """What describes the run there is the other's, and newer; what was made here stays here."""
    monkeypatch.setattr(run_places, "EVERY", 0.01 if when == "while it works" else 60.0)
    folder, other = tmp_path / "here", Lease(Place(url), "other")
    home(folder, url)
    with pytest.raises(LeaseLost, match="taken over by another run"), run_places.bringing(folder):
        other.take(break_lock=True)
        Place(url).create("run.json", b"the other's", over=True)
        if when == "while it works":
            time.sleep(0.3)
        (folder / "run.json").write_bytes(b"ours")
        (folder / "records-0.jsonl").write_bytes(b"one\n")
    assert Place(url).read("run.json") == b"the other's" and not segments(url)
    assert other.owner()["writer"] == "other", "and the lease is not taken away from the other"
    assert (folder / "records-0.jsonl").read_bytes() == b"one\n"


def test_what_was_paid_for_stays_in_the_ledger_of_who_was_killed(tmp_path: Path, url: str) -> None:
    """It is brought now and then. What came after that is on this machine alone, and another may have gone on there."""
    here, ledger = home(tmp_path / "here", url), tmp_path / "here" / "judge.jsonl"
    ledger.write_bytes(b"one\n")
    here.bring()
    ledger.write_bytes(b"one\ntwo\ntor")
    other = home(tmp_path / "there", url)
    (tmp_path / "there" / "judge.jsonl").write_bytes(b"one\nelsewhere\n")
    other.bring()
    again = home(tmp_path / "here", url)
    assert ledger.read_bytes() == b"one\nelsewhere\ntwo\n"
    again.bring()
    assert Place(url).read("judge.jsonl") == b"one\nelsewhere\ntwo\n"
    home(tmp_path / "here", url)
    assert ledger.read_bytes() == b"one\nelsewhere\ntwo\n", "and no line twice"


@pytest.mark.parametrize("there", ["whole", "cut"])
def test_killed_between_bringing_and_noting(tmp_path: Path, url: str, there: str) -> None:
    here = home(tmp_path / "here", url)
    records, note = tmp_path / "here" / "records-0.jsonl", tmp_path / "here" / HOME_FILE
    before = note.read_bytes()
    records.write_bytes(b"one\ntwo\n")
    here.bring()
    note.write_bytes(before)
    if there == "cut":
        (name,) = segments(url)
        Place(url).create(name, b"one\nt", over=True)
    with records.open("ab") as stream:
        stream.write(b"three\n")
    Home(tmp_path / "here", url).bring()
    assert b"".join(segments(url).values()) == b"one\ntwo\nthree\n"
    assert all(data.endswith(b"\n") for data in segments(url).values())


def test_one_writer_at_a_time(tmp_path: Path, url: str, caplog: pytest.LogCaptureFixture) -> None:
    first, second = Lease(Place(url), "aaa"), Lease(Place(url), "bbb")
    first.take()
    with pytest.raises(Busy, match=r"another run writes to memory.*process \d+ of .*heard of 0 s ago"):
        second.take()
    second.take(break_lock=True)
    with pytest.raises(LeaseLost, match="taken over by another run"):
        first.renew()
    first.release()
    assert second.owner(), "whoever lost it does not take it away from the other"
    second.release()
    assert not second.owner()
    first.take()
    # What the same folder left when it was killed is its own; of others, what was not heard of for long.
    Lease(Place(url), "aaa").take()
    old = first.owner() | {"heard": time.time() - leases.STALE - 1, "writer": "ccc"}
    Place(url).create(leases.FILE_NAME, json.dumps(old).encode(), over=True)
    with caplog.at_level(logging.WARNING):
        second.take()
    assert "taken over" in caplog.text


def test_a_place_without_conditions_says_so(tmp_path: Path, url: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Lease(Place(url), "aaa").take()
    assert "does not keep two apart" in caplog.text


def test_a_run_goes_on_on_another_machine(videos: Path, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/shared/run"
    there, command = tmp_path / "shared" / "run", ("run", videos, *FLAGS, "-o", url)

    def machine(name: str) -> dict[str, str]:
        return {**os.environ, "WORLDGAUGE_REMOTE_RUNS": str(tmp_path / name)}

    helpers.worldgauge_many([*command, "--case", "case-00"], env=machine("one"))
    names = {file.name for file in there.iterdir()}
    assert names >= {"run.json", "contents.jsonl", "sources.jsonl", "summary.json"} and ".writer.json" not in names
    before = {file.name: file.read_bytes() for file in there.glob("records-*.jsonl")}
    plain = ("run", videos, *FLAGS, "-o", "plain")
    told, _, *reports = helpers.worldgauge_many(
        command, plain, ["report", url, "-f", "csv"], ["report", "plain", "-f", "csv"], env=machine("two")
    )
    assert f"run folder: {url}" in told
    assert reports[0] == reports[1]
    after = {file.name: file.read_bytes() for file in there.glob("records-*.jsonl")}
    assert before and before.items() < after.items()
    lines = [json.loads(line) for data in after.values() for line in data.splitlines()]
    assert set(Counter((line["case"], line["metric"]) for line in lines).values()) == {1}


def test_from_python(videos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("RUNS", "FILES"):
        monkeypatch.setenv(f"WORLDGAUGE_REMOTE_{kind}", str(tmp_path / kind))
    url = f"file://{tmp_path}/shared/run"
    worldgauge.evaluate(f"file://{videos}", metrics="psnr", cases="case-00", out=url)
    monkeypatch.setenv("WORLDGAUGE_REMOTE_RUNS", str(tmp_path / "elsewhere"))
    found = worldgauge.load_run(url)
    assert list(found.cases) == ["case-00"] and found.file.read_from == f"file://{videos}"
    with pytest.raises(worldgauge.WorldGaugeError, match=rf"^file://{tmp_path}/shared is not a run"):
        worldgauge.load_run(f"file://{tmp_path}/shared")


def test_shards_of_a_queue_are_not_written_by_url(videos: Path, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/shared/run"
    refused = helpers.worldgauge("run", videos, *FLAGS, "--executor", "slurm", "--dry-run", "-o", url, check=False)
    assert refused.returncode == 2 and f"cannot be written to {url}" in refused.stderr


def test_a_folder_that_stays_here_has_no_home(tmp_path: Path) -> None:
    assert Home.of(tmp_path) is None and run_at(tmp_path) == tmp_path
    with run_places.bringing(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_runs_made_apart_are_one_after_merging(videos: Path, tmp_path: Path) -> None:
    """Other metrics, other cases, and some of both twice; then the lines that count, each once."""
    helpers.worldgauge_many(
        ["run", videos, "-w", 1, "-m", "psnr", "-o", "first", "--case", "case-00"],
        ["run", videos, *FLAGS, "-o", "second"],
        ["merge", "first", "second", "-o", "both"],
        ["run", videos, *FLAGS, "-o", "whole"],
        ["run", videos, *FLAGS, "--use", "flow=dis:preset=fast", "-o", "other"],
    )
    both, whole = Run(Path("both")), Run(Path("whole"))
    shown = [
        [(r["metric"], r["case"], r["status"], r.get("value")) for r in run.records()] for run in (both, whole)
    ]  # fmt: skip
    assert shown[0] == shown[1]
    assert [file.name for file in Path("both").glob("records-*.jsonl")] == ["records-0.jsonl"]
    assert len(Path("both/records-0.jsonl").read_text().splitlines()) == len(shown[0])
    assert len(both.file.invocations) == 2
    refused = helpers.worldgauge("merge", "second", "other", "-o", "never", check=False)
    assert refused.returncode == 2 and "'flow_magnitude' means two things" in refused.stderr
    assert "second" in refused.stderr and "other" in refused.stderr and not Path("never").exists()
    assert "preset" in refused.stderr and "fast" in refused.stderr, "both definitions are printed"


def test_nobody_merges_into_a_place_that_another_writes_to(videos: Path, tmp_path: Path) -> None:
    place = Place(f"file://{tmp_path}/bucket/both")
    helpers.worldgauge("run", videos, "-w", 1, "-m", "psnr", "-o", "first")
    Lease(place, "somebody").take()
    refused = helpers.worldgauge("merge", "first", "-o", place.url, check=False)
    assert refused.returncode == 2 and f"another run writes to {place.url}" in refused.stderr
    assert list(place.names()) == [leases.FILE_NAME]
    place.remove(leases.FILE_NAME)
    helpers.worldgauge("merge", "first", "-o", place.url)
    assert "run.json" in place.names() and leases.FILE_NAME not in place.names()
    assert len(segments(place.url)) == 1
