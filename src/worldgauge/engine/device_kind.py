"""Kinds of devices. On one kind an exact network gives the same bits; between kinds, what its card says."""

from __future__ import annotations

import functools
import importlib.util
import platform

from worldgauge.core.errors import WorldGaugeError


def cpu_kind() -> str:
    """The kind of this machine's processor."""
    return f"cpu {platform.machine().lower()}"


@functools.cache
def device_kind(device: str) -> str:
    """`cpu x86_64`, or the GPU's name as its maker calls it."""
    if not device.startswith("cuda"):
        return cpu_kind()
    try:
        import torch

        return f"cuda {torch.cuda.get_device_name(torch.device(device))}"
    except (ImportError, RuntimeError, AssertionError, ValueError):
        # A driver without a GPU plans for machines that have one: which kind, nobody knows here.
        return "cuda"


def check_device(device: str) -> None:
    """Raise where this machine does not have the device, before anything is computed on it."""
    kind = device.partition(":")[0]
    if kind not in ("cuda", "mps"):
        return
    if importlib.util.find_spec("torch") is None:
        raise WorldGaugeError(
            f"device {device} needs torch, which is not installed",
            "install the extra 'worldgauge[models]', or use the device cpu",
        )
    import torch

    if kind == "mps":
        if not torch.backends.mps.is_available():
            raise WorldGaugeError("device mps: torch has no Apple GPU here", "use the device cpu")
        return
    if not torch.cuda.is_available():
        built = torch.version.cuda is not None or torch.version.hip is not None
        lack = "torch finds no GPU on this machine" if built else "the torch of this environment is built without CUDA"
        raise WorldGaugeError(
            f"device {device}: {lack}",
            "use the device cpu or, where there is a GPU, a build of torch for it (the extra 'worldgauge[models]')",
        )
    count = torch.cuda.device_count()
    if int(device.partition(":")[2] or 0) >= count:
        known = ", ".join(f"cuda:{number}" for number in range(count))
        raise WorldGaugeError(f"device {device}: this machine has no such GPU", f"use {known}")
