"""What a network that sees all frames of a clip at once needs, over their number: peak memory, and seconds.

    python -m worldgauge.benchmarks.mbench.bench.frames_at_once depth_anything_3_small --longest 84

The network has to be here, as `worldgauge doctor` tells, in an environment of its own: every length is a new process,
whose own peak is told. On a CPU; a GPU's memory is not looked at.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.instruments.authors.network import AuthorsPoses
from worldgauge.instruments.isolated.network import IsolatedNetwork


def measured(instrument: AuthorsPoses, frames: int, size: tuple[int, int]) -> tuple[float, float]:
    """Megabytes and seconds of a clip of noise."""
    rng = np.random.default_rng(0)
    clip = list(rng.integers(0, 256, (frames, size[1], size[0], 3), np.uint8))
    instrument.load("cpu")
    network: Any = instrument.__dict__["_answers"]
    if not isinstance(network, IsolatedNetwork):
        raise SystemExit(f"{instrument.name} is not in an environment of its own: worldgauge env make")
    try:
        # A first, short clip loads it.
        instrument.trajectory(clip[:2])
        started = time.perf_counter()
        instrument.trajectory(clip)
        seconds = time.perf_counter() - started
        status = Path(f"/proc/{network._child.pid}/status").read_text().splitlines()  # type: ignore[union-attr]
    finally:
        instrument.release()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instrument", help="of the seat poses")
    parser.add_argument("--longest", type=int, default=0, help="px of the longer side it works at, where it has such")
    parser.add_argument("--frames", default="2,51,101,201,401")
    asked = parser.parse_args()
    made: Any = INSTRUMENTS.get(asked.instrument)(**({"longest": asked.longest} if asked.longest else {}))
    if reason := made.unavailable():
        raise SystemExit(f"{made.name}: {reason}")
    lengths = [int(number) for number in asked.frames.split(",")]
    found = [measured(made, frames, (640, 320)) for frames in lengths]
    lines = [["frames", *map(str, lengths)], ["---"] * (1 + len(lengths))]
    lines += [["MB", *(f"{megabytes:.0f}" for megabytes, _ in found)]]
    lines += [["s", *(f"{seconds:.1f}" for _, seconds in found)]]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))


if __name__ == "__main__":
    main()
