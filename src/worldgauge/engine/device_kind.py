"""Kinds of devices. On one kind an exact network gives the same bits; between kinds, what its card says."""

from __future__ import annotations

import functools
import platform


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
