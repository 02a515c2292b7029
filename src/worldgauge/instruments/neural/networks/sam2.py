"""SAM 2.1 (Ravi et al., 2024) by transformers: objects given in the first frame, followed through the clip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from transformers import Sam2VideoConfig, Sam2VideoInferenceSession, Sam2VideoModel

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.from_transformers import from_transformers
from worldgauge.instruments.neural.networks.sam2_layout import NAME, config_of, renamed_parts
from worldgauge.instruments.neural.networks.stacked import IMAGENET_DEVIATION, IMAGENET_MEAN
from worldgauge.instruments.neural.preparing import resized

Frame = NDArray[np.uint8]
REMEMBERED = 16
"""Frames back that the network looks at: as many object pointers, and fewer memories."""
BOX_CORNERS = (2, 3)
"""Labels of the two points that stand for a box."""


@dataclass(frozen=True, eq=False)
class Prompt:
    """One object in the first frame, in one of three ways."""

    mask: NDArray[np.bool_] | None = None
    """(h, w), of any size; it is squashed onto the frame."""
    box: tuple[float, float, float, float] | None = None
    """x0, y0, x1, y1 in px of the frame."""
    points: Sequence[tuple[float, float, bool]] = ()
    """x, y in px of the frame, and whether the point is on the object."""


class AsReleased(Sam2VideoModel):
    """transformers' network, three things put back to the authors' way, all about objects shown by a mask.

    The object is pointed at by the one mask asked for, not by the best of three. What is remembered of its frame is the
    mask as the network gives it back, at a quarter of the size and enlarged again. And it goes through a sigmoid unless
    `cut_memory` says that it is cut to 0 and 1, as the authors' post-processing does.
    """

    cut_memory = True

    def _single_frame_forward(self, *args: Any, multimask_output: bool = False, **kwargs: Any) -> Any:
        return super()._single_frame_forward(*args, multimask_output=multimask_output, **kwargs)

    def still(self, pixels: Tensor, points: Tensor, labels: Tensor) -> Tensor:
        """Logits (O, side, side) at the decoder's size of what points (1, O, P, 2) show in one picture (1, 3, h, w).

        A clip's pass takes away the mask of an object whose score of being in the frame is not above 0. The authors'
        predictor for pictures does not look at that score, so decoder and prompts are called here without it.
        """
        maps = list(self.get_image_features(pixels, return_dict=True).fpn_hidden_states)
        maps[-1] = maps[-1] + self.no_memory_embedding
        sizes = self.backbone_feature_sizes
        features = [one.permute(1, 2, 0).view(1, -1, *size) for one, size in zip(maps, sizes, strict=True)]
        sparse, dense = self.prompt_encoder(
            input_points=points, input_labels=labels, input_boxes=None, input_masks=None
        )
        masks, *_ = self.mask_decoder(
            image_embeddings=features[-1],
            image_positional_embeddings=self.get_image_wide_positional_embeddings(),
            sparse_prompt_embeddings=sparse,
            dense_prompt_embeddings=dense,
            multimask_output=False,
            high_resolution_features=features[:-1],
        )
        logits: Tensor = masks[0, :, 0]
        return logits

    def _use_mask_as_output(self, *args: Any, **kwargs: Any) -> Any:
        found = super()._use_mask_as_output(*args, **kwargs)
        size = found.high_res_masks.shape[-2:]
        large = functional.interpolate(found.pred_masks.float(), size=size, mode="bilinear", align_corners=False)
        found.high_res_masks = large.to(found.high_res_masks.dtype)
        return found

    def _encode_new_memory(self, *args: Any, is_mask_from_pts: bool, **kwargs: Any) -> Any:
        return super()._encode_new_memory(*args, is_mask_from_pts=is_mask_from_pts and self.cut_memory, **kwargs)


class Follower:
    """SAM 2.1 on a device: frames and prompts in, masks out, frame by frame."""

    def __init__(self, module: AsReleased, device: str = "cpu", dtype: str = "float32") -> None:
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.module = module.to(device=self.device, dtype=self.dtype).eval()
        self.side: int = module.config.image_size

    def logits(self, frames: Sequence[Frame], prompts: Sequence[Prompt]) -> Iterator[Tensor]:
        """Per frame how surely each pixel belongs to each object, (O, H, W); above 0 it does."""
        for pixels, _ in self.sightings(frames, prompts):
            yield pixels

    def sightings(self, frames: Sequence[Frame], prompts: Sequence[Prompt]) -> Iterator[tuple[Tensor, Tensor]]:
        """As `logits`, with how surely each object is in the frame at all, (O,); above 0 it is."""
        height, width = frames[0].shape[:2]
        session = Sam2VideoInferenceSession(
            video_height=height, video_width=width, inference_device=self.device,
            inference_state_device=self.device, video_storage_device=self.device, dtype=self.dtype,
        )  # fmt: skip
        # Frames are prepared when they are asked for; a clip at the network's size would take a gigabyte.
        session.processed_frames = _Prepared(frames, self)
        for number, prompt in enumerate(prompts):
            self._give(session, session.obj_id_to_idx(number), prompt, width, height)
        session.obj_with_new_inputs = list(range(len(prompts)))
        for number in range(len(frames)):
            with torch.inference_mode():
                found = self.module(session, frame_idx=number)
                whole = functional.interpolate(
                    found.pred_masks.float(), size=(height, width), mode="bilinear", align_corners=False
                )
            yield whole[:, 0], found.object_score_logits.float().flatten()
            _forget(session, number)

    def still_logits(self, frame: Frame, boxes: Sequence[tuple[float, float, float, float]]) -> Tensor:
        """How surely each pixel of a single frame belongs to what each box shows, (O, H, W); above 0 it does.

        As the authors' predictor for pictures does it: the frame is squashed bilinearly, and the score that the object
        is in the frame at all, which takes masks away in a clip, is not looked at.
        """
        height, width = frame.shape[:2]
        corners = [[((x0, y0), (x1, y1)) for x0, y0, x1, y1 in boxes]]
        scale = torch.tensor((self.side / width, self.side / height))
        points = (torch.tensor(corners) * scale).to(device=self.device, dtype=self.dtype)
        labels = torch.tensor([[BOX_CORNERS] * len(boxes)], dtype=torch.int32, device=self.device)
        with torch.inference_mode():
            found = self.module.still(self.still(frame)[None], points, labels).float()
            return functional.interpolate(found[None], size=(height, width), mode="bilinear", align_corners=False)[0]

    def _give(self, session: Any, index: int, prompt: Prompt, width: int, height: int) -> None:
        if prompt.mask is not None:
            session.add_mask_inputs(index, 0, self.squashed(prompt.mask))
            return
        points = [(x, y, int(on)) for x, y, on in prompt.points]
        if prompt.box is not None:
            x0, y0, x1, y1 = prompt.box
            corners = ((x0, y0), (x1, y1))
            points = [(x, y, label) for (x, y), label in zip(corners, BOX_CORNERS, strict=True)] + points
        if not points:
            raise WorldGaugeError(f"{NAME} was given neither a mask nor a box nor a point")
        places = torch.tensor([[[(x * self.side / width, y * self.side / height) for x, y, _ in points]]])
        labels = torch.tensor([[[label for _, _, label in points]]], dtype=torch.int32)
        session.add_point_inputs(index, 0, {"point_coords": places.to(self.dtype), "point_labels": labels})

    def squashed(self, mask: NDArray[np.bool_]) -> Tensor:
        """A mask (h, w) at the network's size, (1, 1, side, side): bilinear with antialiasing, cut at a half."""
        values = torch.from_numpy(np.ascontiguousarray(mask))[None, None].float()
        if mask.shape == (self.side, self.side):
            return values
        size = (self.side, self.side)
        values = functional.interpolate(values, size=size, mode="bilinear", align_corners=False, antialias=True)
        return (values >= 0.5).float()

    def prepared(self, frame: Frame) -> Tensor:
        """A frame (H, W, 3) as the authors' loader makes it: squashed by Pillow's bicubic filter, ImageNet's mean."""
        squashed = torch.from_numpy(resized(frame[None], (self.side, self.side))[0].copy()).permute(2, 0, 1)
        return self._normalised(squashed.float() / 255)

    def still(self, frame: Frame) -> Tensor:
        """A single frame (H, W, 3) as the authors' predictor for pictures makes it: bilinear, with antialiasing."""
        values = torch.from_numpy(np.ascontiguousarray(frame)).permute(2, 0, 1).float() / 255
        size = (self.side, self.side)
        squashed = functional.interpolate(values[None], size=size, mode="bilinear", align_corners=False, antialias=True)
        return self._normalised(squashed[0])

    def _normalised(self, values: Tensor) -> Tensor:
        shift, scale = (torch.tensor(part).view(3, 1, 1) for part in (IMAGENET_MEAN, IMAGENET_DEVIATION))
        return ((values - shift) / scale).to(device=self.device, dtype=self.dtype)


class _Prepared:
    """The frames of a clip, each brought to the network's size when it is asked for."""

    def __init__(self, frames: Sequence[Frame], by: Follower) -> None:
        self._frames, self._by = frames, by

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, number: int) -> Tensor:
        return self._by.prepared(self._frames[number])


def _forget(session: Any, number: int) -> None:
    """Let go of what no later frame looks at: masks at full size, and frames too far back."""
    for outputs in session.output_dict_per_obj.values():
        for kind in outputs.values():
            kind.get(number, {}).pop("high_res_masks", None)
        outputs["non_cond_frame_outputs"].pop(number - REMEMBERED, None)


def sam2_from(
    state: Mapping[str, Tensor], config: Mapping[str, Any] | None, several_masks: bool, cut_memory: bool
) -> AsReleased:
    """The network out of the authors' file, or out of one of transformers' whose configuration is given.

    `several_masks`: where one mask is asked for and it is not stable, the best of three is taken instead;
    `cut_memory`: masks of given frames are cut to 0 and 1 before they are remembered.
    """
    made = config_of(state) if config is None else Sam2VideoConfig.from_dict(dict(config))
    made.mask_decoder_config.dynamic_multimask_via_stability = several_masks
    if config is not None:
        network: AsReleased = from_transformers(AsReleased, made, state, NAME)
    else:
        network = filled(lambda: AsReleased(made), renamed_parts(state), NAME)
    network.cut_memory = cut_memory
    return network
