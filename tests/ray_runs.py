"""Whole runs with two tiny networks, here and on a Ray cluster: the command, and what is compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import helpers

NETWORKS = Path(__file__).parent / "scale" / "tiny_networks"
METRICS = ("tiny_looks_nice", "tiny_difference")
SECONDS = 400


def command(videos: object, out: Path, *more: object) -> list[str]:
    """`--json`, with weights beside the run folder."""
    weights = out.with_name("weights")
    weights.mkdir(exist_ok=True)
    (weights / "looks.txt").write_text("0.75")
    (weights / "quality.txt").write_text("0.5")
    flags = ["--metrics", ",".join(METRICS), "--include", NETWORKS, "--use", "aesthetic=tiny_looks"]
    flags += ["--use", "image_quality=tiny_quality", "--weights", weights, "--out", out, "--json"]
    if "--store" not in more:
        flags += ["--store", f"{out}-store"]
    return [sys.executable, "-m", "worldgauge", "run", str(videos), *map(str, flags), *map(str, more)]


def run(videos: object, out: Path, *more: object, fds: tuple[int, ...] = (), **variables: str) -> dict[str, Any]:
    """What a run tells of itself."""
    done = subprocess.run(
        command(videos, out, *more),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=out.parent,
        pass_fds=fds,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def started(videos: object, out: Path, wanted: int, *more: object, **variables: str) -> subprocess.Popen[str]:
    """A run that has written so many records."""
    process = subprocess.Popen(
        command(videos, out, *more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=out.parent,
        env={**os.environ, **variables},
    )
    until = time.monotonic() + SECONDS
    while lines(out) < wanted:
        assert process.poll() is None and time.monotonic() < until, f"{lines(out)} records"
        time.sleep(0.02)
    return process


def lines(out: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in out.glob("records-*.jsonl"))


def same(found: Path, expected: Path) -> None:
    """Records and summary, to the byte."""
    assert helpers.records(found) == helpers.records(expected)
    assert (found / "summary.json").read_bytes() == (expected / "summary.json").read_bytes()


def computed(told: Mapping[str, Any]) -> int:
    return int(told["counters"].get("signals_computed", 0))
