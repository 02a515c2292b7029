"""Depth Anything 3: the model part of the authors' package (depth-anything-3 0.1.1). A part, see `isolated/child.py`.

Not imported: the package's api, which needs a film editor, mesh readers and a library under the GPL. Gaussians, which
no pose needs, are made where the setting `gaussians` asks for them; they need e3nn, which turns their colours. The
network gives world-to-camera; what leaves here is camera-to-world, OpenCV's axes.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

PACKAGES = (("depth-anything-3", "depth_anything_3"), ("torch", "torch"))
OPTIONAL = (("e3nn", "e3nn"),)
"""For Gaussians alone."""
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SKY = 0.3
"""From which its metric branch calls a pixel sky."""
LEAST_GROUND = 10
"""Pixels that are not sky, of which there must be more to find the scale."""
FARTHEST = 200.0
"""Metres at which sky is put at the most."""
OF_THE_GROUND = 0.99
"""Share of the pixels that are not sky which are nearer than where sky is put, otherwise."""
NO_CONFIDENCE = 1.0
"""The least that the network gives."""


def load(files: dict[str, Any], settings: dict[str, Any], device: str) -> Network:
    network = network_of(files[settings["weights"]], settings["layout"], settings.get("gaussians", False))
    return Network(network.to(device), settings, device)


def network_of(weights: Any, layout: str, gaussians: bool = False) -> Any:
    """The network of a layout, with or without Gaussians, with the weights of a file, every one of them.

    The tensors decide which network a file is of. A configuration next to it that names another one is a remark.
    """
    network = empty_network(layout, gaussians)
    weights.into(network, layout, prefix="model.", unused=lambda entry: not gaussians and ".gs_" in f".{entry}")
    named = weights.config().get("model_name", layout)
    if named != layout:
        weights.remarks.append(f"{weights} fits {layout}, though the config.json next to it names {named}")
    return network


def empty_network(layout: str, gaussians: bool = False) -> Any:
    from depth_anything_3.cfg import create_object, load_config
    from depth_anything_3.registry import MODEL_REGISTRY

    if gaussians:
        stand_in_for_evo()
    config = load_config(MODEL_REGISTRY[layout])
    for branch in () if gaussians else (config, config.get("anyview")):
        for part in ("gs_head", "gs_adapter"):
            if branch is not None and part in branch:
                branch.pop(part)
    return create_object(config)


def stand_in_for_evo() -> None:
    """Let the package's code for Gaussians be imported without evo, which is under the GPL.

    That code imports evo's paths to bring cameras that were given to the unit of its own. Here no camera is given, so
    none is made; the placeholder says so where that should change.
    """
    if "evo" in sys.modules or importlib.util.find_spec("evo") is not None:
        return
    for name in ("evo", "evo.core", "evo.core.trajectory"):
        sys.modules.setdefault(name, ModuleType(name))
    sys.modules["evo.core.trajectory"].PosePath3D = PosePath3D  # type: ignore[attr-defined]


class PosePath3D:
    """In the place of evo's class of that name."""

    def __init__(self, *paths: Any, **more: Any) -> None:
        raise NotImplementedError("cameras are never given to this network; evo, which would align them, is not here")


class Network:
    def __init__(self, network: Any, settings: dict[str, Any], device: str) -> None:
        self.network, self.settings, self.device = network, settings, device

    def answer(self, arrays: dict[str, Any], options: dict[str, Any]) -> dict[str, Any] | str:
        import torch

        frames = torch.from_numpy(arrays["frames"].copy()).to(self.device)
        mean, deviation = (torch.tensor(v, device=self.device).view(3, 1, 1) for v in (MEAN, DEVIATION))
        images = ((frames.permute(0, 3, 1, 2).float() / 255 - mean) / deviation)[None]
        half = self.settings["dtype"] == "bfloat16"
        kind = torch.device(self.device).type
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=half):
            nested = hasattr(self.network, "da3_metric")
            found = self._nested(images) if nested else self._seen(self.network, images)
        if found is None:
            return "all is sky but a few pixels, so that there is no scale"
        depth, certain = found.depth[0].double(), found.depth_conf[0].double()
        maps = {"maps": found.depth[0][options["maps"]].float().cpu().numpy()} if "maps" in options else {}
        return {
            **(self._gaussians(found) if self.settings.get("gaussians") else {}),
            "poses": camera_to_world(found.extrinsics[0].double().cpu().numpy()),
            "intrinsics": found.intrinsics[0].double().cpu().numpy(),
            "depth": depth.flatten(1).median(1).values.cpu().numpy(),
            # It is at least 1 and has no upper end.
            "confidence": (1 - 1 / certain.clamp_min(1)).flatten(1).mean(1).cpu().numpy(),
            **maps,
        }

    def _seen(self, network: Any, images: Any) -> Any:
        asked = {"infer_gs": True} if self.settings.get("gaussians") else {}
        return network(images, ref_view_strategy=self.settings["reference_view"], **asked)

    def _gaussians(self, found: Any) -> dict[str, Any]:
        """One for each pixel of each frame, in their order; not scaled to metres, as the cameras are by `factor`."""
        import numpy

        made = found.gaussians
        names = {"means": made.means, "quaternions": made.rotations, "scales": made.scales, "opacities": made.opacities}
        arrays = {name: value[0].float().cpu().numpy() for name, value in names.items()}
        arrays["opacities"] = arrays["opacities"].reshape(len(arrays["means"]))
        arrays["harmonics"] = made.harmonics[0].float().transpose(1, 2).contiguous().cpu().numpy()
        return arrays | {"factor": numpy.array(float(getattr(found, "scale_factor", None) or 1.0))}

    def _nested(self, images: Any) -> Any:
        """As the authors' nested network, but median and quantile are of all values, where theirs draws 100,000 at
        random. Sky, of which depth and confidence say nothing, gets the depth of the farthest ground and no confidence.
        """
        from depth_anything_3.utils.alignment import (
            apply_metric_scaling,
            compute_alignment_mask,
            compute_sky_mask,
            least_squares_scale_scalar,
        )

        found, metric = self._seen(self.network.da3, images), self.network.da3_metric(images)
        metres = apply_metric_scaling(metric.depth, found.intrinsics)
        ground = compute_sky_mask(metric.sky, threshold=SKY)
        if int(ground.sum()) <= LEAST_GROUND:
            return None
        median = median_of_all(found.depth_conf[ground])
        used = compute_alignment_mask(found.depth_conf, ground, found.depth, metres, median)
        scale = least_squares_scale_scalar(metres[used], found.depth[used])
        found.depth = found.depth * scale
        found.extrinsics = found.extrinsics.clone()
        found.extrinsics[:, :, :3, 3] *= scale
        found.scale_factor = float(scale)
        found.depth_conf = found.depth_conf.masked_fill(~ground, NO_CONFIDENCE)
        farthest = min(float(quantile_of_all(found.depth[ground], OF_THE_GROUND)), FARTHEST)
        found.depth = found.depth.masked_fill(~ground, farthest)
        return found


def quantile_of_all(values: Any, share: float) -> Any:
    """Between the two values next to that share of all in order, evenly: a tensor of one number."""
    ordered = values.flatten().sort().values
    place = share * (ordered.numel() - 1)
    below = int(place)
    return ordered[below].lerp(ordered[min(below + 1, ordered.numel() - 1)], place - below)


def median_of_all(values: Any) -> Any:
    """The middle of all values in order, of an even number the mean of two: a tensor of one number."""
    ordered = values.flatten().sort().values
    count = ordered.numel()
    return (ordered[(count - 1) // 2] + ordered[count // 2]) / 2


def camera_to_world(world_to_camera: Any) -> Any:
    """(N, 4, 4) inverses of (N, 3 or 4, 4)."""
    import numpy

    turns = world_to_camera[:, :3, :3].transpose(0, 2, 1)
    poses = numpy.tile(numpy.eye(4), (len(turns), 1, 1))
    poses[:, :3, :3] = turns
    poses[:, :3, 3] = -(turns @ world_to_camera[:, :3, 3:])[:, :, 0]
    return poses
