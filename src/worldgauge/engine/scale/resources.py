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
_PARTS_OF_GPU = 10_000


@dataclass(frozen=True)
class Resources:
    """Of one worker."""

    cpus: int = 1
    gpus: int = 0
    gigabytes: int = 1
    gpu_gigabytes: float = 0.0
    """Of its GPU, as the cards of the networks say that are resident together."""
    sharing: int = 1
    """Workers that share its GPU, itself among them."""

    @property
    def gpu_share(self) -> float:
        """What it asks for. Ray counts ten thousandths: rounded down, so that there is room for the last one too.

        >>> Resources(4, 1, sharing=6).gpu_share, Resources(4, 1).gpu_share
        (0.1666, 1.0)
        """
        return self.gpus * math.floor(_PARTS_OF_GPU / self.sharing) / _PARTS_OF_GPU

    @property
    def ahead(self) -> int:
        """Clips it is at side by side: with a GPU a quarter more than it has cores, as on one machine."""
        return max(2, self.cpus * 5 // 4) if self.gpus else 1

    def __str__(self) -> str:
        of_gpu = f" with {self.gpu_gigabytes:.3g} GB" if self.gpu_gigabytes else ""
        share = f"1/{self.sharing}" if self.sharing > 1 else str(self.gpus)
        gpu = f", {share} GPU{of_gpu}" if self.gpus else ""
        return f"{self.cpus} CPU{gpu}, {self.gigabytes} GB"


def needed_by(planned: Iterable[tuple[Job, Plan]], sharing: int = 1) -> Resources:
    """What a worker takes that does these plans: where networks run on a GPU, one that it has with `sharing - 1`
    others."""
    known = list(planned)
    on_gpu = known[0][0].setup.device.startswith("cuda") and any(map(any, (p.stages.networks for _, p in known)))
    gigabytes = max(plan.gigabytes for _, plan in known) * HEADROOM
    without_memory = Resources(CPUS_BESIDE_GPU, 1) if on_gpu else Resources()
    beside = CASE_GIGABYTES * (without_memory.ahead - 1)
    passes = [networks for _, plan in known for networks in plan.stages.networks]
    of_gpu = max((sum(one.memory for one in networks) for networks in passes), default=0.0)
    memory = max(1, math.ceil(gigabytes + beside)), of_gpu if on_gpu else 0.0
    return Resources(without_memory.cpus, without_memory.gpus, *memory, sharing if on_gpu else 1)


def needs_shared_store(planned: Iterable[tuple[Job, Plan]]) -> bool:
    """Whether workers read from the store what others have put there: values of an earlier pass, a judge's answers."""
    return any(plan.stages.count > 1 for _, plan in planned)


def needs_shared_disk(planned: Iterable[tuple[Job, Plan]]) -> bool:
    """Whether values wait for a later pass that are never kept in the store: those lie beside it, on a disk."""
    return any(plan.stages.spilled for _, plan in planned)


@dataclass(frozen=True)
class Node:
    """A machine of a cluster, with all it has."""

    name: str
    cpus: float
    gpus: float = 0.0
    gigabytes: float = math.inf
    gpu_gigabytes: float = math.inf
    """Of each of its GPUs, where it was declared."""
    id: str = ""

    def suits(self, worker: Resources) -> bool:
        """Whether the networks of all workers that share a GPU go onto one of its, as far as it is known."""
        return not worker.gpus or self.gpu_gigabytes >= worker.gpu_gigabytes * worker.sharing

    def holds(self, worker: Resources) -> int:
        """
        >>> Node("a", 8, 1, 64).holds(Resources(4, 1, 20)), Node("b", 8).holds(Resources())
        (1, 8)
        >>> Node("a", 16, 1, 64).holds(Resources(4, 1, 8, sharing=3))
        3
        """
        if not self.suits(worker):
            return 0
        by_gpu = self.gpus // worker.gpus * worker.sharing if worker.gpus else math.inf
        return int(min(self.cpus // worker.cpus, by_gpu, self.gigabytes // worker.gigabytes))


def places(nodes: Sequence[Node], worker: Resources) -> int:
    """Workers that the machines hold together; none at all is an error."""
    found = sum(node.holds(worker) for node in nodes)
    if found:
        return found
    there = "; ".join(map(_described, nodes)) or "no node"
    raise WorldGaugeError(
        f"no node of the cluster holds a worker, which needs {worker} ({there})",
        "add a larger node; --device cpu needs no GPU, and smaller clips less memory"
        + ("; fewer --workers-per-gpu need less of each" if worker.sharing > 1 else ""),
    )


def _described(node: Node) -> str:
    of_gpu = f" with {node.gpu_gigabytes:.3g} GB" if math.isfinite(node.gpu_gigabytes) else ""
    return f"{node.name}: {node.cpus:g} CPU, {node.gpus:g} GPU{of_gpu}, {node.gigabytes:.0f} GB"
