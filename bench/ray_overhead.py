"""`python -m bench.ray_overhead`: what the Ray executor adds to the local one, start-up apart.

300 clips with half a second of work each, two workers, the same command twice. Measured from the first record in the
run folder to the last, so that the cluster, the actors and the network in each of them are up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tools.cluster.nodes import LocalCluster

from bench.gauge_clips import write_gauge_clips

CLIPS, WORKERS = 300, 2
PLUGIN = Path(__file__).with_name("busy_network")


def overhead(folder: Path, clips: int = CLIPS) -> dict[str, float]:
    """Seconds of both executors, the share that Ray adds, and how often the network was loaded."""
    videos = write_gauge_clips(folder / "videos", clips)
    np.savetxt(folder / "net.txt", np.full((64, 64), 0.5))
    local, loads_local = measured(folder, "local", videos, clips)
    cluster = LocalCluster.temporary()
    try:
        cluster.start(WORKERS)
        there = ("--executor", "ray", "--address", cluster.address)
        ray, loads_ray = measured(folder, "ray", videos, clips, *there, **cluster.environment())
    finally:
        cluster.close()
    same = (folder / "local" / "summary.json").read_bytes() == (folder / "ray" / "summary.json").read_bytes()
    return {
        "clips": clips,
        "local_seconds": local,
        "ray_seconds": ray,
        "ray_adds": ray / local - 1,
        "loads_local": loads_local,
        "loads_ray": loads_ray,
        "same_summary": same,
    }


def measured(folder: Path, name: str, videos: Path, clips: int, *more: str, **variables: str) -> tuple[float, int]:
    """Seconds between the first and the last record of a run, and loads of the network."""
    loads, out = folder / f"loads-{name}.txt", folder / name
    loads.touch()
    flags = ["-m", "busy_score", "--include", PLUGIN, "--use", "aesthetic=busy_net", "-o", out, "-w", WORKERS, *more]
    flags += ["--store", folder / f"store-{name}", "--weights", f"busy_net={folder / 'net.txt'}"]
    command = [sys.executable, "-m", "worldgauge", "run", str(videos), *map(str, flags)]
    surroundings = {**os.environ, **variables, "WORLDGAUGE_BUSY_LOADS": str(loads)}
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=surroundings)
        first = last = 0.0
        seen = 0
        while process.poll() is None or not first:
            found = sum(file.read_bytes().count(b"\n") for file in out.glob("records-*.jsonl"))
            if found > seen:
                seen, last = found, time.perf_counter()
                first = first or last
            elif process.poll() is not None:
                break
            time.sleep(0.005)
    if process.returncode or seen != clips:
        raise SystemExit(f"{name}: {seen} of {clips} records\n{(folder / f'{name}.log').read_text()[-2000:]}")
    return last - first, len(loads.read_text().splitlines())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="worldgauge-bench-") as made:
        print(json.dumps(overhead(Path(made)), indent=1))
