"""Killed with SIGKILL at 25 random moments and resumed by the same command, a run ends as if nothing had happened."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import helpers

INCLUDE = Path(__file__).with_name("slow_metrics.py")
METRICS = "test_mean_brightness,test_peak_brightness,test_contrast_ratio,test_both"
CASES, KILLS = 56, 25


def command(videos: Path, out: Path, store: Path, workers: int) -> list[str]:
    flags = ["--metrics", METRICS, "--include", INCLUDE, "--out", out, "--store", store, "--workers", workers]
    return [sys.executable, "-m", "worldgauge", "run", str(videos), *map(str, flags)]


def lines(out: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in out.glob("records-*.jsonl"))


@pytest.mark.nightly
def test_kill_and_resume(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "v", cases=CASES, frames=3)
    expected_out, out = tmp_path / "undisturbed", tmp_path / "disturbed"
    subprocess.run(command(videos, expected_out, tmp_path / "s1", 2), check=True, capture_output=True, timeout=120)
    expected = helpers.records(expected_out)
    assert len(expected) == CASES * 4 >= 200

    chance = random.Random(7)
    killed = 0
    while killed < KILLS:
        process = subprocess.Popen(
            command(videos, out, tmp_path / "s2", 1 + killed % 2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        # Wait for a few more records, then for a random instant: inside a write, a signal, or the plan of the next run.
        wanted = lines(out) + chance.randint(1, 8)
        while lines(out) < wanted and process.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.03))
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
    assert killed == KILLS, f"the run ended after {killed} kills"
    subprocess.run(command(videos, out, tmp_path / "s2", 2), check=True, capture_output=True, timeout=120)

    assert helpers.records(out) == expected
    for file in out.glob("records-*.jsonl"):
        text = file.read_text()
        assert text == "" or text.endswith("\n")
    summaries = [(folder / "summary.json").read_text() for folder in (out, expected_out)]
    assert summaries[0] == summaries[1]
    assert not list(out.glob(".*partial*"))
    counters = [i["counters"] for i in json.loads((out / "run.json").read_text())["invocations"]]
    assert counters[-1].get("records_written", 0) < CASES * 4


def test_torn_line_is_cut_off_and_computed_again(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "v", cases=2, frames=3)
    out = tmp_path / "out"
    subprocess.run(command(videos, out, tmp_path / "s", 1), check=True, capture_output=True)
    whole = helpers.records(out)
    file = out / "records-0.jsonl"
    file.write_bytes(file.read_bytes()[:-40])
    subprocess.run(command(videos, out, tmp_path / "s", 1), check=True, capture_output=True)
    assert helpers.records(out) == whole


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "v", cases=40, frames=3)
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(videos, out, tmp_path / "s", 2), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    while lines(out) < 8:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "The same command goes on from there" in message
    assert "Traceback" not in message
    assert 8 <= lines(out) < 160
    # No worker is left behind: their record files can be locked again.
    from worldgauge.engine.records import RecordWriter

    time.sleep(0.5)
    assert RecordWriter(out).path.name == "records-0.jsonl"
