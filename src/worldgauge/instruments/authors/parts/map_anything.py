"""MapAnything through the authors' package. A part, see `isolated/child.py`.

While a network is built, the package would ask torch.hub for DINOv2's code, from the internet; the same code lies in
the package itself and is taken from there. Poses come as camera-to-world, OpenCV's axes, in metres.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

PACKAGES = (("mapanything", "mapanything"), ("uniception", "uniception"), ("torch", "torch"))
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
NORMALISED = "dinov2"
"""What the package calls that."""
HUB = "facebookresearch/dinov2"


def load(files: dict[str, Any], settings: dict[str, Any], device: str) -> Network:
    weights = files["map_anything"]
    network = weights.into(empty_network(weights.config()), "MapAnything")
    return Network(network.to(device), settings, device)


def empty_network(config: dict[str, Any]) -> Any:
    """A network with weights that nobody has trained."""
    from mapanything.models.mapanything.model import MapAnything

    encoder = dict(config["encoder_config"])
    if encoder.get("uses_torch_hub"):
        encoder["torch_hub_pretrained"] = False
    with _dinov2_of_the_package():
        return MapAnything(**{**config, "encoder_config": encoder})


@contextlib.contextmanager
def _dinov2_of_the_package() -> Iterator[None]:
    import torch
    from mapanything.models.external.dinov2.hub import backbones

    def local(repository: str, name: str, **settings: Any) -> Any:
        if repository != HUB:
            raise ValueError(f"the configuration asks torch.hub for {repository}, which is not {HUB}")
        return getattr(backbones, name)(pretrained=False)

    from_the_network = torch.hub.load
    torch.hub.load = local
    try:
        yield
    finally:
        torch.hub.load = from_the_network


class Network:
    def __init__(self, network: Any, settings: dict[str, Any], device: str) -> None:
        self.network, self.settings, self.device = network, settings, device

    def answer(self, arrays: dict[str, Any], options: dict[str, Any]) -> dict[str, Any] | str:
        import torch

        frames = torch.from_numpy(arrays["frames"].copy())
        mean, deviation = (torch.tensor(v).view(3, 1, 1) for v in (MEAN, DEVIATION))
        images = (frames.permute(0, 3, 1, 2).float() / 255 - mean) / deviation
        views = [{"img": image[None], "data_norm_type": [NORMALISED]} for image in images]
        seen = self.network.infer(
            views,
            memory_efficient_inference=True,
            minibatch_size=1,
            use_amp=self.settings["dtype"] == "bfloat16",
            amp_dtype="bf16",
            # Masks change points and depths, and no pose.
            apply_mask=False,
            mask_edges=False,
        )
        depth = torch.stack([one["depth_z"].double().flatten().median() for one in seen])
        certain = [(1 - 1 / one["conf"].double().clamp_min(1)).mean() for one in seen]
        return {
            "poses": torch.cat([one["camera_poses"] for one in seen]).double().cpu().numpy(),
            "intrinsics": torch.cat([one["intrinsics"] for one in seen]).double().cpu().numpy(),
            "depth": depth.cpu().numpy(),
            # It is at least 1 and has no upper end.
            "confidence": torch.stack(certain).cpu().numpy(),
        }
