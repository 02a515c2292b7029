"""What the engine adds: seconds per record over trivial metrics, and reports over a million records."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from worldgauge.core.contents import Contents, inputs_digest
from worldgauge.core.run_file import RunFile
from worldgauge.media.encoder import write_video

CASES, METRICS = 10_000, 5
INCLUDE = Path(__file__).with_name("trivial.py")


def overhead(folder: Path) -> dict[str, float]:
    """Run 10,000 tiny clips through five trivial metrics on two workers, then once more with everything done."""
    videos = folder / "videos"
    videos.mkdir(parents=True, exist_ok=True)
    for number in range(CASES):
        path = videos / f"{number:05d}.mkv"
        if not path.exists():
            frames = np.full((2, 16, 16, 3), number % 256, np.uint8)
            frames[0, 0, 0] = [number >> 16 & 255, number >> 8 & 255, number & 255]
            write_video(path, frames, fps=10)
    shutil.rmtree(folder / "run", ignore_errors=True)
    shutil.rmtree(folder / "store", ignore_errors=True)
    flags = ["--include", INCLUDE, "-m", ",".join(f"bench_{i}" for i in range(METRICS)), "-w", 2, "--json"]
    flags += ["-o", folder / "run", "--store", folder / "store"]
    command = [sys.executable, "-m", "worldgauge", "run", str(videos), *map(str, flags)]
    first, second = _seconds(command), _seconds(command)
    records = CASES * METRICS
    return {
        "records": records,
        "ms_per_record": first / records * 1000,
        "ms_per_record_resumed": second / records * 1000,
        "probing_share": _probe_seconds(videos) / 2 / first,
        "times_a_bare_loop": first / _bare_loop(folder, records),
    }


def report(folder: Path, records: int = 1_000_000) -> dict[str, float]:
    """Time and memory of `report` over a million records, beside only reading and parsing the same lines."""
    run = folder / "million"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    source = json.loads((folder / "run" / "run.json").read_text())
    cases = records // METRICS
    (run / "run.json").write_text(json.dumps(source | {"cases": cases}))
    prints = {d["id"]: d["fingerprint"] for d in source["definitions"]}
    reads = source["definitions"][0]["reads"]
    contents = Contents(RunFile.read(run).identity)
    rng = np.random.default_rng(0)
    with (run / "records-0.jsonl").open("w") as stream:
        for number in range(cases):
            parts = dict.fromkeys(reads, f"{number:016x}")
            contents.videos[f"case-{number:06d}", 0] = parts
            inputs = inputs_digest(parts, reads)
            for metric, fingerprint in prints.items():
                line = {
                    "schema": 3, "case": f"case-{number:06d}", "cluster": f"scene-{number // 5}", "metric": metric,
                    "fingerprint": fingerprint, "inputs": inputs, "video": f"{number:064x}", "status": "ok",
                    "value": float(rng.normal(50, 10)), "raw": 1.0, "tags": {"family": "street"}, "time": 1.0,
                }  # fmt: skip
                stream.write(json.dumps(line) + "\n")
    contents.write(run)
    started = time.perf_counter()
    with (run / "records-0.jsonl").open("rb") as lines:
        for raw in lines:
            json.loads(raw)
    parse = time.perf_counter() - started
    seconds, peak = _measured([sys.executable, "-m", "worldgauge", "report", str(run), "-f", "json"])
    shutil.rmtree(run)
    return {"records": records, "seconds": seconds, "peak_gib": peak, "times_parsing_alone": seconds / parse}


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def _measured(command: list[str]) -> tuple[float, float]:
    """Wall seconds and peak resident gibibytes of a command."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - started, usage.ru_maxrss / 2**20


def _probe_seconds(videos: Path) -> float:
    """What opening every clip and counting its frames takes by itself."""
    from worldgauge.core.video import Video

    sample = sorted(videos.iterdir())[:1000]
    started = time.perf_counter()
    for path in sample:
        video = Video(path)
        _ = video.info, video.digest
    return (time.perf_counter() - started) * CASES / len(sample)


def _bare_loop(folder: Path, records: int) -> float:
    """Writing as many records of the same size with nothing around it."""
    line = {"case": "00000", "metric": "bench_0", "fingerprint": "0" * 16, "video": "0" * 64, "value": 1.0, "time": 1.0}
    started = time.perf_counter()
    with (folder / "bare.jsonl").open("w") as stream:
        for _ in range(records):
            stream.write(json.dumps(line) + "\n")
    (folder / "bare.jsonl").unlink()
    return time.perf_counter() - started
