"""Torch is imported when a network is used, and not before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from pathlib import Path

import worldgauge
from worldgauge.api.building import build_job
from worldgauge.cli.main import app
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.manifest import benchmarks
from worldgauge.core.official import official_uses
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.core.benchmark import resolved_uses
from worldgauge.engine.plan import make_plan

run = worldgauge.evaluate(sys.argv[1], metrics="psnr,flow_magnitude", out="out")
assert run.summary().metrics["flow_magnitude"].value > 0
make_plan(build_job(sys.argv[1], out="plan"))
for name in benchmarks():
    file = read_benchmark_file(name)
    for protocol in file.protocols:
        for chosen in ("auto", "reference", "pocket"):
            resolve(resolved_uses(file, protocol), choose_seats(chosen, (), official_uses(file, protocol), name))
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""


def test_choosing_planning_and_running_without_networks_import_no_torch(videos: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(videos)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
