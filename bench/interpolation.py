"""`python -m bench.interpolation`: frames that VFIMamba predicts per second, and the memory it takes.

Full size, random weights, 480x832 unless told otherwise; needs torch alone. A frame is one prediction, with its half
turn; the clock runs over frames as bytes in and out, after two stacks to warm up.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
import torch

from worldgauge.instruments.neural.networks.between_pairs import BetweenPairs
from worldgauge.instruments.neural.networks.vfimamba import VfiMamba

WIDTH, BLOCKS = 32, 3
"""Of the published network."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="480x832", help="height and width of the frames")
    parser.add_argument("--batches", default="1,2,4", help="pairs at a time, one row each")
    parser.add_argument("--stacks", type=int, default=4, help="stacks that are timed")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--width", type=int, default=WIDTH)
    asked = parser.parse_args()
    torch.manual_seed(0)
    network = VfiMamba(asked.width, BLOCKS)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.02)
    for batch in map(int, asked.batches.split(",")):
        row = measured(network, asked.device, batch, asked.stacks, *map(int, asked.size.split("x")))
        print(json.dumps(row), flush=True)


def measured(
    network: VfiMamba, device: str, batch: int, stacks: int, height: int, width: int
) -> dict[str, str | float]:
    """One row: frames per second and the largest memory."""
    runner = BetweenPairs(network, turned=True, device=device, batch=batch)
    frames = np.random.default_rng(0).integers(0, 256, (2, batch * stacks, height, width, 3), np.uint8)
    gpu = device.startswith("cuda")
    if gpu:
        torch.cuda.reset_peak_memory_stats()
    runner.between(*frames[:, : 2 * batch])
    started = time.perf_counter()
    runner.between(*frames)
    seconds = time.perf_counter() - started
    return {
        "device": torch.cuda.get_device_name() if gpu else "cpu",
        "size": f"{height}x{width}",
        "batch": batch,
        "frames_per_second": round(batch * stacks / seconds, 2),
        "ms_per_frame": round(1000 * seconds / (batch * stacks), 1),
        "gib": round(torch.cuda.max_memory_allocated() / 2**30, 2) if gpu else float("nan"),
    }


if __name__ == "__main__":
    main()
