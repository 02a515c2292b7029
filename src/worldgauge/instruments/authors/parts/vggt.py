"""VGGT through the authors' package. A part, see `isolated/child.py`.

The network gives world-to-camera; what leaves here is camera-to-world, OpenCV's axes. Points and tracks are not used.
"""

from __future__ import annotations

from typing import Any

PACKAGES = (("vggt", "vggt"), ("torch", "torch"))
UNUSED = ("point_head.", "track_head.")


def load(files: dict[str, Any], settings: dict[str, Any], device: str) -> Network:
    from vggt.models.vggt import VGGT

    network = VGGT(enable_point=False, enable_track=False)
    files["vggt"].into(network, "VGGT", unused=lambda entry: entry.startswith(UNUSED))
    return Network(network.to(device), settings, device)


class Network:
    def __init__(self, network: Any, settings: dict[str, Any], device: str) -> None:
        self.network, self.settings, self.device = network, settings, device

    def answer(self, arrays: dict[str, Any], options: dict[str, Any]) -> dict[str, Any] | str:
        import numpy
        import torch
        from vggt.utils.pose_enc import pose_encoding_to_extri_intri

        frames = torch.from_numpy(arrays["frames"].copy()).to(self.device)
        images = frames.permute(0, 3, 1, 2).float() / 255
        half = self.settings["dtype"] == "bfloat16"
        with torch.inference_mode():
            with torch.autocast(torch.device(self.device).type, torch.bfloat16, enabled=half):
                found = self.network(images)
            size = tuple(images.shape[-2:])
            cameras, intrinsics = pose_encoding_to_extri_intri(found["pose_enc"].float(), size)
        world_to_camera = cameras[0].double().cpu().numpy()
        turns = world_to_camera[:, :3, :3].transpose(0, 2, 1)
        poses = numpy.tile(numpy.eye(4), (len(turns), 1, 1))
        poses[:, :3, :3] = turns
        poses[:, :3, 3] = -(turns @ world_to_camera[:, :3, 3:])[:, :, 0]
        depth, certain = found["depth"][0].double(), found["depth_conf"][0].double()
        return {
            "poses": poses,
            "intrinsics": intrinsics[0].double().cpu().numpy(),
            "depth": depth.flatten(1).median(1).values.cpu().numpy(),
            # It is at least 1 and has no upper end.
            "confidence": (1 - 1 / certain.clamp_min(1)).flatten(1).mean(1).cpu().numpy(),
        }
