"""What a run folder says of itself in `run.json`: definitions, instruments, extent, and each call of the command."""

from __future__ import annotations

import contextlib
import functools
import platform
import time
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import readable
from worldgauge.core.run_file import DefinitionFile, Invocation, RunFile
from worldgauge.core.signal import SIGNALS
from worldgauge.engine.continuing import identity_of
from worldgauge.engine.job import Job
from worldgauge.engine.plan import Plan

_RECORDED_LIBRARIES = ("worldgauge", "numpy", "scipy", "opencv-python-headless", "av", "mujoco", "poselib", "torch")


def run_file(job: Job, plan: Plan, before: RunFile | None) -> RunFile:
    """The folder's run.json, with this job's definitions in place of older ones of the same id."""
    definitions = {d.id: d for d in before.definitions} if before else {}
    definitions |= {d.id: d.to_file() for d in plan.definitions}
    identity = identity_of(job.benchmark, job.submission, job.protocol)
    order = {use.id: i for i, use in enumerate(job.benchmark.file.metrics)}
    return RunFile(
        benchmark=job.benchmark.file.under_protocol(job.protocol),
        protocol=job.protocol,
        instruments=_instruments(definitions.values()),
        model=job.submission.model,
        data=identity.data,
        read_from=identity.read_from,
        **_extent(job, before),
        definitions=sorted(definitions.values(), key=lambda d: (order.get(d.id, len(order)), d.id)),
        invocations=list(before.invocations) if before else [],
    )


def _instruments(definitions: Iterable[DefinitionFile]) -> dict[str, str]:
    """Seat to the instrument that perceives in it, or to several: signals of one seat may ask different ones."""
    named: dict[str, set[str]] = {}
    pending = [signal for definition in definitions for signal in definition.signals]
    while pending:
        signal = pending.pop()
        pending += signal.get("needs", ())
        if signal.get("instrument"):
            # A plug-in's signal may not be there any more.
            with contextlib.suppress(WorldGaugeError):
                named.setdefault(SIGNALS.get(signal["signal"]).seat or "", set()).add(signal["instrument"]["name"])
    return {seat: " and ".join(sorted(names)) for seat, names in sorted(named.items())}


def _extent(job: Job, before: RunFile | None) -> dict[str, Any]:
    """How many cases and videos are asked for. A run of the whole benchmark stays one when a part is run again."""
    sample = job.sample
    if before is not None and sample is not None and before.sample != sample:
        if before.sample is not None:
            raise WorldGaugeError(
                f"{job.setup.out} holds another sample ({before.sample.share:g}, seed {before.sample.seed})",
                "choose another folder with --out",
            )
        sample = None
    cases = [case.id for case in (job.benchmark.cases if sample is None else job.drawn)]
    videos = sum(len(job.submission.takes(case)) for case in cases)
    return {"cases": len(cases), "videos": videos, "sample": sample}


def invocation(job: Job, counters: dict[str, float], started: float) -> Invocation:
    """One call of the command."""
    return Invocation(
        started=started,
        seconds=round(time.time() - started, 3),
        arguments=[readable(argument) for argument in job.arguments],
        environment=environment(),
        workers=job.workers,
        device=job.setup.device,
        counters=counters,
    )


def environment() -> dict[str, str]:
    """What a number may depend on beside its definition."""
    return dict(_environment())


@functools.cache
def _environment() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform(), "machine": platform.machine()}
    for name in _RECORDED_LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
