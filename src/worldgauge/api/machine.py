"""What a run takes of the machine: its device, how networks compute there, memory and time."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Sequence

from worldgauge.core.benchmark import MetricUse
from worldgauge.core.clip import DEFAULT_MEMORY as FRAMES_MEMORY
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.official import RELEASED
from worldgauge.engine.definitions import Seats, resolve
from worldgauge.engine.limits import Limits, check_seconds, default_memory, parse_memory
from worldgauge.engine.seats import Numerics


def chosen_device(device: str | None, uses: Sequence[MetricUse], seats: Seats) -> str:
    """`auto` is the GPU where there is one and a network that is used and can run, else the processor."""

    def networks() -> bool:
        return any(definition.networks and not definition.unavailable for definition in resolve(uses, seats))

    return device_for(device, networks)


def device_for(device: str | None, networks: Callable[[], bool]) -> str:
    """The same for callers that use instruments outside of a run; `networks` returns whether one of them is a network.

    A device that is named is taken as it is: a plan may be for another machine. `check_device` is for those who compute
    on this one.
    """
    asked = "auto" if device is None else str(device)
    if not re.fullmatch(r"auto|cpu|mps|cuda(:\d{1,3})?", asked):
        raise WorldGaugeError(f"there is no device '{asked}'", "use auto, cpu, cuda, cuda:N or mps")
    if asked != "auto":
        return asked
    # Only then: importing torch takes longer than many a run. Instruments of other libraries need none.
    if networks() and importlib.util.find_spec("torch") is not None:
        import torch

        return "cuda" if torch.cuda.is_available() else "cpu"
    return "cpu"


def gpu_count(device: str) -> int:
    """GPUs that a run on this device is spread over."""
    if not device.startswith("cuda"):
        return 0
    if ":" in device or importlib.util.find_spec("torch") is None:
        # A plan for another machine can be made without torch.
        return 1
    import torch

    return max(1, int(torch.cuda.device_count()))


def chosen_numerics(asked: Numerics | None, device: str, protocol: str) -> Numerics:
    """On a GPU networks compute as asked, else as the authors' code does where its numbers are wanted, else faster. On
    a CPU there is one way, and it is exact."""
    if not device.startswith("cuda"):
        return "official"
    return asked or ("official" if protocol == RELEASED else "fast")


def cases_side_by_side(device: str, limits: Limits, workers: int) -> int:
    """How many cases a worker with a GPU is at, so that the GPU need not wait for frames: more than it has cores, as
    memory allows. Without a GPU workers are all the parallelism there is."""
    if not device.startswith("cuda"):
        return 1
    # A quarter more than cores: some always wait for the GPU.
    wanted = max(1, (os.cpu_count() or 1) // workers) * 5 // 4
    fitting = wanted if limits.memory is None else int(limits.memory // CASE_MEMORY)
    return max(2, min(wanted, fitting, MOST_CASES))


CASE_MEMORY = 3 * 2**30
"""Bytes set aside for a case that is worked on beside others."""
MOST_CASES = 20


def room_for_networks(device: str, gpu_memory: str | None, limits: Limits, workers: int) -> float | None:
    """Gigabytes that networks may take together: as stated, else what is free on the GPU, shared by the workers, or
    what a worker may take beside a clip's frames. None where nobody knows."""
    if gpu_memory is not None:
        return parse_memory(gpu_memory, "--gpu-memory") / 2**30
    if free := free_on_gpu(device):
        return free / max(1, workers)
    return None if limits.memory is None else max(0.0, limits.memory - FRAMES_MEMORY) / 2**30


def free_on_gpu(device: str) -> float:
    """Gigabytes; 0 where there is no GPU."""
    if not device.startswith("cuda") or importlib.util.find_spec("torch") is None:
        return 0.0
    import torch

    return float(torch.cuda.mem_get_info(device)[0]) / 2**30 if torch.cuda.is_available() else 0.0


def chosen_limits(time_limit: float | None, max_memory: str | None, workers: int, own_process: bool) -> Limits:
    """What one worker may take: as stated, else generous time and its share of the machine's memory."""
    return Limits(
        seconds=None if time_limit is None else check_seconds(time_limit),
        memory=default_memory(workers) if max_memory is None else parse_memory(max_memory),
        stated=time_limit is not None or max_memory is not None,
        own_process=own_process,
    )
