"""SAM 3 over a clip by transformers: what a phrase means is found in every frame and followed from one to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from transformers import Sam3VideoConfig, Sam3VideoInferenceSession, Sam3VideoModel
from transformers.models.sam3_video import modeling_sam3_video

from worldgauge.instruments.neural.networks import mask_tools
from worldgauge.instruments.neural.networks.from_transformers import from_transformers
from worldgauge.instruments.neural.networks.sam3 import NAME, squashed

Frame = NDArray[np.uint8]
Objects = dict[int, tuple[NDArray[np.bool_], float]]


class PhraseFollowing:
    """SAM 3's side for videos on a device."""

    def __init__(self, module: Sam3VideoModel, device: str = "cpu", dtype: str = "float32") -> None:
        # Without these transformers would leave out overlap, holes and sprinkles, or fetch a compiled kernel.
        modeling_sam3_video.cv_utils_kernel = mask_tools
        self.device = torch.device(device)
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.module = module.to(device=self.device, dtype=self.dtype).eval()
        self.side: int = module.config.image_size
        self.longest_text: int = module.config.detector_config.text_config.max_position_embeddings

    def followed(
        self, frames: Sequence[Frame], phrase: str, tokens: NDArray[np.int64], length: int
    ) -> Iterator[Objects]:
        """Frame by frame the objects by their numbers: mask (H, W) and score. `length` tokens are the phrase's own."""
        height, width = frames[0].shape[:2]
        session = Sam3VideoInferenceSession(
            video_height=height, video_width=width, inference_device=self.device,
            inference_state_device=self.device, video_storage_device=self.device, dtype=self.dtype,
        )  # fmt: skip
        session.processed_frames = _Prepared(frames, self)
        words = torch.from_numpy(tokens)[None].to(self.device)
        number = session.add_prompt(phrase)
        session.prompt_input_ids[number] = words
        own = torch.arange(words.shape[1], device=self.device) < length
        session.prompt_attention_masks[number] = own.long()[None]
        with torch.inference_mode():
            for told in self.module.propagate_in_video_iterator(session):
                yield self._shown(session, told, height, width)

    def _shown(self, session: Any, told: Any, height: int, width: int) -> Objects:
        """What is there at the frame's size; a pixel that two objects claim goes to the one followed more surely."""
        hidden = {*(told.suppressed_obj_ids or ()), *session.hotstart_removed_obj_ids}
        numbers = [number for number in sorted(told.obj_id_to_mask) if number not in hidden]
        if not numbers:
            return {}
        low = torch.cat([told.obj_id_to_mask[number] for number in numbers]).float()[:, None]
        masks = functional.interpolate(low, size=(height, width), mode="bilinear", align_corners=False)[:, 0] > 0
        sure = torch.tensor([float(told.obj_id_to_tracker_score.get(number, 0.0)) for number in numbers])
        claims = torch.where(masks, sure.to(masks.device)[:, None, None], -torch.inf)
        own = masks & (claims.argmax(0) == torch.arange(len(numbers), device=masks.device)[:, None, None])
        there = masks.flatten(1).any(1).tolist()
        return {
            number: (np.asarray(mask.cpu().numpy()), float(told.obj_id_to_score[number]))
            for number, mask, seen in zip(numbers, own, there, strict=True)
            if seen
        }


class _Prepared:
    """The frames of a clip, each brought to the network's size when it is asked for."""

    def __init__(self, frames: Sequence[Frame], by: PhraseFollowing) -> None:
        self._frames, self._by = frames, by

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, number: int) -> Tensor:
        frame = torch.from_numpy(np.ascontiguousarray(self._frames[number])).to(self._by.device)
        return squashed(frame[None], self._by.side)[0].to(self._by.dtype)


def sam3_video_from(state: Mapping[str, Tensor], config: Mapping[str, Any] | None) -> Sam3VideoModel:
    """The network out of transformers' file."""
    made = Sam3VideoConfig.from_dict(dict(config or {}))
    # Read from a file, the tracker's configuration forgets the size it was made for.
    made.image_size = made.detector_config.image_size
    return from_transformers(Sam3VideoModel, made, state, NAME)
