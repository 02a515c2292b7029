"""`worldgauge status`: done, running, lost, stopped; speed, reasons and the expected end."""

from __future__ import annotations

import json
import os
import socket
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import helpers
from worldgauge.engine.scale.shard_status import _state
from worldgauge.engine.scale.shards import Mark, Shards, folder_of
from worldgauge.engine.status import RunStatus, run_status, together
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
