"""The allocator, told how this program uses memory, and what a process takes."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

LARGEST_REUSED = 32 * 2**20
"""Bytes; the most glibc lets one have. An 832x480 frame of floats is 5 MB."""
KEPT = 256 * 2**20
"""Bytes of freed memory that stay with the process."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Their numbers in glibc's malloc.h."""


def keep_freed_memory() -> bool:
    """Let the frames of the next clip reuse the memory of the last; says whether the allocator understood.

    glibc gives freed arrays of this size back to the kernel, which then clears every page of every intermediate image
    anew: a tenth of the time of the pocket signals. Other C libraries are left alone.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, LARGEST_REUSED)) and bool(mallopt(_TRIM_THRESHOLD, KEPT))


def resident_bytes(process: int) -> int | None:
    """Memory a process holds that nobody else could have instead; None where the system does not tell (not Linux).

    Mapped files are left out: libraries are shared, and frames in a temporary file go when others need the room.
    """
    try:
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text("ascii").split()
    except (OSError, ValueError):
        return None
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
