"""`python -m bench.neural_droid [--json FILE] [--small]`: DROID-SLAM over a clip of 81 frames, seconds, memory, edges.

Random weights say nothing about motion, so the graph's thresholds are opened: every frame stays a keyframe, the window
always has its 48 edges, and the adjustment of everything takes all the edges that a clip of that length may have. Real
clips have as many at most. What is timed is all that `poses` does from frames in memory to poses and edge errors.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OPEN = 1e9
"""Px; no pair of frames is further apart."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=None, help="where the figures go")
    parser.add_argument("--frames", type=int, default=81)
    parser.add_argument("--size", default="832x480")
    parser.add_argument("--repeats", type=int, default=3, help="clips that are timed, after one for warming up")
    parser.add_argument("--types", default="float32,float16", help="kinds of numbers of the network")
    parser.add_argument("--small", action="store_true", help="a little clip on the CPU, to see that it runs")
    asked = parser.parse_args()
    sys.path.insert(0, str(ROOT / "src"))
    width, height = (int(side) for side in asked.size.split("x"))
    if asked.small:
        asked.frames, asked.repeats, asked.types, width, height = 12, 1, "float32", 160, 128
    found: dict[str, Any] = {"frames": asked.frames, "size": [width, height]}
    for kind in asked.types.split(","):
        found[kind] = measure(kind, asked.frames, (width, height), asked.repeats, asked.small)
        print(kind, json.dumps(found[kind]), flush=True)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def measure(kind: str, frames: int, size: tuple[int, int], repeats: int, small: bool) -> dict[str, Any]:
    """Seconds per clip, its parts, peak memory and edges."""
    import torch

    from worldgauge.instruments.neural.droid_slam import DroidSlam
    from worldgauge.instruments.neural.networks.droid.matching import Encoder
    from worldgauge.instruments.neural.networks.droid.network import DroidNetwork

    device = "cpu" if small else "cuda"
    torch.manual_seed(0)
    network = (DroidNetwork(16, 4) if small else DroidNetwork()).requires_grad_(False)
    with torch.no_grad():
        # Corrections of a fraction of a pixel, so that the map does not fly apart.
        network.update.delta[2].weight.mul_(0.01)
        network.update.delta[2].bias.zero_()
    area = size[0] * size[1] if small else 512 * 512
    instrument = DroidSlam(area=area)
    encoder = Encoder(network, device, kind, batch=8)
    clip = texture(frames, *size)
    seconds: list[dict[str, float]] = []
    for _ in range(repeats + 1):
        told, edges = one(instrument, encoder, clip, device)
        seconds.append(told)
    middle = sorted(seconds[1:], key=lambda told: told["all"])[repeats // 2]
    return {
        "seconds": {part: round(value, 3) for part, value in middle.items()},
        "clips_per_minute": round(60 / middle["all"], 2),
        "first_clip_seconds": round(seconds[0]["all"], 2),
        "memory_gb": round(torch.cuda.max_memory_allocated() / 2**30, 2) if device == "cuda" else None,
        "edges": edges,
        "gpu": torch.cuda.get_device_name() if device == "cuda" else None,
        "torch": torch.__version__,
    }


def one(instrument: Any, encoder: Any, clip: Any, device: str) -> tuple[dict[str, float], dict[str, int]]:
    """A clip from frames to poses and edge errors."""
    import torch

    from worldgauge.instruments.neural.networks.droid.edge_rules import Nearness
    from worldgauge.instruments.neural.networks.droid.matching import NetworkMatcher
    from worldgauge.instruments.neural.networks.droid.tracker import Rules, Tracker

    class Counting(NetworkMatcher):
        """Counts what the network is asked about."""

        asked = calls = 0

        def match(self, *given: Any) -> Any:
            Counting.asked, Counting.calls = Counting.asked + len(given[1]), Counting.calls + 1
            return super().match(*given)

    rules = Rules(filter_threshold=-1.0, keyframe_threshold=-1.0)
    window, whole = rules.near, rules.near_global
    rules = replace(rules, near=_open(window, Nearness), near_global=_open(whole, Nearness))
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    begun = last = _now(device)
    told: dict[str, float] = {}

    def lap(part: str) -> None:
        nonlocal last
        now = _now(device)
        told[part], last = now - last, now

    with torch.inference_mode():
        prepared = [instrument.prepared(frame) for frame in clip]
        assumed = instrument.assumed_lens((clip.shape[2], clip.shape[1]))
        lens = torch.tensor(instrument.intrinsics(assumed), dtype=torch.float32)
        lap("frames")
        encoded = encoder.encoded(prepared)
        lap("encoding")
        tracker = Tracker(encoded, lens.to(encoder.device) / 8, Counting(encoder, encoded), rules)
        for number in range(len(clip)):
            tracker.track(number)
        lap("window")
        following = Counting.asked
        found = tracker.finish(len(clip))
        lap("everything_and_filling")
    told["all"] = _now(device) - begun
    assert found is not None
    counted = {"keyframes": len(found.keyframes), "last_adjustment": len(found.pairs)}
    counts = {"updates_in_window": following, "updates": Counting.asked, "network_calls": Counting.calls}
    return told, counted | counts


def _open(nearness: Any, kind: Any) -> Any:
    """No threshold, and no pair left out beside another: as many edges as are allowed."""
    return kind(OPEN, nearness.radius, 0, nearness.most)


def _now(device: str) -> float:
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
    return time.perf_counter()


def texture(frames: int, width: int, height: int) -> Any:
    """A pattern that drifts, (N, H, W, 3) bytes."""
    import numpy as np

    rng = np.random.default_rng(0)
    wide = rng.integers(0, 256, (height // 4 + 2, (width + 4 * frames) // 4 + 2, 3), np.uint8)
    wide = wide.repeat(4, 0).repeat(4, 1)
    return np.stack([wide[:height, 3 * k : 3 * k + width] for k in range(frames)])


if __name__ == "__main__":
    main()
