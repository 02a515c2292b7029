"""What the machine does meanwhile: how much of the time the GPU is busy, and what processes take."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ASK = ["nvidia-smi", "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits", "-lms", "100"]
"""The driver's count: the share of the last moments in which some kernel of some process was at work."""


class Gpu:
    """The driver's own view of a GPU; nothing where there is none."""

    def __init__(self) -> None:
        self.shares: list[float] = []
        self.most_gib = 0.0

    @property
    def busy_share(self) -> float:
        return sum(self.shares) / len(self.shares) if self.shares else 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        if shutil.which(ASK[0]) is None:
            yield
            return
        with subprocess.Popen(ASK, stdout=subprocess.PIPE, text=True) as asking:
            reader = threading.Thread(target=self._read, args=(asking,), daemon=True)
            reader.start()
            try:
                yield
            finally:
                asking.kill()
                reader.join()

    def _read(self, asking: subprocess.Popen[str]) -> None:
        assert asking.stdout is not None
        for line in asking.stdout:
            percent, mebibytes = map(float, line.split(","))
            self.shares.append(percent / 100)
            self.most_gib = max(self.most_gib, mebibytes / 1024)


def processor_seconds(process: int | None) -> float:
    """What a process has taken of the cores so far; 0 where the system does not tell."""
    file = Path(f"/proc/{process}/stat")
    if not file.is_file():
        return 0.0
    # After the name, which may hold blanks.
    fields = file.read_text("ascii", "replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
