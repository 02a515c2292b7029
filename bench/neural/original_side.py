"""The originals' order of calls on a few clips: the same networks, one row at a time, every frame decoded where it is
asked for. Nothing is recorded, sent ahead or shared."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.case import Case
from worldgauge.core.official import official_uses
from worldgauge.engine.seats import choose_seats

ROWS = {"perceptual_distance": 16}
"""Rows at a time where it is not one."""


def run(name: str, part: Any, cases: list[Case], clips: Mapping[str, Path], device: str) -> dict[str, Any]:
    """Median seconds per clip, and those of its parts. Networks are loaded before, as both sides' are."""
    from worldgauge.instruments.neural.networks.on_device import Graphs

    seats = choose_seats("reference", (), official_uses(read_benchmark_file(name), "released"), name)
    loaded: dict[str, Any] = {}
    started = time.perf_counter()

    def network(signal: str) -> Any:
        full = signal if signal in seats.of_signal else f"{name}/{signal}"
        if full not in loaded:
            instrument = seats.instrument(full)
            assert instrument is not None, full
            made = replace(instrument, batch=ROWS.get(instrument.seat, 1), dtype="float32")  # type: ignore[call-arg]
            made.load(device)
            loaded[full] = _as_published(made, device)
        return loaded[full]

    seconds: dict[str, list[float]] = defaultdict(list)

    def timed(what: str, call: Callable[[], Any]) -> Any:
        begun = time.perf_counter()
        found = call()
        _finish(device)
        seconds[what].append(time.perf_counter() - begun)
        return found

    recorded, Graphs.LIMIT = Graphs.LIMIT, 0
    try:
        part.original(network, timed, cases[0], clips[cases[0].id])
        loading = time.perf_counter() - started
        seconds.clear()
        totals = []
        for case in cases[1:]:
            begun = time.perf_counter()
            part.original(network, timed, case, clips[case.id])
            totals.append(time.perf_counter() - begun)
            for instrument in loaded.values():
                instrument.forget()
            print(f"  {name}: {case.id} {totals[-1]:.2f} s", flush=True)
    finally:
        Graphs.LIMIT = recorded
        for instrument in loaded.values():
            instrument.release()
    return {
        "clips": len(totals),
        "median_seconds_per_clip": statistics.median(totals),
        "loading_and_warm_up_seconds": loading,
        "median_seconds_of_parts": {what: statistics.median(all_of) for what, all_of in seconds.items()},
    }


def _as_published(instrument: Any, device: str) -> Any:
    """RAFT as the original calls it, from torchvision, where that is installed; others as they are."""
    if instrument.name != "raft_large":
        return instrument
    try:
        from torchvision.models.optical_flow import raft_large
    except ImportError:
        return instrument
    return _TorchvisionRaft(instrument, raft_large, device)


class _TorchvisionRaft:
    def __init__(self, instrument: Any, build: Any, device: str) -> None:
        from worldgauge.instruments.neural.read_state import read_state

        self.device = device
        self.network = build(weights=None)
        self.network.load_state_dict(read_state(instrument.weight_files()["raft_large"]))
        self.network = self.network.to(device).eval()

    def flows(self, frames: Any, pairs: Any) -> Any:
        import numpy as np
        import torch

        images = [
            torch.as_tensor(np.array(frame)).to(self.device).permute(2, 0, 1)[None].float() / 255 for frame in frames
        ]
        height, width = images[0].shape[-2:]
        margins = (0, -width % 8, 0, -height % 8)
        first, second = (torch.nn.functional.pad(image, margins, mode="replicate") for image in images)
        with torch.no_grad():
            flow = self.network(first, second)[-1]
        return flow[:, :, :height, :width].permute(0, 2, 3, 1).cpu().numpy()

    def forget(self) -> None:
        """Nothing is remembered."""

    def release(self) -> None:
        del self.network


def _finish(device: str) -> None:
    if device.startswith("cuda"):
        import torch

        torch.cuda.synchronize()
