"""Each network by itself: rows per second in each way to compute, and whether a row depends on its neighbours."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS

WAYS: dict[str, dict[str, Any]] = {
    "exact": {"dtype": "float32", "tf32": "off"},
    "official": {},
    "tf32": {"dtype": "float32", "tf32": "on"},
    "float16": {"dtype": "float16", "tf32": "on"},
    "bfloat16": {"dtype": "bfloat16", "tf32": "on"},
}
ASKED: dict[str, Callable[[Any, Any], Any]] = {
    "flow": lambda n, f: np.concatenate(list(n.flow_stacks(f, [(k, k + 1) for k in range(0, len(f) - 1, 2)]))),
    "perceptual_distance": lambda n, f: n.distances(f[0::2], f[1::2]),
    "prompt_reward": lambda n, f: n.rewards(["a red fox"] * len(f), f),
    "text_image": lambda n, f: n.similarities(f, ["a red fox"] * len(f)),
    "image_embedding": lambda n, f: n.embeddings(f),
    "embedding": lambda n, f: n.embeddings(f)[0],
    "aesthetic": lambda n, f: n.scores(f),
    "image_quality": lambda n, f: n.scores(f),
    "style_features": lambda n, f: n.grams(f)[4],
    "image_depth": lambda n, f: n.depths(f),
}
PAIRS = ("flow", "perceptual_distance")
USED = {
    "raft_large": {}, "sea_raft_m": {}, "lpips_alex": {}, "vgg19": {}, "laion_aesthetic": {}, "clip_iqa_plus": {},
    "clip_b32": {}, "clip_b16": {}, "dinov2_b14": {}, "depth_anything_v2_small": {}, "image_reward": {},
}  # fmt: skip
SMALL = {"vgg19": {"shorter": 64}}


def measure(device: str, size: tuple[int, int], rows: int = 16, until: float = float("inf")) -> dict[str, Any]:
    """Every network that can be loaded here; `until`: no further one is begun after that time."""
    rng = np.random.default_rng(0)
    found: dict[str, Any] = {}
    for name, own in USED.items():
        settings = {
            **own,
            **(SMALL.get(name, {}) if device == "cpu" else {}),
            **({"batch": 2} if device == "cpu" else {}),
        }
        if time.time() > until:
            break
        kind = INSTRUMENTS.get(name)
        if kind(**settings).unavailable() is not None:
            continue
        pairs = kind.seat in PAIRS
        frames = list(rng.integers(0, 256, (2 * rows if pairs else rows, size[1], size[0], 3), np.uint8))
        for frame in frames:
            frame.flags.writeable = False
        found[name] = {}
        plain = None
        # A CPU is slow in short numbers, and none of them is for it.
        ways = WAYS if device != "cpu" else dict(list(WAYS.items())[:2])
        for way, numerics in ways.items():
            try:
                instrument = replace(kind(**settings), **numerics)  # type: ignore[type-var]
                told, answer = _one(instrument, frames, rows, pairs, device)
                plain = answer if way == "exact" else plain
                if plain is not None and way != "exact":
                    told["from_exact"] = _apart(answer, plain)
                found[name][way] = told
            except Exception:  # noqa: BLE001  the next one may work
                traceback.print_exc()
                found[name][way] = {"failed": traceback.format_exc()[-500:]}
        print(f"  {name}: {found[name]}", flush=True)
    return found


def _one(instrument: Any, frames: list[Any], rows: int, pairs: bool, device: str) -> tuple[dict[str, Any], Any]:
    from worldgauge.instruments.neural.networks.on_device import Graphs

    ask = ASKED[instrument.seat]
    instrument.load(device)
    try:
        answer = np.array(ask(instrument, frames))
        _finish(device)
        instrument.forget()
        best = float("inf")
        for _ in range(2):
            started = time.perf_counter()
            ask(instrument, frames)
            _finish(device)
            best = min(best, time.perf_counter() - started)
            instrument.forget()
        instrument.busy_seconds()
        ask(instrument, frames)
        _finish(device)
        busy = instrument.busy_seconds()
        instrument.forget()
        step = 2 if pairs else 1
        # The last row first, and one row alone.
        turned = [frame for k in range(rows - 1, -1, -1) for frame in frames[step * k : step * (k + 1)]]
        other = np.array(ask(instrument, turned))[::-1]
        instrument.forget()
        alone = np.array(ask(instrument, frames[-step:]))
        instrument.forget()
        recorded, Graphs.LIMIT = Graphs.LIMIT, 0
        try:
            plain = np.array(ask(instrument, frames))
        finally:
            Graphs.LIMIT = recorded
        instrument.forget()
    finally:
        instrument.release()
    neighbours = max(_apart(other, answer), _apart(alone, answer[-1:]))
    told = {"rows_per_second": round(rows / best, 1), "on_gpu": round(rows / busy, 1) if busy else None}
    return told | {"row_depends_by": neighbours, "recording_changes": _apart(plain, answer)}, answer


def _apart(found: Any, plain: Any) -> float:
    """Largest difference as a share of the spread of the plain answer."""
    spread = float(np.abs(plain - plain.mean()).max()) or 1.0
    return float(np.abs(found.astype(np.float64) - plain).max()) / spread


def _finish(device: str) -> None:
    if device.startswith("cuda"):
        import torch

        torch.cuda.synchronize()
