"""What a worker may take: time for one metric or signal on one case, and memory."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError

SECONDS, SECONDS_PER_FRAME = 600.0, 10.0
"""The time a metric or signal has for one case where none is stated: generous, since only a hang should meet it."""
SETTING_UP = 3600.0
"""Seconds for everything else: opening the video, loading a network that may have to be fetched first."""
SHARE = 0.8
"""Of the machine's memory, for all workers together, where no limit is stated."""
MOST_WORKERS = 65_536
"""Processes of one run, on a cluster too."""
LEAST_MEMORY = 64 * 2**20
"""Bytes below which no worker starts: the libraries that it imports take more."""

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Limits:
    """Of one worker. They hold in worker processes; the calling process is only kept from what is foreseen."""

    seconds: float | None = None
    """For one metric or signal on one case; None: by the length of the clip."""
    memory: int | None = None
    """Bytes; None: no limit."""
    stated: bool = False
    """Whether the user asked for them, so that a single worker is held to them too."""
    own_process: bool = False
    """Whether a single worker may be a process of its own: where limits are stated or code came from elsewhere."""

    def seconds_for(self, frames: int) -> float:
        """Time that a metric or signal has on a clip of that length."""
        return SECONDS + SECONDS_PER_FRAME * frames if self.seconds is None else self.seconds


def default_memory(workers: int) -> int | None:
    """A worker's share of the machine's memory; None where the machine does not tell."""
    total = machine_memory()
    return None if total is None else int(total * SHARE / max(1, workers))


def check_workers(workers: int) -> int:
    """The number itself, where a run may have so many worker processes."""
    if not 0 <= workers <= MOST_WORKERS:
        raise WorldGaugeError(f"{workers} workers: expected 0 to {MOST_WORKERS}", "0 means one for each core")
    return workers


def refuse_crowding(workers: int, limits: Limits) -> None:
    """Refuse more workers on this machine than it has memory to start."""
    if limits.memory is None or limits.stated or limits.memory >= LEAST_MEMORY:
        return
    most = workers * limits.memory // LEAST_MEMORY
    raise WorldGaugeError(
        f"{workers} workers share this machine's memory, and none of them could start",
        f"use at most {max(1, most)}, or state --max-memory",
    )


def machine_memory(root: Path = Path("/")) -> int | None:
    """Bytes this process and its workers may use: the machine's, or the control group's where that is less."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    return min([physical, *_group_limits(root)])


def parse_memory(text: str, flag: str = "--max-memory") -> int:
    """
    >>> parse_memory("8GB") == parse_memory("8192 MiB") == 8 * 2**30
    True
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    size = float(found[1]) * _UNITS[found[2].upper()] if found else 0.0
    if not 1 <= size < 2**63:
        raise WorldGaugeError(f"{flag} {text}: not an amount of memory", "write for example 8GB or 500MB")
    return int(size)


def check_seconds(seconds: float) -> float:
    """The limit itself, if it is one."""
    if not (math.isfinite(seconds) and seconds > 0):
        raise WorldGaugeError(f"--time-limit {seconds:g}: not a time", "write seconds, for example 600")
    return seconds


def gigabytes(size: float) -> str:
    """
    >>> gigabytes(8 * 2**30), gigabytes(300 * 2**20)
    ('8.0 GB', '0.29 GB')
    """
    amount = size / 2**30
    return f"{amount:.1f} GB" if amount >= 1 else f"{amount:.2g} GB"


def _group_limits(root: Path) -> list[int]:
    """Memory limits of the control groups this process is in and of those around them, versions 1 and 2."""
    try:
        lines = (root / "proc/self/cgroup").read_text("ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers not in ("", "memory"):
            continue
        base, name = (
            ("sys/fs/cgroup/memory", "memory.limit_in_bytes") if controllers else ("sys/fs/cgroup", "memory.max")
        )
        group = Path(path.lstrip("/"))
        for around in (group, *group.parents):
            try:
                found.append(int((root / base / around / name).read_text("ascii")))
            except (OSError, ValueError):
                # No such group seen from inside a container, or the word "max".
                continue
    return [limit for limit in found if limit > 0]
