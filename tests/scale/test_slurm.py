"""Arrays of a Slurm queue: scripts, shards that resume, and submitit's own executor for this machine."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import helpers
from worldgauge.api.building import build_job
from worldgauge.core.asking import Spending
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.scale import shards as shards_module
from worldgauge.engine.scale.resources import Resources
from worldgauge.engine.scale.shards import Mark, Shards, ShardTask, folder_of
from worldgauge.engine.scale.slurm import Profile, Submission, in_shards

METRICS = "picture_quality"


@pytest.mark.parametrize(
    ("worker", "seconds", "asked", "gpus", "lines"),
    [
        (Resources(), 60.0, 0, 0, ["--cpus-per-task=4", "--mem=4GB", "--time=60"]),
        (Resources(4, 1, 40), 7200.0, 0, 0, ["--cpus-per-task=4", "--mem=40GB", "--time=360", "--gpus-per-node=1"]),
        (Resources(4, 1, 48), 36_000.0, 8, 4, ["--cpus-per-task=32", "--mem=384GB", "--time=225", "--gpus-per-node=4"]),
        (Resources(gigabytes=48), 36_000.0, 2, 0, ["--cpus-per-task=2", "--mem=96GB", "--time=900"]),
    ],
    ids=["cpu", "one gpu", "four gpus, eight workers", "large clips"],
)
def test_script_of_a_profile(
    tmp_path: Path, worker: Resources, seconds: float, asked: int, gpus: int, lines: list[str]
) -> None:
    pytest.importorskip("submitit")
    tasks = {shard: ShardTask(folder_of(tmp_path, shard, 8), (), tmp_path) for shard in range(1, 9)}
    profile = Profile.of(worker, seconds, asked, gpus)
    script = Submission(tmp_path, 8, profile, tasks, {"partition": "big", "exclusive": ""}).script().splitlines()
    for line in [*lines, "--array=0-7%8", "--partition=big", "--exclusive"]:
        assert f"#SBATCH {line}" in script
    assert any("gpus" in line for line in script) == bool(worker.gpus)
    assert not (tmp_path / "slurm").exists()


def test_options_of_the_user_beat_ours_however_they_are_spelled(tmp_path: Path) -> None:
    pytest.importorskip("submitit")
    profile, extra = Profile.of(Resources(4, 1), 60.0), {"cpus-per-task": "9", "gpus_per_node": "h100:2"}
    script = Submission(tmp_path, 1, profile, {1: ShardTask(tmp_path, (), tmp_path)}, extra).script().splitlines()
    told = [line for line in script if "cpus-per-task" in line or "gpus-per-node" in line]
    assert told == ["#SBATCH --cpus-per-task=9", "#SBATCH --gpus-per-node=h100:2"]
    # The step inside the job has the cores of the job, whoever asked for them.
    assert script.index("export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK") < script.index("# command")


def test_gpus_that_nobody_would_use_are_refused() -> None:
    with pytest.raises(WorldGaugeError, match="no network of this run is for a GPU"):
        Profile.of(Resources(), 60.0, gpus=2)
    with pytest.raises(WorldGaugeError, match="--workers 2 leaves some of the 4 GPUs idle"):
        Profile.of(Resources(4, 1), 60.0, asked=2, gpus=4)


_NETWORK = """
from dataclasses import dataclass
from typing import ClassVar

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class Net(Instrument):
    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "net_elsewhere"
    memory: ClassVar[float] = 30.0
    weights: ClassVar[tuple[str, ...]] = ("raft_large",)

    def unavailable(self):
        return None


INSTRUMENTS.add(Net.name, Net, "net:Net")
"""


def test_dry_runs_print_scripts_for_each_kind_of_node(tmp_path: Path) -> None:
    """Cores alone, a GPU, several of them, and more memory than the plan asks for; on a machine without a GPU."""
    pytest.importorskip("submitit")
    videos = helpers.make_videos(tmp_path / "v", cases=8, frames=3)
    (tmp_path / "net.py").write_text(_NETWORK)
    network = ["-m", "looks_nice", "--include", helpers.NETWORK_METRICS, "--include", tmp_path / "net.py"]
    network += ["--use", "aesthetic=net_elsewhere", "--device", "cuda"]
    wanted = [
        (["-m", METRICS], ["--cpus-per-task=4", "--mem=4GB"]),
        (network, ["--cpus-per-task=4", "--gpus-per-node=1", "--mem=50GB"]),
        ([*network, "--gpus", 4], ["--cpus-per-task=16", "--gpus-per-node=4", "--mem=200GB"]),
        (["-m", METRICS, "--workers", 2, "--slurm", "mem=500GB"], ["--cpus-per-task=2", "--mem=500GB"]),
    ]
    place = ["--out", tmp_path / "out", "--store", tmp_path / "s", "--executor", "slurm", "--dry-run"]
    scripts = helpers.worldgauge_many(*(["run", videos, *flags, *place] for flags, _ in wanted))
    for (_, lines), script in zip(wanted, scripts, strict=True):
        asked = [line for line in script.splitlines() if any(word in line for word in ("cpus-per", "gpus", "mem="))]
        assert asked == [f"#SBATCH {line}" for line in lines]
        assert "#SBATCH --array=0-7%8" in script
    assert not (tmp_path / "out").exists()


def job_in(folder: Path, cases: int = 4, **more: Any) -> Any:
    videos = helpers.make_videos(folder / "v", cases=cases, frames=3)
    return build_job(videos, metrics=METRICS, out=folder / "out", store=folder / "s", **more)


def test_each_shard_has_its_own_folder_and_its_share_of_the_purse(tmp_path: Path) -> None:
    job = replace(job_in(tmp_path), spending=Spending(1.0, 9))
    array = in_shards(job, 2, ["run", "v"])
    assert list(array.tasks) == [1, 2]
    flags = array.tasks[2].arguments
    assert flags[:2] == ("run", "v")
    told = dict(itertools.pairwise(flags))
    assert (told["--shard"], told["--max-cost"], told["--max-calls"]) == ("2/2", "0.5", "4")
    assert told["--out"] == str(tmp_path / "out" / "shards" / "2of2") and told["--executor"] == "local"
    with pytest.raises(WorldGaugeError, match="cannot be shared by 4 shards"):
        in_shards(replace(job, spending=Spending(None, 3)), 4, [])


def test_another_number_of_shards_is_refused(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    (tmp_path / "out").mkdir()
    Shards(3, "slurm").write(tmp_path / "out")
    with pytest.raises(WorldGaugeError, match="is run in 3 shards; say --shards 3"):
        in_shards(job, 2, [])


def test_more_shards_than_cases_are_as_many_as_cases_each_time(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    assert list(in_shards(job, 9, []).tasks) == [1, 2, 3, 4]
    (tmp_path / "out").mkdir()
    Shards(4, "local").write(tmp_path / "out")
    assert list(in_shards(job, 9, []).tasks) == [1, 2, 3, 4], "the same command goes on"


def fake_squeue(folder: Path, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of Slurm that say this."""
    (folder / "bin").mkdir(exist_ok=True)
    for name, script in (("squeue", answer), ("sbatch", "exit 1"), ("srun", "exit 1")):
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")


def test_what_the_queue_still_has_is_not_handed_over_a_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tasks on one folder would both break its lock."""
    job = job_in(tmp_path)
    (tmp_path / "out").mkdir()
    Shards(4, "slurm", {"1": "7_0", "2": "7_1", "3": "7_2", "4": "7_3"}).write(tmp_path / "out")
    fake_squeue(tmp_path, "echo '7_1 RUNNING'; echo '7_3 PENDING'", monkeypatch)
    array = in_shards(job, 4, [])
    assert list(array.tasks) == [1, 3] and array.going_on == {2, 4}
    fake_squeue(tmp_path, "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", monkeypatch)
    assert list(in_shards(job, 4, []).tasks) == [1, 2, 3, 4], "it has forgotten them all"
    fake_squeue(tmp_path, "echo 'Unable to contact slurm controller' >&2; exit 1", monkeypatch)
    pytest.importorskip("submitit")
    with pytest.raises(WorldGaugeError, match=r"Slurm cannot be asked \(Unable to contact slurm controller\)"):
        in_shards(job, 4, []).submit()


def test_shards_that_processes_of_this_machine_are_at_are_left_to_them(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    (tmp_path / "out").mkdir()
    Shards(4, "local").write(tmp_path / "out")
    Mark("running", "1").write(folder_of(tmp_path / "out", 1, 4))
    with subprocess.Popen(["true"]) as ended:
        pass
    Mark("running", "2", pid=ended.pid).write(folder_of(tmp_path / "out", 2, 4))
    Mark("killed", "3").write(folder_of(tmp_path / "out", 3, 4))
    array = in_shards(job, 4, [])
    assert array.going_on == {1} and list(array.tasks) == [2, 3, 4]


def test_without_slurm_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WorldGaugeError, match="Slurm cannot be reached: there is no sbatch here"):
        in_shards(job_in(tmp_path), 2, []).submit()


def test_without_submitit_the_message_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(WorldGaugeError, match=r"pip install 'worldgauge\[slurm\]'"):
        in_shards(job_in(tmp_path), 2, []).script()


def test_a_finished_task_that_is_requeued_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    codes = iter([0, 0, 2, -15])
    monkeypatch.setattr(shards_module, "_run", lambda command, folder: ran.append(command) or next(codes))
    monkeypatch.setenv("SLURM_ARRAY_JOB_ID", "7")
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "0")
    task = ShardTask(tmp_path / "shard", ("run", "v"), tmp_path)
    assert task() == 0 and task() == 0 and len(ran) == 1
    # Given to the queue anew it looks again: something may have changed.
    monkeypatch.setenv("SLURM_ARRAY_JOB_ID", "8")
    assert task() == 0 and len(ran) == 2
    # A cancelled one left its mark as it was, and goes on.
    Mark("running", "9_0").write(task.folder)
    monkeypatch.setenv("SLURM_ARRAY_JOB_ID", "9")
    with pytest.raises(WorldGaugeError, match="exit code 2"):
        task()
    mark = Mark.read(task.folder)
    assert mark is not None and (mark.state, mark.job) == ("failed", "9_0")
    with pytest.raises(WorldGaugeError, match="was ended by signal 15"):
        task()
    mark = Mark.read(task.folder)
    assert mark is not None and mark.state == "killed"


def test_two_shards_as_processes_of_this_machine(tmp_path: Path) -> None:
    pytest.importorskip("submitit")
    videos = helpers.make_videos(tmp_path / "v", cases=4, frames=3)
    out = tmp_path / "out"
    flags = ["run", videos, "--metrics", METRICS, "--store", tmp_path / "s", "--workers", 1]
    array = [*flags, "--out", out, "--executor", "slurm", "--shards", 2, "--slurm-cluster", "local"]
    assert "2 shards submitted" in helpers.worldgauge(*array).stdout
    from worldgauge.engine.scale.shard_status import status_of_shards
    from worldgauge.engine.status import DONE

    until = time.monotonic() + 100
    shards = Shards.read(out)
    assert shards is not None and shards.count == 2
    while any(one.state != DONE for one in status_of_shards(out, shards)[0].values()):
        assert time.monotonic() < until, [file.read_text() for file in (out / "slurm").glob("*.err")]
        time.sleep(0.2)
    _, _, told, again, _ = helpers.worldgauge_many(
        [*flags, "--out", tmp_path / "whole"],
        ["merge", folder_of(out, 1, 2), folder_of(out, 2, 2), "--out", tmp_path / "joined"],
        ["status", out],
        ["status", out, "--json"],
        ["report", tmp_path / "joined"],
    )
    assert "worldgauge merge" in told
    assert json.loads(again)["written"] == 4
    summaries = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("whole", "joined")]
    assert summaries[0] == summaries[1]
