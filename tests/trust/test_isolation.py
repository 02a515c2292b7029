"""What somebody else's code may do to others: nothing. What a clip may take: what was planned."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import helpers
import worldgauge
from worldgauge import measure
from worldgauge.api.building import build_job
from worldgauge.api.machine import chosen_limits
from worldgauge.cli.main import app
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include
from worldgauge.core.video import Video
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video

INCLUDE = Path(__file__).with_name("hostile_plug_in.py")
FILE = INCLUDE.name


def run(videos: Path, metrics: str, *flags: object) -> dict[tuple[str, str], dict[str, Any]]:
    """Last record of each case and metric; the run folder comes last."""
    done = helpers.worldgauge("run", videos, "--include", INCLUDE, "-m", metrics, *flags, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return {(record["case"], record["metric"]): record for record in helpers.records(Path(str(flags[-1])))}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return helpers.make_videos(tmp_path / "videos", cases=2, frames=3)


def test_trust_09_arrays_are_read_only_for_plug_ins(two: Path) -> None:
    """In one process, so that all metrics of a case share the same arrays."""
    include(INCLUDE)
    case = Case(id="a", tags={"scene": "old"})
    alone = measure(two / "case-00.mkv", "reads")["reads"].value
    found = measure(two / "case-00.mkv", "writes,replaces,paints,reads", case=case)
    assert found["reads"].value == alone
    assert found["replaces"].value == 7.0
    assert case.tags == {"scene": "old"}
    for name in ("writes", "paints"):
        assert found[name].status == "error"
        assert "read-only" in found[name].reason


def test_trust_09_nested_values_and_camera_files_are_frozen(tmp_path: Path) -> None:
    from dataclasses import dataclass

    from worldgauge.core.cameras import CameraPath
    from worldgauge.core.frozen import freeze, handed_out

    @dataclass(frozen=True)
    class Nested:
        rows: list[np.ndarray]

    arrays = [np.zeros(2) for _ in range(5)]
    value = {"a": arrays[0], "b": (arrays[1], [arrays[2]]), "c": Nested([arrays[3]]), "d": {"e": arrays[4]}}
    ours = handed_out(freeze(value))
    assert not any(array.flags.writeable for array in arrays)
    ours["d"].clear()
    ours.clear()
    assert value["d"] == {"e": arrays[4]}

    CameraPath(np.tile(np.eye(4), (3, 1, 1))).save(tmp_path / "camera.npz")
    case = Case.model_validate({"id": "a", "condition": {"camera": "camera.npz"}}).at(tmp_path)
    with pytest.raises(ValueError, match="read-only"):
        case.camera().poses[0] = 0


def test_trust_10_what_a_plug_in_raises_costs_its_own_records(two: Path) -> None:
    """With one worker: the plug-in gets a process of its own, and the run goes on to its end."""
    raised = {
        "exits": f"metric 'exits' ({FILE}) raised SystemExit: 3",
        "interrupts": f"metric 'interrupts' ({FILE}) raised KeyboardInterrupt",
        "recurses": f"metric 'recurses' ({FILE}) raised RecursionError: ",
        "too_much": f"metric 'too_much' ({FILE}) raised MemoryError: ",
        "odd_answer": "metric 'odd_answer' has 'high' in its curve, not a finite number",
    }
    found = run(two, ",".join([*raised, "reads"]), "-w", 1, "-o", "out")
    assert len(found) == 2 * 6
    for (case, name), record in found.items():
        if name == "reads":
            assert record["status"] == "ok"
        else:
            assert record["status"] == "error", (case, name)
            assert record["reason"].startswith(raised[name])


def test_trust_10_a_worker_lost_twice_costs_one_metric_of_one_case(two: Path) -> None:
    """Crash, exit inside a signal, and hang: all on one case, each told with its name; all else is scored."""
    told = {
        "crashes": f"metric 'crashes' ({FILE}) killed its process (SIGSEGV), twice",
        "needs_exit": f"signal 'hostile_exit' ({FILE}) ended its process with exit code 3, twice",
        "hangs": f"metric 'hangs' ({FILE}) took longer than 3 s, twice; raise --time-limit if it needs that",
    }
    found = run(two, "crashes,needs_exit,hangs,reads", "-w", 1, "--time-limit", 3, "-o", "out")
    assert len(found) == 2 * 4
    for name, reason in told.items():
        record = found["case-01", name]
        assert (record["status"], record["reason"]) == ("error", reason)
    scored = {key for key, record in found.items() if record["status"] == "ok"}
    assert scored == {("case-01", "reads"), *(("case-00", name) for name in (*told, "reads"))}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells what a process takes")
def test_trust_15_a_worker_over_the_limit_is_ended(two: Path) -> None:
    found = run(two, "swells,reads", "-w", 1, "--max-memory", "200MB", "-o", "out")
    told = f"metric 'swells' ({FILE}) took more than 0.2 GB, twice; raise --max-memory or use fewer workers"
    assert found["case-01", "swells"]["reason"] == told
    assert {key: record["status"] for key, record in found.items() if record["status"] != "ok"} == {
        ("case-01", "swells"): "error"
    }


def _is_running(function: str) -> bool:
    """Whether the main thread is inside a function of that name."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    return frame is not None


def test_trust_10_ctrl_c_is_told_from_an_interrupt_raised_by_hand(two: Path) -> None:
    """In the calling process: a real one ends the call, also where the plug-in swallows it."""
    include(INCLUDE)
    video = two / "case-00.mkv"
    assert measure(video, "interrupts")["interrupts"].reason == f"metric 'interrupts' ({FILE}) raised KeyboardInterrupt"
    before = signal.getsignal(signal.SIGINT)

    def press() -> None:
        # Not before the plug-in is at work, however long that takes.
        while not _is_running("hangs"):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    case = Case(id="case-01")
    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        measure(video, "hangs", case=case)
    assert signal.getsignal(signal.SIGINT) is before


def test_trust_10_a_plug_in_that_exits_when_it_is_brought_in(two: Path, tmp_path: Path) -> None:
    file = tmp_path / "leaves.py"
    file.write_text("raise SystemExit(0)\n")
    done = helpers.worldgauge("run", two, "--include", file, check=False)
    assert done.returncode == 2
    assert done.stderr == f"worldgauge: --include {file}: SystemExit: 0\n"


@pytest.mark.parametrize(
    ("size", "status", "reason"),
    [
        ((20000, 2), "invalid", "frames of 2x20000 pixels are too small to be measured; 16 a side is the least"),
        ((8000, 16), "unscored", "frames of 16x8000 are strips: one side is more than 32 times the other"),
    ],
)
def test_trust_15_a_strip_is_refused_instead_of_enlarged(
    tmp_path: Path, size: tuple[int, int], status: str, reason: str
) -> None:
    import resource

    clip = tmp_path / "a.mkv"
    write_video(clip, np.random.default_rng(0).integers(0, 255, (3, *size, 3), np.uint8), fps=10)

    soft = resource.getrlimit(resource.RLIMIT_AS)
    # So that the code as it was fails instead of taking the machine down.
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, soft[1]))
    try:
        found = measure(clip, "frame_similarity")["frame_similarity"]
    finally:
        resource.setrlimit(resource.RLIMIT_AS, soft)
    assert (found.status, found.reason) == (status, reason)


def test_trust_15_a_clip_over_the_limit_is_planned_and_not_begun(tmp_path: Path) -> None:
    videos = tmp_path / "clips"
    videos.mkdir()
    write_video(videos / "large.mkv", helpers.moving_texture(2, 960, 600), fps=10)
    write_video(videos / "small.mkv", helpers.moving_texture(2, 64, 48), fps=10)
    small = build_job(videos, metrics="flow_magnitude", out="out", max_memory="200MB")
    plan = make_plan(small)
    assert plan.too_large.keys() == {"large"}
    assert plan.gigabytes < 0.3
    counters = execute(small, plan).counters
    by_case = {record["case"]: record for record in helpers.records(Path("out"))}
    assert by_case["small"]["status"] == "ok"
    assert by_case["large"]["status"] == "unscored"
    assert by_case["large"]["reason"] == (
        f"signal 'flow_pairs' would need about {plan.too_large['large']:.2g} GB on this clip, the limit is 0.2 GB; "
        "raise --max-memory, use fewer workers or a smaller clip"
    )
    # The small clip's three; which of its frames can be used is not asked of a clip that is not begun.
    computed = [counters[f"computed:{name}"] for name in ("usable_frames", "flow_fields", "flow_pairs")]
    assert (computed, counters["signals_computed"]) == ([1, 1, 1], 3)
    # With more memory the same command goes on with it, and only with it.
    larger = build_job(videos, metrics="flow_magnitude", out="out", max_memory="2GB")
    plan = make_plan(larger)
    assert (plan.records, plan.too_large) == (1, {})
    assert execute(larger, plan).statuses == {"ok": 1}


def test_trust_15_the_plan_names_clips_over_the_limit(two: Path) -> None:
    done = CliRunner().invoke(app, ["plan", str(two), "-m", "flow_magnitude", "--max-memory", "100MB"])
    assert "2 clips (case-00, case-01) need up to 0.15 GB, the limit is 0.098 GB (--max-memory)" in done.output


def test_trust_15_limits_of_control_groups_count(tmp_path: Path) -> None:
    from worldgauge.engine.limits import machine_memory

    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/job/step\n")
    group = tmp_path / "sys/fs/cgroup/job"
    (group / "step").mkdir(parents=True)
    (group / "step/memory.max").write_text("max\n")
    (group / "memory.max").write_text(f"{2**28}\n")
    assert machine_memory(tmp_path) == 2**28


def test_trust_15_odd_limits_are_refused() -> None:
    for limits in ({"max_memory": "much"}, {"max_memory": "0"}, {"time_limit": -1.0}, {"time_limit": float("nan")}):
        with pytest.raises(WorldGaugeError, match=r"--(max-memory|time-limit) .*: not a"):
            chosen_limits(**{"time_limit": None, "max_memory": None, "workers": 2, "own_process": True, **limits})


def test_trust_15_estimates_are_near_what_is_taken() -> None:
    """Within a factor, on both sides: frames held, values held, the work itself."""
    from worldgauge.engine.definitions import choose_seats
    from worldgauge.engine.estimate import BASE, memory_needed
    from worldgauge.engine.inputs import CaseInputs
    from worldgauge.signals.embeddings import frame_embeddings, object_embeddings, patch_embeddings
    from worldgauge.signals.flow import flow_pairs

    video = Video.from_array(np.zeros((60, 270, 480, 3), np.uint8), layout="THWC")
    inputs, seats = CaseInputs(Case(id="a"), video), choose_seats()
    frames = 60 * 480 * 270 * 3
    flow = memory_needed([flow_pairs()], inputs, seats) - BASE
    passing = memory_needed([flow_pairs(), patch_embeddings(), frame_embeddings()], inputs, seats) - BASE
    readers = [patch_embeddings(), frame_embeddings(), object_embeddings()]
    held = memory_needed([flow_pairs(), *readers], inputs, seats) - BASE
    # Measured: 110 bytes a pixel at work; 24 x 42 patches of 92 floats a frame, held where two signals read them.
    assert flow == passing == pytest.approx(frames + 110 * 480 * 270, rel=0.01)
    assert held - flow == pytest.approx(60 * 24 * 42 * 92 * 4, rel=0.2)


WANDERING = Path(__file__).with_name("wandering_plug_in.py")
WANDERS = "wandering,tasteful,sees_the_state"


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_plug_in_changes_of_the_process_changes_no_result(two: Path, workers: int) -> None:
    """The plug-in changes folder, umask and environment on import, in an instrument, a signal and metrics."""
    helpers.worldgauge("run", two, "-m", "psnr,flow_magnitude", "-o", "alone", "-w", 1, "--store", "other")
    flags = ("--include", WANDERING, "-m", f"{WANDERS},psnr,flow_magnitude", "--use", "aesthetic=wandering_taste")
    done = helpers.worldgauge("run", two, *flags, "-w", workers, "-o", "out", timeout=240)
    assert "run folder: out" in done.stdout
    assert "--include" in done.stderr
    assert "changed the working directory, umask, environment of the process: put back" in done.stderr
    found = {(r["case"], r["metric"]): r for r in helpers.records(Path("out"))}
    alone = {(r["case"], r["metric"]): r for r in helpers.records(Path("alone"))}
    assert len(found) == len(alone) + 2 * 3
    assert {key: record.get("value") for key, record in found.items() if key in alone} == {
        key: record.get("value") for key, record in alone.items()
    }
    for name in WANDERS.split(","):
        assert {found[case, name]["status"] for case, _ in alone} == {"ok"}, found
    assert {found[case, "sees_the_state"]["value"] for case, _ in alone} == {1.0}
    # Written with the umask of the user, in the folders of the user.
    written = [*Path("out").glob("records-*.jsonl"), *Path(os.environ["WORLDGAUGE_STORE"]).glob("*/*.npz")]
    assert len(written) > 4
    assert all(file.stat().st_mode & 0o600 == 0o600 for file in written)


def test_the_state_of_the_calling_process_is_kept(two: Path) -> None:
    """In one process, as in a notebook, whose child processes get the environment too."""
    import subprocess

    def state() -> tuple[str, list[str], dict[str, str], int]:
        printed = subprocess.run(["/usr/bin/env"], capture_output=True, text=True, check=True).stdout
        umask = os.umask(0o077)
        os.umask(umask)
        return str(Path.cwd()), sorted(printed.splitlines()), dict(os.environ), umask

    before = state()
    include(WANDERING)
    assert state() == before
    video = Path(os.path.relpath(two / "case-00.mkv"))
    found = measure(video, WANDERS, use=("aesthetic=wandering_taste",))
    assert [found[name].status for name in WANDERS.split(",")] == ["ok", "ok", "ok"], found
    assert state() == before
    assert worldgauge.evaluate(video, metrics="wandering", out="out").cases["case-00"]["wandering"].status == "ok"
    assert list(Path("out").glob("records-*.jsonl"))
    assert state() == before


@pytest.mark.parametrize("workers", [1, 2])
def test_a_record_that_is_not_in_the_folder_is_an_error(two: Path, workers: int) -> None:
    flags = ("--include", WANDERING, "-m", "tasteful,removes_records,sees_the_state", "-w", workers, "-o", "out")
    done = helpers.worldgauge("run", two, *flags, "--use", "aesthetic=wandering_taste", check=False)
    assert done.returncode == 2, done
    assert "was removed, replaced or cut short while records were written to it" in done.stderr.splitlines()[-1]


IMPORTS = {
    "os._exit(0)": "importing it ended its process with exit code 0",
    "os.abort()": "importing it killed its process (SIGABRT)",
    "ctypes.string_at(0)": "importing it killed its process (SIGSEGV)",
    "raise KeyboardInterrupt": "importing it raised KeyboardInterrupt",
    "while True: pass": "importing it took longer than 2 s; raise --time-limit if it needs that",
    "sys.exit(0)": "SystemExit: 0",
}


@pytest.mark.parametrize(("fault", "reason"), IMPORTS.items())
def test_importing_a_file_is_as_isolated_as_calling_it(two: Path, fault: str, reason: str) -> None:
    Path("bad.py").write_text(f"import ctypes, os, sys\n{fault}\n")
    helpers.worldgauge("run", two, "-m", "psnr", "-o", "out", "-w", 1)
    before = helpers.records(Path("out"))
    flags = ("run", two, "-m", "psnr", "-o", "out", "-w", 1, "--time-limit", 2)
    for command in (("--include", "bad.py", *flags), (*flags, "--include", "bad.py")):
        done = helpers.worldgauge(*command, check=False)
        assert (done.returncode, done.stderr.splitlines()) == (2, [f"worldgauge: --include bad.py: {reason}"])
    assert helpers.records(Path("out")) == before


def test_a_module_of_a_benchmarks_folder_is_as_isolated_as_a_file(two: Path) -> None:
    Path("bad").mkdir()
    Path("bad/__init__.py").write_text(
        "from worldgauge.core.manifest import Manifest\n"
        "MANIFEST = Manifest(package=__name__, name='bad', metrics=('.metrics',))\n"
    )
    Path("bad/benchmark.toml").write_text("name = 'bad'\n")
    Path("bad/metrics.py").write_text("import os\nos._exit(0)\n")
    done = helpers.worldgauge("--include", "bad", "list", check=False)
    assert done.returncode == 2
    assert done.stderr == "worldgauge: --include bad: importing it ended its process with exit code 0\n"


def test_a_file_that_ends_workers_on_import_is_named(two: Path) -> None:
    Path("bad.py").write_text(
        "import multiprocessing, os, sys\nfrom worldgauge import Measurement, metric\n"
        "if 'spawn' in str(sys.argv) or multiprocessing.current_process().name.startswith('SpawnProcess'):\n"
        "    os._exit(0)\n"
        "@metric(unit='', higher_is_better=None, bounds=(0, 1))\n"
        "def one(case):\n    return Measurement(1.0)\n"
    )
    done = helpers.worldgauge("run", two, "--include", "bad.py", "-m", "one", "-o", "out", "-w", 1, check=False)
    assert done.returncode == 2
    assert "importing" in done.stderr
    assert "bad.py ended its process with exit code 0" in done.stderr or "bad.py: importing it ended" in done.stderr
