"""A real Ray whose one node says that it has a GPU: workers that share it, and clips decoded on the other's cores.

The networks are tiny and ignore the device, so no GPU is needed; a local run of them is what must come out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import ray_runs

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from bench.gauge_clips import write_gauge_clips  # noqa: E402  the path is set above
from tools.cluster.nodes import LocalCluster, Size  # noqa: E402

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'worldgauge[ray]'"),
]
CLIPS = 40
RECORDS = CLIPS * len(ray_runs.METRICS)
ON_GPU = ("--device", "cuda", "--gpu-memory", "20GB")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With `videos`, and a local run of them in `local`."""
    made = tmp_path_factory.mktemp("gpus")
    write_gauge_clips(made / "videos", CLIPS, frames=8)
    # On the processor: this machine has no GPU, which a run here refuses.
    ray_runs.run(made / "videos", made / "local", "-w", 1)
    return made


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A node with room for two workers of one GPU, and one with two cores that nobody else wants."""
    made = LocalCluster.temporary(Size(cpus=8, gigabytes=64.0, gpus=1))
    try:
        made.start(1)
        made.add(Size(cpus=2))
        yield made
    finally:
        made.close()


def there(cluster: LocalCluster) -> tuple[object, ...]:
    return ("--executor", "ray", "--address", cluster.address, *ON_GPU)


def test_two_workers_share_a_gpu_and_others_decode(cluster: LocalCluster, folder: Path) -> None:
    flags = (*there(cluster), "--workers-per-gpu", 2)
    told = ray_runs.run(folder / "videos", folder / "shared", *flags, **cluster.environment())
    ray_runs.same(folder / "shared", folder / "local")
    assert told["counters"]["clips_decoded_elsewhere"] > CLIPS // 4, told["counters"]
    [invocation] = json.loads((folder / "shared" / "run.json").read_text())["invocations"]
    assert invocation["workers"] == 2


def test_the_node_that_decodes_is_killed(cluster: LocalCluster, folder: Path) -> None:
    out = folder / "killed"
    # Two workers take every core of their own node.
    flags = (*there(cluster), "--workers-per-gpu", 2)
    going = ray_runs.started(folder / "videos", out, RECORDS // 4, *flags, **cluster.environment())
    cluster.kill(1)
    assert ray_runs.lines(out) < RECORDS, "in the middle"
    printed, problems = going.communicate(timeout=ray_runs.SECONDS)
    assert going.returncode == 0, problems
    told: dict[str, Any] = json.loads(printed)
    ray_runs.same(out, folder / "local")
    assert ray_runs.lines(out) == RECORDS, "none lost, none doubled"
    assert 0 < told["counters"]["clips_decoded_elsewhere"] < CLIPS
