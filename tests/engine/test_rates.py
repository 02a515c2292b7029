"""What signals are expected to cost: learnt from busy machines too, told as a range, and moved by signals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from worldgauge.api.building import build_job
from worldgauge.core.manifest import include
from worldgauge.engine.headway import Headway
from worldgauge.engine.plan import make_plan
from worldgauge.engine.rates import DECLARED, RATES_FILE, Elapsed, Observed, Rate, read_costs, remember_costs
from worldgauge.engine.run import execute, execute_together
from worldgauge.engine.work_items import Step, WorkResult

SECONDS = 0.15
WORK = f"""
import time
from worldgauge import Arrays, Clip, Measurement, metric, signal

@signal(version=1, cost=5.0)
def busy_work(clip: Clip) -> Arrays:
    '''Keeps a processor busy.'''
    until = time.thread_time() + {SECONDS}
    while time.thread_time() < until:
        pass
    return {{"a": clip.frames()[0][:1, :1]}}

@signal(version=1, cost=5.0)
def waiting_work(clip: Clip) -> Arrays:
    '''Waits, as for a GPU or another process.'''
    time.sleep({SECONDS})
    return {{"a": clip.frames()[0][:1, :1]}}

@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[busy_work(), waiting_work()])
def worked(case, busy: Arrays, waited: Arrays) -> Measurement:
    '''One.'''
    return Measurement(1.0)
"""


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    file = tmp_path / "work.py"
    file.write_text(WORK)
    include(file)
    return file


@pytest.fixture
def starved() -> Iterator[None]:
    """This process shares one processor with four others that never rest."""
    before = os.sched_getaffinity(0)
    core = min(before)
    busy = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nprint(flush=True)\nwhile True: pass"
    others = [subprocess.Popen([sys.executable, "-c", busy, str(core)], stdout=subprocess.PIPE) for _ in range(4)]
    for other in others:
        assert other.stdout is not None and other.stdout.readline()
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        for other in others:
            other.kill()
            other.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="processors are chosen, and waits are counted, on Linux")
def test_a_starved_run_teaches_what_a_signal_costs_and_not_how_long_it_was_kept_waiting(
    videos: Path, tmp_path: Path, plug_in: Path, starved: None
) -> None:
    job = build_job(videos, metrics="worked", out=tmp_path / "out", store=tmp_path / "store")
    started = time.perf_counter()
    seconds: Counter[str] = Counter()
    execute(job, make_plan(job), lambda result: seconds.update(result.seconds))
    took = time.perf_counter() - started
    assert took > seconds["busy_work"] > 2 * 3 * SECONDS, "it was starved"
    for entry in (tmp_path / "store").glob("??/*.npz"):
        entry.unlink()
    again = make_plan(build_job(videos, metrics="worked", out=tmp_path / "again", store=tmp_path / "store"))
    assert again.signals() == {"busy_work": 3, "waiting_work": 3}
    cost = 3 * 2 * SECONDS
    assert cost / 1.5 < again.seconds < 1.5 * cost, f"{again.seconds} s expected, {took} s were taken"
    low, high = again.seconds_between
    assert 0 < low <= again.seconds <= high < 2.5 * cost


def test_what_something_would_have_taken_with_a_processor_to_spare() -> None:
    assert Elapsed(wall=10.0, processor=1.0, waited=8.9).cost == pytest.approx(1.1), "starved"
    assert Elapsed(wall=10.0, processor=0.1, waited=0.0).cost == 10.0, "a GPU was waited for"
    assert Elapsed(wall=1.0, processor=4.0, waited=0.0).cost == 1.0, "threads side by side"
    assert Elapsed(wall=10.0, processor=1.0, waited=0.0).plus(Elapsed(1.0, 1.0, 0.0)).minus(
        Elapsed(10.0, 1.0, 0.0)
    ) == Elapsed(1.0, 1.0, 0.0)


def observed(*costs: float) -> dict[str, Observed]:
    found = Observed()
    for cost in costs:
        found.add(cost)
    return {"s": found}


def test_of_several_runs_the_cheapest_is_believed(tmp_path: Path) -> None:
    remember_costs(tmp_path, observed(9.0, 10.0, 11.0))
    assert read_costs(tmp_path)["s"] == Rate(pytest.approx(9.2), 10.0, pytest.approx(10.8))
    remember_costs(tmp_path, observed(1.0, 1.1, 1.2))
    remember_costs(tmp_path, observed(8.0, 8.0, 8.0))
    assert read_costs(tmp_path)["s"].typical == 1.1
    # A single clip may be an odd one; where there is no better run it counts all the same.
    remember_costs(tmp_path, observed(0.001))
    assert read_costs(tmp_path)["s"].typical == 1.1
    remember_costs(tmp_path / "other", observed(0.5))
    (tmp_path / "few").mkdir()
    remember_costs(tmp_path / "few", observed(0.5))
    assert read_costs(tmp_path / "few")["s"] == Rate(0.5, 0.5, 0.5)
    # Clips side by side each took their time while the others took theirs.
    remember_costs(tmp_path / "few", observed(0.8, 0.8, 0.8), ahead=4)
    assert read_costs(tmp_path / "few")["s"].typical == pytest.approx(0.2)


def test_runs_are_forgotten_in_the_end_and_clips_are_thinned_out(tmp_path: Path) -> None:
    for cost in (0.1, *[2.0] * 8):
        remember_costs(tmp_path, observed(cost, cost, cost))
    assert read_costs(tmp_path)["s"].typical == 2.0
    many = Observed()
    for number in range(100_000):
        many.add(float(number))
    assert len(many.costs) < 1024
    low, typical, high, clips = many.summary(1)
    assert (low, typical, high, clips) == (
        pytest.approx(10_000, rel=0.02),
        pytest.approx(50_000, rel=0.02),
        pytest.approx(90_000, rel=0.02),
        100_000,
    )


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"s": "x"}', '{"s": {"runs": []}}', '{"s": {"runs": [[1, 2]]}}', '{"s": NaN}', '{"s": -1}']
)
def test_a_damaged_file_of_costs_teaches_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / RATES_FILE).write_text(text)
    assert read_costs(tmp_path) == {}
    remember_costs(tmp_path, observed(1.0, 1.0, 1.0))
    assert read_costs(tmp_path)["s"].typical == 1.0


def test_a_rate_of_an_older_version_may_be_that_of_a_busy_machine(tmp_path: Path) -> None:
    (tmp_path / RATES_FILE).write_text(json.dumps({"s": 6.0}))
    assert read_costs(tmp_path)["s"] == Rate(6.0 / DECLARED, 6.0, 6.0)
    remember_costs(tmp_path, observed(2.0, 2.0, 2.0))
    assert read_costs(tmp_path)["s"] == Rate(2.0, 2.0, 2.0), "measured anew, it is forgotten"


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_names_the_clip_and_the_signal_and_moves_within_a_clip(
    videos: Path, tmp_path: Path, plug_in: Path, workers: int
) -> None:
    job = build_job(videos, metrics="worked", out=tmp_path / "out", store=tmp_path / "store", workers=workers)
    planned = [(job, make_plan(job))]
    headway, seen, shares = Headway(planned), list[Step](), [0.0]
    lock = threading.Lock()

    def step(at: Step) -> None:
        with lock:
            headway.step(at)
            seen.append(at)
            shares.append(headway.share)

    def result(found: WorkResult) -> None:
        headway.result(found)
        shares.append(headway.share)

    execute_together(planned, result, on_step=step)
    at_work = {(at.case, at.name) for at in seen if at.is_signal}
    every = {(f"case-0{number}", name) for number in range(3) for name in ("busy_work", "waiting_work")}
    # Workers of their own are looked at ten times a second.
    assert at_work == every if workers == 1 else at_work and at_work <= every
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)
    if workers == 1:
        assert [(at.name, at.done) for at in seen[:5]] == [
            ("busy_work", False),
            ("busy_work", True),
            ("waiting_work", False),
            ("waiting_work", True),
            ("worked", False),
        ]
        assert len({share for share in shares if share < 1 / 3 - 0.01}) > 1, "it moved before the first clip was done"


def test_the_command_says_a_range_and_names_what_is_at_work(
    videos: Path, tmp_path: Path, plug_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from worldgauge.cli import progress
    from worldgauge.cli.main import main

    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.02)

    def command(*arguments: object) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["worldgauge", *map(str, arguments), "-m", "worked", "-w", "1"])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        told: Any = capsys.readouterr()
        return told.out, told.err

    out, _ = command("plan", videos)
    [expected] = [line for line in out.splitlines() if line.startswith("expected")]
    assert " to " in expected and " on 1 worker" in expected
    _, err = command("run", videos)
    lines = re.findall(r"scoring: (\d)/3 records, (case-0\d): (busy_work|waiting_work)(, about [0-9.]+ s left)?\n", err)
    assert {name for _, _, name, _ in lines} == {"busy_work", "waiting_work"} and lines[0][0] == "0"
    assert any(left for _, _, _, left in lines)
    found = json.loads(command("plan", videos, "--json", "--store", tmp_path / "fresh", "-o", "other")[0])
    low, high = found["seconds_between"]
    assert low < found["seconds_on_one_worker"] < high
