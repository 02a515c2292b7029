"""What a worker takes, as the plan and the cards of its networks say, and how many of them machines hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.job import Job
from worldgauge.engine.plan import Plan

CPUS_BESIDE_GPU = 4
"""Of a worker with a GPU: they decode and prepare the next clips while the networks are at work."""
CASE_GIGABYTES = 3.0
"""Of each clip that is worked on beside others."""
HEADROOM = 1.25
"""Times what the plan expects."""


@dataclass(frozen=True)
class Resources:
    """Of one worker."""

    cpus: int = 1
    gpus: int = 0
    gigabytes: int = 1

    @property
    def ahead(self) -> int:
        """Clips it is at side by side: with a GPU a quarter more than it has cores, as on one machine."""
        return max(2, self.cpus * 5 // 4) if self.gpus else 1

    def __str__(self) -> str:
        gpu = f", {self.gpus} GPU" if self.gpus else ""
        return f"{self.cpus} CPU{gpu}, {self.gigabytes} GB"


def needed_by(planned: Iterable[tuple[Job, Plan]]) -> Resources:
    """What a worker takes that does these plans: a GPU of its own where networks run on one."""
    known = list(planned)
    on_gpu = known[0][0].setup.device.startswith("cuda") and any(map(any, (p.stages.networks for _, p in known)))
    gigabytes = max(plan.gigabytes for _, plan in known) * HEADROOM
    without_memory = Resources(CPUS_BESIDE_GPU, 1) if on_gpu else Resources()
    beside = CASE_GIGABYTES * (without_memory.ahead - 1)
    return Resources(without_memory.cpus, without_memory.gpus, max(1, math.ceil(gigabytes + beside)))


def needs_shared_store(planned: Iterable[tuple[Job, Plan]]) -> bool:
    """Whether workers read from the store what others have put there: values of an earlier pass, a judge's answers."""
    return any(plan.stages.count > 1 for _, plan in planned)


@dataclass(frozen=True)
class Node:
    """A machine of a cluster, with all it has."""

    name: str
    cpus: float
    gpus: float = 0.0
    gigabytes: float = math.inf

    def holds(self, worker: Resources) -> int:
        """
        >>> Node("a", 8, 1, 64).holds(Resources(4, 1, 20)), Node("b", 8).holds(Resources())
        (1, 8)
        """
        by_gpu = self.gpus // worker.gpus if worker.gpus else math.inf
        return int(min(self.cpus // worker.cpus, by_gpu, self.gigabytes // worker.gigabytes))


def places(nodes: Sequence[Node], worker: Resources) -> int:
    """Workers that the machines hold together; none at all is an error."""
    found = sum(node.holds(worker) for node in nodes)
    if found:
        return found
    there = "; ".join(f"{n.name}: {n.cpus:g} CPU, {n.gpus:g} GPU, {n.gigabytes:.0f} GB" for n in nodes) or "no node"
    raise WorldGaugeError(
        f"no node of the cluster holds a worker, which needs {worker} ({there})",
        "add a larger node; --device cpu needs no GPU, and smaller clips less memory",
    )
