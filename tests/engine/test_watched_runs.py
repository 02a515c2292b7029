"""`status` of a run folder by URL that another machine writes to: told from there, and nobody is held up by it."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

import fsspec
import pytest

import helpers
from worldgauge.cli.status import status_lines, status_of
from worldgauge.cli.status_page import status_page
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine import watched_runs
from worldgauge.engine.journal import FILE_NAME as PROGRESS_FILE
from worldgauge.engine.journal import Progress
from worldgauge.engine.lease import STALE
from worldgauge.engine.places import Place
from worldgauge.engine.run_places import Home, folder_for, run_at
from worldgauge.engine.status import run_status
from worldgauge.engine.watched_runs import is_written, watched_folder
from worldgauge.engine.writing import OWNER_FILE


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three clips, of which one cannot be read."""
    folder = tmp_path_factory.mktemp("watched")
    videos = helpers.make_videos(folder / "v", cases=3, frames=3)
    (videos / "case-02.mkv").write_bytes(b"no video")
    flags = ["--metrics", "picture_quality", "--out", folder / "out", "--store", folder / "s", "--workers", 1]
    helpers.worldgauge("run", videos, *flags)
    return folder / "out"


class There:
    """A run that another machine has brought to a place, and goes on with."""

    def __init__(self, finished: Path, root: Path) -> None:
        self.url, self.root = f"file://{root}/lab/runs/model", root / "lab" / "runs" / "model"
        self.folder = root / "worker"
        self.folder.mkdir()
        for name in ("run.json", "contents.jsonl", "sources.jsonl"):
            (self.folder / name).write_bytes((finished / name).read_bytes())
        self.lines = (finished / "records-0.jsonl").read_bytes().splitlines(keepends=True)
        self.home = Home(self.folder, self.url)
        self.started = float(json.loads((finished / "run.json").read_bytes())["invocations"][-1]["started"])

    def write(self, count: int) -> None:
        """So many records, in the place and on the worker."""
        (self.folder / "records-0.jsonl").write_bytes(b"".join(self.lines[:count]))
        self.home.bring()

    def owner(self, ago: float = 2.0, host: str = "node-3", **more: Any) -> None:
        content = {"host": host, "pid": 7, "user": "ada", "since": self.started, "heard": time.time() - ago}
        self.home.place.create(OWNER_FILE, json.dumps(content | {"token": "t"} | more).encode(), over=True)


@pytest.fixture
def there(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> There:
    monkeypatch.setenv("WORLDGAUGE_REMOTE_RUNS", str(tmp_path / "mine"))
    found = There(finished, tmp_path)
    found.write(2)
    found.owner()
    return found


def test_who_writes_and_when_it_was_heard_of(there: There) -> None:
    found, _, _ = status_of(there.url)
    assert (found.state, found.written, found.expected) == ("running", 2, 3)
    assert found.rate is not None and found.seconds_left == pytest.approx(1 / found.rate)
    state = dict(status_lines(found))["state"]
    assert state.startswith("running (process 7 of ada on node-3, heard of 2.") and state.endswith(" s ago)")
    there.owner(STALE + 1)
    found, _, _ = status_of(there.url)
    assert found.state == "lost" and "heard of 5 min" in dict(status_lines(found))["state"]
    assert found.to_json()["writer_heard_seconds_ago"] == pytest.approx(STALE + 1, abs=2)
    there.home.place.remove(OWNER_FILE)
    assert status_of(there.url)[0].state == "stopped"
    there.write(3)
    found, _, _ = status_of(there.url)
    assert (found.state, found.written) == ("done", 3) and [*found.failures.values()] == [1]


def test_what_is_no_time_is_not_heard_of(there: There) -> None:
    for heard in (None, "now", -1.0, float("nan")):
        there.owner(heard=heard)
        found, _, _ = status_of(there.url)
        assert found.state == "lost" and "never heard of" in dict(status_lines(found))["state"]
        assert found.to_json()["writer_heard_seconds_ago"] is None


def test_a_writer_of_this_machine_that_was_killed_is_lost_at_once(there: There) -> None:
    there.owner(host=socket.gethostname(), pid=2**22 + 1)
    assert status_of(there.url)[0].state == "lost"
    there.owner(host=socket.gethostname(), pid=os.getpid())
    assert status_of(there.url)[0].state == "running"


def test_only_what_is_needed_is_fetched_and_only_once(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    (there.root / "evidence").mkdir()
    (there.root / "evidence" / "large.bin").write_bytes(b"0" * 1000)
    (there.root / "video.mp4").write_bytes(b"0" * 1000)
    fetched: list[str] = []
    whole = Place.fetch
    monkeypatch.setattr(Place, "fetch", lambda self, name, to: (fetched.append(name), whole(self, name, to))[1])
    names = {path: path.stat().st_mtime_ns for path in there.root.rglob("*")}
    status_of(there.url)
    segment = f"records-{there.home.writer}-000000.jsonl"
    assert sorted(fetched) == [OWNER_FILE, "contents.jsonl", segment, "run.json"]
    assert {path: path.stat().st_mtime_ns for path in there.root.rglob("*")} == names, "looking changes nothing there"
    assert not folder_for(there.url).exists(), "nor where a run of this machine would work"
    fetched.clear()
    there.write(3)
    status_of(there.url)
    assert sorted(fetched) == [OWNER_FILE, segment.replace("000000", "000001")]


def test_a_run_of_this_machine_is_read_where_it_is_written(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    here = run_at(there.url)
    (here / OWNER_FILE).write_text(json.dumps({"host": socket.gethostname(), "pid": os.getpid()}))
    monkeypatch.setattr(Place, "entries", lambda self: pytest.fail("asked the place"))
    assert watched_folder(there.url) == here
    assert status_of(there.url)[0].state == "running"


def test_progress_comes_along_when_it_changed_and_keeps_its_time(there: There) -> None:
    told = Progress(there.started + 1, 10.0, 2, 9, 3, {"frame_quality": 3.0})
    (there.folder / PROGRESS_FILE).write_text(json.dumps(told.to_json()))
    there.home.bring()
    copy = there.root / PROGRESS_FILE
    assert Progress.read(there.root) == told
    before = copy.stat().st_mtime_ns
    there.home.bring()
    assert copy.stat().st_mtime_ns == before, "what did not change is not brought again"
    there.owner(heard=told.written + 90.0)
    now = told.written + 100.0
    os.utime(copy, (now, now))
    found = run_status(watched_folder(there.url), now=now)
    assert found.state == "running" and found.told == pytest.approx(90.0)
    assert dict(status_lines(found))["clips"] == "3 of 9 done, 2 at work, 4 waiting, as told 1 min 30 s ago"
    assert found.rate == pytest.approx(2 / (told.written + 90.0 - there.started))
    assert found.to_json()["clips"]["as_of"] == pytest.approx(told.written, abs=0.1)


@pytest.mark.parametrize("content", ['{"started": "x"}', "[]", '{"started": 1, "seconds": null}', "nonsense"])
def test_a_damaged_progress_is_as_good_as_none(there: There, content: str) -> None:
    told = json.dumps(Progress(there.started + 1, "10", 2, 9, 3).to_json())  # type: ignore[arg-type]
    for text in (content, told, told.replace('"10"', "NaN")):
        (there.root / PROGRESS_FILE).write_text(text)
        assert status_of(there.url)[0].progress is None


def test_one_line_for_what_is_no_run(there: There, tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match=r"there is nothing at file:.*nowhere"):
        status_of(f"file://{tmp_path}/nowhere")
    with pytest.raises(WorldGaugeError, match=r"is not a run: it has no run\.json, but folders: model;"):
        status_of(there.url.rpartition("/")[0])
    (there.root / "run.json").unlink()
    with pytest.raises(WorldGaugeError, match=r"has no run\.json yet \(process 7 of ada on node-3"):
        status_of(there.url)
    told = helpers.worldgauge("status", f"file://{tmp_path}/nowhere", check=False)
    assert told.returncode == 2 and len(told.stderr.splitlines()) <= 2 and "there is nothing at" in told.stderr


class Silent(fsspec.AbstractFileSystem):  # type: ignore[misc]
    protocol = "silent"

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        raise ConnectionError("connection refused")


def test_one_line_for_a_place_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fsspec.register_implementation("silent", Silent, clobber=True)
    monkeypatch.setattr(watched_runs, "PATIENCE", 0.6)
    started = time.monotonic()
    with pytest.raises(WorldGaugeError, match=r"silent://lab/run does not answer .*connection refused"):
        status_of("silent://lab/run")
    assert 0.4 < time.monotonic() - started < 5 and caplog.text == ""


class Mute(Silent):
    protocol = "mute"

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        time.sleep(30)
        return []


def test_a_place_that_says_nothing_at_all_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec.register_implementation("mute", Mute, clobber=True)
    monkeypatch.setattr(watched_runs, "PATIENCE", 0.2)
    started = time.monotonic()
    with pytest.raises(WorldGaugeError, match="mute://lab/run does not answer"):
        status_of("mute://lab/run")
    assert time.monotonic() - started < 10


def test_the_page_asks_a_place_once_in_a_while(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    here = run_at(there.url)
    page = status_page([here]).decode()
    assert f"<h2>{there.url}</h2>" in page and "2 of 3" in page and "heard of" in page
    there.write(3)
    assert "2 of 3" in status_page([here]).decode()
    note = here.with_name(f".watched-{here.name}") / ".watched.json"
    note.write_text(json.dumps(json.loads(note.read_bytes()) | {"time": time.time() - 60}))
    assert "3 of 3" in status_page([here]).decode()


def test_a_written_page_leads_to_where_the_run_stood(there: There) -> None:
    told = helpers.worldgauge_many(["report", there.url, "-f", "html", "-o", "page"], ["status", there.url])
    assert "process 7 of ada on node-3" in told[1]
    page = Path("page/status.html").read_text("utf-8")
    assert there.url in page and "as of" in page and "refresh" not in page and 'href="index.html"' in page
    assert is_written(run_at(there.url))
    there.home.place.remove(OWNER_FILE)
    assert not is_written(run_at(there.url))


def test_what_was_cleared_there_is_brought_again(there: There, tmp_path: Path) -> None:
    """By the machine that made it; another one forgets what it had fetched."""
    other = Home(tmp_path / "other", there.url)
    other.fetch()
    assert list((tmp_path / "other").glob("records-*.jsonl"))
    for file in there.root.iterdir():
        file.unlink()
    other.fetch()
    assert not list((tmp_path / "other").glob("records-*.jsonl"))
    there.home.fetch()
    there.home.bring()
    assert (there.root / "run.json").exists()
    assert b"".join(file.read_bytes() for file in there.root.glob("records-*.jsonl")) == b"".join(there.lines[:2])
