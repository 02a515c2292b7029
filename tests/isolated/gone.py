"""Whether a process is gone."""

from __future__ import annotations

import time
from pathlib import Path


def wait_until_gone(pid: int, seconds: float = 5.0) -> None:
    """Until it has ended; one that nobody has asked about yet counts as gone."""
    arguments = Path(f"/proc/{pid}/cmdline")
    deadline = time.monotonic() + seconds
    while arguments.exists() and arguments.read_bytes():
        assert time.monotonic() < deadline, f"process {pid} still runs"
        time.sleep(0.02)
