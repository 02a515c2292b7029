"""A real Slurm of one node, started by our script: an array of eight shards, one cancelled, one put back when done."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import helpers
from worldgauge.blocks import Block
from worldgauge.blocks.subjects import Subject, make_subjects
from worldgauge.blocks.write import make_cases
from worldgauge.engine.scale.shard_status import status_of_shards
from worldgauge.engine.scale.shards import MARK, Shards, folder_of

pytestmark = pytest.mark.nightly

SCRIPT = Path(__file__).parents[2] / "tools" / "slurm_here.sh"
SHARDS, CASES, SECONDS = 8, 16, 240
HELD = 3
"""The shard that stops at a gate with one clip scored."""
GATED = '''
import os
import time
from pathlib import Path

import numpy as np

from worldgauge import Case, Clip, Measurement, metric, signal


@signal(version=1, reads=("video",), name="behind_a_gate")
def behind_a_gate(clip: Clip):
    """Mean brightness; clips wait as long as the gate is shut, one name for each line."""
    gate = Path(os.environ["GATE"])
    while gate.exists() and clip.video.path.stem in gate.read_text().split():
        time.sleep(0.1)
    return {"mean": np.array([frame.mean() for frame in clip.frames()])}


@metric(unit="levels", higher_is_better=None, bounds=(0, 255), needs=[behind_a_gate()])
def gated_brightness(case: Case, levels) -> Measurement:
    """Mean brightness."""
    return Measurement.from_curve(levels["mean"])
'''


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The commands of Slurm, of a cluster that lives as long as the test."""
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin")
    if shutil.which("slurmctld") is None or shutil.which("munged") is None:
        pytest.skip("no Slurm here: tools/slurm_here.sh install")
    place = tmp_path / "cluster"
    subprocess.run([SCRIPT, "start", place], check=True, timeout=100)
    monkeypatch.setenv("SLURM_CONF", str(place / "slurm.conf"))
    try:
        yield
    finally:
        subprocess.run([SCRIPT, "stop", place], check=True, timeout=100)


def asked(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout


def states(out: Path) -> Counter[str]:
    shards = Shards.read(out)
    assert shards is not None
    return Counter(one.state for one in status_of_shards(out, shards)[0].values())


def wait_until(reached: Callable[[], Any], out: Path) -> None:
    until = time.monotonic() + SECONDS
    while not reached():
        logs = [file.read_text()[-2000:] for file in sorted((out / "slurm").glob("*.err"))]
        assert time.monotonic() < until, (asked("squeue"), logs)
        time.sleep(0.3)


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def lines(folder: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in folder.glob("records-*.jsonl"))


def job_of(out: Path, shard: int) -> str:
    shards = Shards.read(out)
    assert shards is not None
    return shards.jobs[str(shard)]


def test_eight_shards_end_to_end(tmp_path: Path, slurm: None, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [Block(number, "room", "fixed", "rolling", (96, 54), 5, 8.0) for number in range(CASES)]
    cases = make_cases(tmp_path / "blocks", blocks)
    model = make_subjects(cases, [Subject()], tmp_path / "models")["oracle"]
    (tmp_path / "gated.py").write_text(GATED)
    gate, out = tmp_path / "gate", tmp_path / "out"
    monkeypatch.setenv("GATE", str(gate))
    # Shard i of n has every n-th case from the i-th on.
    gate.write_text("\n".join(case.id for case in sorted(cases, key=lambda c: c.id)[HELD - 1 :: SHARDS][1:]))
    flags = ["run", model, "-b", tmp_path / "blocks", "-m", "gated_brightness,psnr", "--workers", 1]
    flags += ["--include", tmp_path / "gated.py", "--store", tmp_path / "store"]
    array = [*flags, "--out", out, "--executor", "slurm", "--shards", SHARDS]
    held, held_folder = HELD, folder_of(out, HELD, SHARDS)

    assert f"{SHARDS} shards submitted" in helpers.worldgauge(*array).stdout
    wait_until(lambda: lines(held_folder) == 2 and states(out)["done"] >= 1, out)
    told = helpers.run_json("status", out)["shards"]
    assert told[str(held)]["state"] == "running" and told[str(held)]["written"] == 2

    # Cancelled in the middle: nobody goes on with it, and its two records are there.
    asked("scancel", job_of(out, held))
    wait_until(lambda: job_of(out, held) not in asked("squeue", "--noheader", "--array", "--format", "%i").split(), out)
    assert helpers.run_json("status", out)["shards"][str(held)]["state"] == "lost"
    assert lines(held_folder) == 2

    # Put back into the queue after its end: it runs again and leaves every byte as it was.
    finished = next(int(shard) for shard, one in told.items() if one["state"] == "done")
    wait_until(lambda: "COMPLETED" in asked("scontrol", "show", "job", job_of(out, finished)), out)
    before = bytes_below(folder_of(out, finished, SHARDS))
    asked("scontrol", "requeue", job_of(out, finished))
    again = lambda: asked("scontrol", "show", "job", job_of(out, finished))  # noqa: E731
    wait_until(lambda: "Restarts=1" in again() and "COMPLETED" in again(), out)
    assert bytes_below(folder_of(out, finished, SHARDS)) == before
    assert json.loads((folder_of(out, finished, SHARDS) / MARK).read_text())["state"] == "done"

    wait_until(lambda: states(out)["done"] == SHARDS - 1, out)
    gate.unlink()
    assert "1 shards submitted" in helpers.worldgauge(*array).stdout
    wait_until(lambda: states(out)["done"] == SHARDS, out)
    # What was there stayed, the rest was added, nothing twice.
    assert lines(held_folder) == 4
    assert "all 8 shards are finished" in helpers.worldgauge(*array).stdout

    told_at_end = helpers.worldgauge("status", out).stdout
    assert f"{2 * CASES} of {2 * CASES}: {2 * CASES} scored" in told_at_end and "worldgauge merge" in told_at_end
    shards = [folder_of(out, shard, SHARDS) for shard in range(1, SHARDS + 1)]
    helpers.worldgauge_many(
        ["merge", *shards, "--out", tmp_path / "merged"],
        [*flags, "--store", tmp_path / "own_store", "--out", tmp_path / "local"],
    )
    assert helpers.records(tmp_path / "merged") == helpers.records(tmp_path / "local")
    summaries = [(tmp_path / name / "summary.json").read_bytes() for name in ("merged", "local")]
    assert summaries[0] == summaries[1]


def test_the_script_starts_no_second_cluster_in_a_folder(tmp_path: Path, slurm: None) -> None:
    done = subprocess.run([SCRIPT, "start", tmp_path / "cluster"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "stop it first" in done.stderr
    assert asked("sinfo", "--noheader", "--format", "%T").strip() == "idle"
