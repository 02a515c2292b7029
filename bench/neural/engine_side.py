"""The engine over made clips, every benchmark in one pass: wall time, GPU time, processor time, memory."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from bench.neural.watching import Gpu, processor_seconds
from worldgauge.api.building import build_job
from worldgauge.core.benchmark import Benchmark, read_benchmark_file
from worldgauge.core.case import Case
from worldgauge.core.run_folder import Run
from worldgauge.engine.executors import InlineExecutor, PoolExecutor
from worldgauge.engine.fitting import tried
from worldgauge.engine.plan import make_plans
from worldgauge.engine.run import execute_together

WARM_UP = 4
"""Short clips among those made. Each worker goes over one before the clock starts: networks are loaded, kernels
recorded."""


class Timed:
    """An executor that starts its clock once every worker has loaded its networks and done a clip."""

    def __init__(self, setup: Any, workers: int, perceive: bool, profile: bool = False) -> None:
        self._inner = InlineExecutor(setup, perceive) if workers == 1 else PoolExecutor(setup, workers, perceive)
        self._workers = workers
        self.loading = self.wall = self.processor = self.launched = 0.0
        self._clips: set[str] = set()
        self.gpu = Gpu()
        self._profile = profile
        self.kernels: dict[str, Any] = {}

    def map(self, items: Iterable[Any]) -> Iterator[Any]:
        coming = iter(items)
        started = time.perf_counter()
        yield from self._inner.map(islice(coming, self._workers))
        self.loading += time.perf_counter() - started
        profiler = _profiler() if self._profile else None
        processor, started = self._processor_seconds(), time.perf_counter()
        with self.gpu.watched():
            for result in self._inner.map(coming):
                # From the first to the last kernel of each launch; workers that share a GPU count each other's too.
                self.launched += result.gpu_seconds
                self._clips.add(result.case)
                yield result
        self.wall += time.perf_counter() - started
        self.processor += self._processor_seconds() - processor
        if profiler is not None:
            self.kernels = _kernels(profiler)

    @property
    def done(self) -> int:
        """Clips gone over while the clock ran, in however many passes."""
        return len(self._clips)

    def _processor_seconds(self) -> float:
        """Of this process and of its workers."""
        workers = getattr(self._inner, "_workers", [])
        return time.process_time() + sum(processor_seconds(worker._process.pid) for worker in workers)

    def close(self) -> None:
        self._inner.close()


def run(
    folder: Path,
    cases: Mapping[str, list[Case]],
    metrics: Mapping[str, list[str]],
    clips: Mapping[str, Path],
    *,
    numerics: str,
    protocol: str = "released",
    store: Path | None = None,
    device: str = "cuda",
    ahead: int | None = None,
    use: Mapping[str, tuple[str, ...]] | None = None,
    profile: bool = False,
    workers: int = 0,
) -> dict[str, Any]:
    """What the engine took for all clips but the first few. `workers` 0: as many as it chooses."""
    from dataclasses import replace

    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    if store is None:
        store = folder / "store"
        shutil.rmtree(store, ignore_errors=True)
    started = time.perf_counter()
    jobs = []
    for name, of_benchmark in cases.items():
        job = build_job(
            {case.id: str(clips[case.id]) for case in of_benchmark},
            benchmark=Benchmark(read_benchmark_file(name), tuple(of_benchmark)),
            protocol=protocol,
            metrics=metrics[name],
            device=device,
            numerics=numerics,
            store=store,
            out=out / name,
            use=(use or {}).get(name, ()),
            workers=workers,
        )
        setup = job.setup if ahead is None else replace(job.setup, ahead=ahead, keep_references=True)
        jobs.append(replace(job, setup=setup))
    planned = tried(list(zip(jobs, make_plans(jobs), strict=True)))
    impossible = {metric: why for _, plan in planned for metric, why in plan.impossible.items()}
    planning = time.perf_counter() - started
    executors: list[Timed] = []

    def executor(*arguments: Any) -> Timed:
        executors.append(Timed(*arguments, profile=profile))
        return executors[-1]

    totals = execute_together(planned, make_executor=executor)
    timed = executors[0]
    done = max(1, timed.done)
    statuses: dict[str, int] = {}
    reasons: dict[str, str] = {}
    for job, _ in planned:
        for record in Run(job.setup.out).records():
            statuses[record["status"]] = statuses.get(record["status"], 0) + 1
            if record["status"] != "ok":
                reasons[f"{record['metric']}: {record['status']}"] = record.get("reason", "")[:300]
    cores = os.cpu_count() or 1
    return {
        "numerics": numerics,
        "protocol": protocol,
        "clips": done,
        "workers": jobs[0].workers,
        "ahead": jobs[0].setup.ahead,
        "seconds_per_clip": timed.wall / done,
        "with_planning_per_clip": timed.wall / done + planning / (done + jobs[0].workers),
        "planning_seconds": planning,
        "loading_and_warm_up_seconds": timed.loading,
        "gpu_busy_share": timed.gpu.busy_share,
        "gpu_seconds_per_clip": timed.gpu.busy_share * timed.wall / done,
        "gpu_samples": len(timed.gpu.shares),
        "gpu_launched_seconds_per_clip": timed.launched / done,
        "processor_seconds_per_clip": timed.processor / done,
        "processor_over_cores_per_clip": timed.processor / done / cores,
        "cores": cores,
        "statuses": statuses,
        "reasons": reasons,
        "impossible": impossible,
        "counters": [dict(sorted(of_job.counters.items())) for of_job in totals],
        "signal_seconds": [{k: round(v, 2) for k, v in sorted(of_job.signal_seconds.items())} for of_job in totals],
        "peak_gpu_gib": timed.gpu.most_gib,
        **({"kernels": timed.kernels} if profile else {}),
    }


def values(folder: Path, benchmark: str) -> dict[str, dict[str, float]]:
    """Metric to case to what was scored."""
    found: dict[str, dict[str, float]] = {}
    for record in Run(folder / "out" / benchmark).records():
        if record["status"] == "ok" and record.get("value") is not None:
            found.setdefault(record["metric"], {})[record["case"]] = float(record["value"])
    return found


def _profiler() -> Any:
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as profiling

    found = profiling(activities=[ProfilerActivity.CUDA])
    found.__enter__()
    return found


def _kernels(profiler: Any) -> dict[str, Any]:
    """Seconds of all kernels together, and of those that took the most."""
    profiler.__exit__(None, None, None)
    rows = [(event.key, event.self_device_time_total / 1e6, event.count) for event in profiler.key_averages()]
    rows.sort(key=lambda row: -row[1])
    return {"seconds": sum(row[1] for row in rows), "launches": sum(row[2] for row in rows), "most": rows[:40]}
