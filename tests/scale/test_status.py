"""`worldgauge status`: done, running, lost, stopped; speed, reasons and the expected end."""

from __future__ import annotations

import json
import os
import socket
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import helpers
from worldgauge.cli.status import status_lines
from worldgauge.cli.status_page import status_page
from worldgauge.core import record_lines
from worldgauge.engine.journal import FILE_NAME as JOURNAL
from worldgauge.engine.journal import Progress
from worldgauge.engine.scale.shard_status import _state
from worldgauge.engine.scale.shards import Mark, Shards, folder_of
from worldgauge.engine.status import RunStatus, run_status, together
from worldgauge.engine.tally import Tallies
from worldgauge.engine.writing import OWNER_FILE

METRICS = "picture_quality"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three clips, of which one cannot be read."""
    folder = tmp_path_factory.mktemp("status")
    videos = helpers.make_videos(folder / "v", cases=3, frames=3)
    (videos / "case-02.mkv").write_bytes(b"no video")
    flags = ["--metrics", METRICS, "--out", folder / "out", "--store", folder / "s", "--workers", 1]
    helpers.worldgauge("run", videos, *flags)
    return folder / "out"


def copied(finished: Path, to: Path, owner: dict[str, Any] | None = None, lines: int | None = None) -> Path:
    to.mkdir()
    for name in ("run.json", "contents.jsonl"):
        (to / name).write_bytes((finished / name).read_bytes())
    kept = (finished / "records-0.jsonl").read_text().splitlines(keepends=True)[:lines]
    (to / "records-0.jsonl").write_text("".join(kept))
    if owner is not None:
        (to / OWNER_FILE).write_text(json.dumps(owner))
    return to


def test_a_finished_run_and_its_failures(finished: Path) -> None:
    found = run_status(finished)
    assert (found.state, found.expected, found.written) == ("done", 3, 3)
    assert found.statuses == Counter({"ok": 2, "invalid": 1})
    [reason] = found.failures
    assert reason.startswith("invalid: ") and found.failures[reason] == 1
    assert found.seconds_left is None and found.rate is not None and found.rate > 0


def test_a_writer_that_lives_is_at_work_and_its_end_is_told(finished: Path, tmp_path: Path) -> None:
    me = {"host": socket.gethostname(), "pid": os.getpid()}
    folder = copied(finished, tmp_path / "run", me, lines=2)
    started = json.loads((folder / "run.json").read_text())["invocations"][-1]["started"]
    found = run_status(folder, now=started + 10.0)
    assert (found.state, found.written, found.left) == ("running", 2, 1)
    assert found.rate == pytest.approx(0.2) and found.seconds_left == pytest.approx(5.0)


def test_a_writer_that_was_killed_is_lost(finished: Path, tmp_path: Path) -> None:
    gone = {"host": socket.gethostname(), "pid": 2**22 + 1}
    assert run_status(copied(finished, tmp_path / "a", gone, lines=2)).state == "lost"
    assert run_status(copied(finished, tmp_path / "b", None, lines=2)).state == "stopped"
    assert run_status(copied(finished, tmp_path / "c", gone)).state == "done"


def test_a_writer_elsewhere_is_known_by_what_it_writes(finished: Path, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path / "run", {"host": "another", "pid": 1}, lines=2)
    assert run_status(folder).state == "running"
    assert run_status(folder, now=time.time() + 3600).state == "lost"


@pytest.mark.parametrize(
    ("records", "mark", "queued", "state"),
    [
        ("done", None, {}, "done"),
        ("stopped", None, {"7_0": "PENDING"}, "waiting"),
        ("lost", "running", {"7_0": "RUNNING"}, "running"),
        ("lost", "running", {}, "lost"),
        ("waiting", None, {}, "lost"),
        ("stopped", "failed", {}, "stopped"),
        ("lost", "killed", {}, "lost"),
        ("waiting", "killed", None, "lost"),
        ("waiting", "running", None, "running"),
        ("lost", "running", None, "lost"),
        ("waiting", None, None, "waiting"),
    ],
)
def test_the_queue_is_believed_first(records: str, mark: str | None, queued: dict[str, str] | None, state: str) -> None:
    """`queued` None: nobody could ask it."""
    assert _state(records, Mark(mark, "7_0") if mark else None, queued, "7_0") == state


def test_shards_together() -> None:
    parts = [
        RunStatus("done", 10, 10, rate=5.0),
        RunStatus("running", 10, 4, rate=2.0),
        RunStatus("running", 10, 6, rate=1.0),
    ]
    whole = together(parts)
    assert (whole.state, whole.expected, whole.written, whole.rate) == ("running", 30, 20, 3.0)
    assert whole.seconds_left == pytest.approx(10 / 3)
    assert together([RunStatus("done", 1, 1), RunStatus("lost", 1, 0)]).state == "lost"


def test_what_a_run_tells_of_itself_while_it_goes_on(finished: Path, tmp_path: Path) -> None:
    """Clips that wait, who keeps the workers busy, what the judge has cost."""
    me = {"host": socket.gethostname(), "pid": os.getpid()}
    folder = copied(finished, tmp_path / "run", me, lines=2)
    content = json.loads((folder / "run.json").read_text())
    started = content["invocations"][-1]["started"]
    network = {"signal": "flow_pairs", "instrument": {"name": "raft_large", "weights": ["0"]}}
    content["definitions"][0]["signals"] = [{"signal": "frame_quality", "needs": [network]}]
    (folder / "run.json").write_text(json.dumps(content))
    told = Progress(started, 10.0, 2, 9, 3, {"flow_pairs": 12.0, "frame_quality": 3.0})
    (folder / JOURNAL).write_text(json.dumps(told.to_json()))
    calls = [{"time": 1.0, "seconds": 2.0, "outcome": "replied", "cost": 0.25}, {"batch": "b", "time": 1.0}]
    calls += [{"time": 2.0, "seconds": 9.0, "outcome": "cut", "reserved": 0.5}]
    (folder / "judge.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls) + '{"torn')
    found = run_status(folder, now=started + 10.0)
    assert found.busy == {"raft_large": pytest.approx(0.6), "frame_quality": pytest.approx(0.15)}
    assert (found.spent.calls, found.spent.cost, found.spent.unknown, found.spent.replies) == (2, 0.25, 0.5, 1)
    lines = dict(status_lines(found))
    assert lines["clips"] == "3 of 9 done, 2 at work, 4 waiting"
    assert lines["busy"] == "raft_large 60%, frame_quality 15%"
    assert lines["judge"].startswith("2 calls, 0.2500 spent, at most 0.5000 more")
    assert lines["speed"] and lines["expected"]
    page = status_page([folder, tmp_path / "nowhere"]).decode()
    assert "raft_large 60%" in page and "is not a run" in page and 'http-equiv="refresh"' in page
    # Of an earlier time the command ran it tells nothing.
    (folder / JOURNAL).write_text(json.dumps(replace(told, started=started - 60).to_json()))
    assert run_status(folder).progress is None
    (folder / JOURNAL).write_text("{")
    assert run_status(folder).busy == {}


def test_shards_side_by_side_are_one_progress() -> None:
    parts = [Progress(1.0, 10.0, 2, 9, 3, {"a": 10.0}), Progress(2.0, 8.0, 2, 9, 9, {"a": 6.0, "b": 4.0})]
    whole = together([RunStatus("running", progress=parts[0]), RunStatus("running", progress=parts[1])]).progress
    assert whole is not None and (whole.places, whole.visits, whole.done, whole.waiting) == (4, 18, 12, 2)
    assert whole.busy() == {"a": pytest.approx(0.4), "b": pytest.approx(0.1)}


def test_a_real_run_leaves_its_progress(finished: Path) -> None:
    progress = Progress.read(finished)
    assert progress is not None and (progress.done, progress.visits) == (3, 3)
    assert 0 < sum(progress.busy().values()) <= 1


def test_the_verb(finished: Path, tmp_path: Path) -> None:
    shards = Shards(2, "local", {"1": "11", "2": "12"})
    out = tmp_path / "array"
    (out / "shards").mkdir(parents=True)
    shards.write(out)
    copied(finished, folder_of(out, 1, 2))
    told, of_shards, as_json = helpers.worldgauge_many(["status", finished], ["status", out], ["status", out, "--json"])
    assert "3 of 3: 2 scored, 1 invalid" in told and "done" in told
    assert "waiting" in of_shards
    parsed = json.loads(as_json)
    assert parsed["state"] == "waiting" and parsed["shards"]["1"]["state"] == "done"


def test_the_next_look_reads_only_what_is_new(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that watches a run of millions of records looks every few seconds."""
    me = {"host": socket.gethostname(), "pid": os.getpid()}
    folder, tallies = copied(finished, tmp_path / "run", me, lines=2), Tallies()
    read: list[str] = []
    problem = record_lines._problem
    monkeypatch.setattr(record_lines, "_problem", lambda record: read.append(record["case"]) or problem(record))
    assert run_status(folder, tallies=tallies).written == 2
    assert len(read) == 2
    third = (finished / "records-0.jsonl").read_text().splitlines(keepends=True)[2]
    with (folder / "records-0.jsonl").open("a") as stream:
        stream.write(third[:30])
        stream.flush()
        assert run_status(folder, tallies=tallies).written == 2, "half a line is no record"
        stream.write(third[30:])
    assert run_status(folder, tallies=tallies).written == 3
    assert len(read) == 3
    again, anew = run_status(folder, now=1.0, tallies=tallies), run_status(folder, now=1.0)
    assert again == anew and len(read) == 6
    # A folder that was begun anew is read anew.
    (folder / "records-0.jsonl").write_text(third)
    assert run_status(folder, tallies=tallies).written == 1


def test_of_several_records_the_last_invocation_counts(finished: Path, tmp_path: Path) -> None:
    folder, tallies = copied(finished, tmp_path / "run"), Tallies()
    records = folder / "records-0.jsonl"
    lines = list(map(json.loads, records.read_text().splitlines()))
    failed = [line | {"status": "error", "reason": "ours", "value": None, "invocation": -1} for line in lines]
    records.write_text("".join(json.dumps(line) + "\n" for line in failed))
    found = run_status(folder, tallies=tallies)
    assert found.statuses == {"error": 3} and found.failures == {"error: ours": 3} and found.written == 0
    with records.open("a") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in (*lines, failed[0]))
    found = run_status(folder, tallies=tallies)
    assert found.statuses == {"ok": 2, "invalid": 1} and found.written == 3 and "error: ours" not in found.failures


def test_a_record_of_an_earlier_invocation_is_written_an_error_of_one_is_not(finished: Path, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path / "run")
    records = folder / "records-0.jsonl"
    lines = [json.loads(line) | {"invocation": -1} for line in records.read_text().splitlines()]
    lines[0] |= {"status": "error", "reason": "ours", "value": None}
    records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run_status(folder).written == 2
