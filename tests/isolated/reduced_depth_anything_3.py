"""Run in an environment with the authors' package: files of Depth Anything 3 by the hub's writer, and a reduced part.

    python reduced_depth_anything_3.py RULE FOLDER      writes FOLDER/small and FOLDER/reduced, and what they hold

As a part it is ours with one layout more, `reduced`: nested, da3-small with a Gaussian head, and a small metric branch.
REDUCED_PART names our part's file, REDUCED_LAYOUT the layout's.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

LAYOUT = """
__object__: {path: depth_anything_3.model.da3, name: NestedDepthAnything3Net, args: as_params}
anyview:
  __inherit__: depth_anything_3.configs.da3-small
  gs_head:
    __object__: {path: depth_anything_3.model.gsdpt, name: GSDPT, args: as_params}
    dim_in: 768
    output_dim: 38
    features: 64
    out_channels: [48, 96, 192, 384]
  gs_adapter:
    __object__: {path: depth_anything_3.model.gs_adapter, name: GaussianAdapter, args: as_params}
    sh_degree: 2
    pred_color: false
    pred_offset_depth: true
    pred_offset_xy: true
    gaussian_scale_min: 1e-5
    gaussian_scale_max: 30.0
metric:
  __inherit__: depth_anything_3.configs.da3metric-large
  net: {name: vits, out_layers: [2, 5, 8, 11]}
  head: {dim_in: 384, features: 64, out_channels: [48, 96, 192, 384]}
"""


def read(path: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def register(layout: str) -> None:
    from depth_anything_3.registry import MODEL_REGISTRY

    Path(layout).write_text(LAYOUT, "utf-8")
    MODEL_REGISTRY["reduced"] = layout


def fill(rule: Any, name: str, shape: tuple[int, ...]) -> Any:
    """By the tests' rule; the field of view is put off the floor, and the camera token is one of the tables."""
    import numpy

    values = rule.noise(f"A:{name}", shape)
    if ".fc_fov.0." in name:
        values = 1.0 + 0.02 * values if name.endswith("bias") else 0.1 * values / shape[1] ** 0.5
        return values.astype(numpy.float32)
    if name.endswith("camera_token"):
        return (0.2 * values).astype(numpy.float32)
    return rule.fill(name, shape, "A")


def write(part: Any, rule: Any, layout: str, gaussians: bool, folder: Path) -> dict[str, int]:
    """A file as the authors' own class writes it: their module is its attribute `model`."""
    import torch
    from safetensors.torch import load_file, save_model

    holder = torch.nn.Module()
    holder.model = part.empty_network(layout, gaussians)
    names = holder.state_dict()
    holder.load_state_dict({name: torch.from_numpy(fill(rule, name, tuple(v.shape))) for name, v in names.items()})
    folder.mkdir(parents=True)
    save_model(holder, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps({"model_name": layout}), "utf-8")
    file = folder / "model.safetensors"
    return {"names": len(names), "tensors": len(load_file(file)), "bytes": file.stat().st_size}


if __name__ == "__main__":
    rule, target = read(sys.argv[1], "rule"), Path(sys.argv[2])
    ours = read(os.environ["REDUCED_PART"], "ours")
    target.mkdir(parents=True, exist_ok=True)
    register(os.environ["REDUCED_LAYOUT"])
    # Before our part puts a placeholder there.
    evo = importlib.util.find_spec("evo")
    told = {
        "small": write(ours, rule, "da3-small", False, target / "small"),
        "reduced": write(ours, rule, "reduced", True, target / "reduced"),
        "evo": evo is not None,
    }
    (target / "told.json").write_text(json.dumps(told), "utf-8")
else:
    ours = read(os.environ["REDUCED_PART"], "ours")
    PACKAGES, OPTIONAL = ours.PACKAGES, ours.OPTIONAL

    def load(files: dict[str, Any], settings: dict[str, Any], device: str) -> Any:
        register(os.environ["REDUCED_LAYOUT"])
        return ours.load(files, settings, device)
