"""Truth on disk: one compressed npz per kind, with stated precision and the same bytes every time.

| file | arrays |
|---|---|
| depth.npz | `depth` (N, H, W) float16 metres, relative error at most 2^-11; inf is the sky |
| ids.npz | `ids` (N, H, W) uint8; `names` and `kinds` of ids 0, 1, 2, ... (0 is the sky) |
| amodal.npz | `amodal` and `visible` target, (N, H, W) packed along the last axis |
| flow.npz | `flow` (N-1, 2, H, W) float16 pixels, steps of 1/64 (above 32 px 2^-11 relative); `occluded` packed |
| states.npz | `names`, `low`, `high`, `linear`, `rgba`, as in `States`, and `time` in seconds |
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.block import Truth
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.reading_arrays import NUMBERS_AND_TEXT, Archive

_FLOW_STEP = 64
"""Steps per pixel: smaller differences cost much space and mean nothing."""
TRUTH_LIMIT = 16 * 2**30
"""Bytes of one array; dense truth of a long clip is large."""
_FARTHEST = float(np.finfo(np.float16).max)
"""Px; the longest displacement that is written."""


def save_arrays(path: Path, **arrays: NDArray[np.generic]) -> None:
    """An npz with fast compression; `numpy.load` reads it. Member dates are fixed, so equal arrays give equal bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)


def save_truth(folder: Path, truth: Truth) -> dict[str, str]:
    """Write every kind of truth; returns kind to file name."""
    instances = truth.world.scene.instances
    save_arrays(folder / "depth.npz", depth=truth.depth.astype(np.float16))
    names, kinds = ["sky", *(i.name for i in instances)], ["sky", *(i.kind for i in instances)]
    save_arrays(folder / "ids.npz", ids=truth.ids, names=np.array(names), kinds=np.array(kinds))
    save_arrays(folder / "amodal.npz", amodal=_pack(truth.amodal), visible=_pack(truth.visible))
    flow = np.round(truth.flow * _FLOW_STEP) / _FLOW_STEP
    # What passes beside the camera flies off without limit; it is far outside the next frame, so marked as occluded.
    coarse = np.clip(flow, -_FARTHEST, _FARTHEST).astype(np.float16).transpose(0, 3, 1, 2)
    save_arrays(folder / "flow.npz", flow=coarse, occluded=_pack(truth.occluded))
    states = truth.states
    save_arrays(
        folder / "states.npz", names=np.array(states.names), low=states.low, high=states.high, linear=states.linear,
        rgba=states.rgba, time=truth.world.timeline.time,
    )  # fmt: skip
    return {kind: f"{kind}.npz" for kind in ("depth", "ids", "amodal", "flow", "states")}


def load_truth(case: Case, kind: str) -> dict[str, NDArray[np.generic]]:
    """The arrays of one kind as `Truth` holds them: float32 (N, H, W[, 2]), masks as booleans.

    `kind` is depth, ids, amodal, flow or states.
    """
    relative = case.reference.truth.get(kind)
    if relative is None:
        raise NotApplicable(f"case {case.id} has no {kind} truth")
    try:
        arrays = dict(Archive(case.path(relative), TRUTH_LIMIT, NUMBERS_AND_TEXT))
    except WorldGaugeError as error:
        raise WorldGaugeError(error.message, "make the cases again") from error
    size = case.condition.size
    for name in ("visible", "amodal", "occluded"):
        if name in arrays and size is not None:
            arrays[name] = np.unpackbits(arrays[name], axis=-1, count=size[0]).astype(bool)
    if "flow" in arrays:
        arrays["flow"] = arrays["flow"].transpose(0, 2, 3, 1).astype(np.float32)
    if "depth" in arrays:
        arrays["depth"] = arrays["depth"].astype(np.float32)
    return arrays


def _pack(mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(mask, axis=-1)
